// Scores of groups, and the limits that they must keep.
#include "sim/validation/score.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example.hpp"
#include "sim/validation/requirement.hpp"
#include "sim/validation/validation_csv.hpp"
#include "sim/validation/validation_table.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

/// Rows whose TTFT is measured as 100 ms and predicted as these.
std::vector<RowCase> cases_of(const std::vector<double>& predicted) {
  std::vector<RowCase> cases;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    RowCase& one = cases.emplace_back();
    one.row = example_row();
    one.row.id = "row-" + std::to_string(i);
    one.row.measured[Measure::ttft_mean] = 100;
    one.predicted[Measure::ttft_mean] = predicted[i];
    one.scenario.emplace();
    one.kind = "dense 16-bit";
    one.engine = "vllm-0.11";
    one.gpu = "h100-sxm-80gb";
  }
  return cases;
}

const RowChoice kScored = [](const RowCase& one) { return one.scored(); };

TEST(Score, ErrorsOfOppositeSignCancelInTheBiasAndNotInTheMean) {
  const auto score = score_of(cases_of({110, 90, 104, 70}), Measure::ttft_mean, kScored);
  ASSERT_TRUE(score.has_value());
  EXPECT_EQ(score->rows, 4u);
  EXPECT_NEAR(score->mean, (0.10 + 0.10 + 0.04 + 0.30) / 4, 1e-12);
  EXPECT_NEAR(score->median, 0.10, 1e-12);
  EXPECT_NEAR(score->bias, (0.10 - 0.10 + 0.04 - 0.30) / 4, 1e-12);
  EXPECT_NEAR(score->worst, -0.30, 1e-12);
  EXPECT_EQ(score->worst_id, "row-3");
}

TEST(Score, FittedUnscoredAndUnrunRowsAreLeftOut) {
  auto cases = cases_of({200, 300, 400, 105});
  cases[0].fitted = true;
  cases[1].unscored = "a static batch";
  cases[2].scenario.reset();
  const auto score = score_of(cases, Measure::ttft_mean, kScored);
  ASSERT_TRUE(score.has_value());
  EXPECT_EQ(score->rows, 1u);
  EXPECT_NEAR(score->mean, 0.05, 1e-12);
  EXPECT_FALSE(score_of(cases, Measure::tpot_mean, kScored).has_value());
}

TEST(Score, TheRateOfAnOpenLoopCountsWhereItIsSaturated) {
  auto cases = cases_of({100});
  cases[0].row.measured[Measure::requests] = 50;
  cases[0].predicted[Measure::requests] = 55;
  EXPECT_FALSE(relative_error(cases[0], Measure::requests).has_value());
  cases[0].saturated = true;
  EXPECT_NEAR(*relative_error(cases[0], Measure::requests), 0.1, 1e-12);
}

TEST(Score, ARowWithoutAnErrorInAnyFigureSaysWhy) {
  RowCase one = cases_of({110})[0];
  EXPECT_EQ(why_no_error(one), "");
  one.row.measured = {};
  one.row.measured[Measure::requests] = 10;
  one.predicted[Measure::requests] = 10;
  EXPECT_EQ(why_no_error(one), "below its knee, an open loop's rate is the offered one");
  one.saturated = true;
  EXPECT_EQ(why_no_error(one), "");
  one.row.measured = {};
  one.row.measured[Measure::tpot_mean] = 7;
  EXPECT_EQ(why_no_error(one), "the run has no TPOT: its answers have one token");
  one.row.measured[Measure::e2e_p99] = 7;
  EXPECT_EQ(why_no_error(one), "the run has no TPOT mean, E2E p99");
}

TEST(Score, TheTableOfAGroupTellsWhatIsInItAndWhatIsNot) {
  auto cases = cases_of({110, 90, 300, 100});
  cases[2].fitted = true;
  cases[3].scenario.reset();
  cases[3].not_run = "row-3.yaml:7:3: it does not fit";
  const std::string text = group_text(cases, "bench", {});
  EXPECT_THAT(text, HasSubstr("bench  2 of 4 rows scored"));
  EXPECT_THAT(text, HasSubstr("1 row: it does not fit (row-3)"));
  EXPECT_THAT(text, HasSubstr("1 row: constants of vllm-0.11 (row-2)"));
  EXPECT_THAT(text, HasSubstr("TTFT mean            2    10 %    10 %  +0.0 %   +10 %  row-0"));
  EXPECT_THAT(row_text(cases[0], {}), HasSubstr("TTFT mean"));
  EXPECT_THAT(row_text(cases[0], {}), HasSubstr("+10 %"));
}

TEST(Score, ErrorsReadWellOfAnySize) {
  EXPECT_EQ(error_text(0.0318), "+3.2 %");
  EXPECT_EQ(error_text(-0.1249), "-12 %");
  EXPECT_EQ(error_text(13.2), "x14.2");
  EXPECT_EQ(error_text(3852), "x3,853");
}

TEST(Requirement, ALimitIsKeptOrNotAndNothingMeasuredIsNot) {
  const ExampleFile file("limits.csv",
                         "group,kind,measure,statistic,at_most_percent\n"
                         "bench,dense 16-bit,ttft_mean,mean,10\n"
                         "bench,,ttft_mean,worst,9\n"
                         "bench,MoE fp4,ttft_mean,mean,50\n"
                         "other,,ttft_mean,mean,1\n");
  const auto limits = read_requirements(file.path(), {"bench", "other"});
  ASSERT_EQ(limits.size(), 4u);
  const auto cases = cases_of({108, 90});
  EXPECT_NEAR(*figure_for(limits[0], cases), 9, 1e-9);
  EXPECT_FALSE(figure_for(limits[2], cases).has_value());
  bool met = true;
  const std::string text = requirements_text({limits[0], limits[3]}, cases, met);
  EXPECT_TRUE(met);
  EXPECT_THAT(text, HasSubstr("bench, dense 16-bit: TTFT mean mean"));
  EXPECT_EQ(requirements_text({limits[3]}, cases, met), "  nothing of these groups\n");
  requirements_text({limits[1]}, cases, met);
  EXPECT_FALSE(met);
  requirements_text({limits[2]}, cases, met);
  EXPECT_FALSE(met);
}

TEST(Requirement, AWrongFileIsRefused) {
  const auto refused = [](const std::string& line) {
    const ExampleFile file("limits.csv", "group,kind,measure,statistic,at_most_percent\n" + line);
    return refusal([&] { read_requirements(file.path(), {"g", "bench"}); });
  };
  EXPECT_THAT(refused("g,,ttft,mean,1\n"), HasSubstr(":2:4: measure is 'ttft'"));
  EXPECT_THAT(refused("g,,ttft_mean,maen,1\n"), HasSubstr("did you mean mean"));
  EXPECT_THAT(refused("g,,ttft_mean,mean,\n"), HasSubstr("expected a number"));
  EXPECT_THAT(refused("g,,ttft_mean,mean,-1\n"), HasSubstr("at_most_percent is '-1'"));
  EXPECT_THAT(refused("bnech,,ttft_mean,mean,1\n"),
              HasSubstr(":2:1: group is 'bnech'; expected g, bench; did you mean bench"));
  EXPECT_THAT(refused(""), HasSubstr("limits.csv:1:1: no rows"));
}

TEST(ValidationCsv, ALineForEveryFigureThatWasMeasured) {
  auto cases = cases_of({110});
  EXPECT_EQ(validation_csv(cases),
            "# headway.validation 1\n"
            "id,group,kind,engine,gpu,loop,measure,unit,measured,predicted,error,scored,state\n"
            "row-0,bench,dense 16-bit,vllm-0.11,h100-sxm-80gb,open-constant,ttft_mean,ms,100,110,"
            "0.1000,true,\n");
}

}  // namespace
}  // namespace headway
