// Tables of measured results: what is read, and what is refused.
#include "sim/validation/measured_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example.hpp"
#include "sim/validation/measured_data.hpp"

namespace headway {
namespace {

using testing::HasSubstr;

const std::string kHeader =
    "id,group,engine,engine_version,gpu,tp,model,precision,loop,rate_rps,concurrency,n,isl_mean,"
    "osl_mean,prefix_caching,ttft_mean_ms,note\n";

std::vector<MeasuredRow> read(const std::string& rows, const std::string& header = kHeader) {
  return read_measured_table(ExampleFile("table.csv", header + rows).path());
}

std::string refused(const std::string& rows, const std::string& header = kHeader) {
  return refusal([&] { read(rows, header); });
}

TEST(MeasuredTable, ARowIsReadByTheNamesOfTheColumns) {
  const auto rows = read(
      "a-1,bench,vllm,0.15.1,H100,2,Mistral 7B,fp16,open-constant,5.5,,3000,591.6,247,true,25.0,"
      "\"a, note with \"\"quotes\"\"\"\n");
  ASSERT_EQ(rows.size(), 1u);
  const MeasuredRow& row = rows[0];
  EXPECT_EQ(row.id, "a-1");
  EXPECT_EQ(row.model, "Mistral 7B");
  EXPECT_EQ(row.tensor, 2);
  EXPECT_EQ(row.pipeline, 1);
  EXPECT_EQ(row.loop, Loop::open_constant);
  EXPECT_DOUBLE_EQ(row.rate, 5.5);
  EXPECT_EQ(row.requests, 3000);
  EXPECT_EQ(row.concurrency, 0);
  EXPECT_DOUBLE_EQ(row.input_tokens, 591.6);
  EXPECT_EQ(row.prefix_caching, true);
  EXPECT_FALSE(row.chunked_prefill.has_value());
  EXPECT_EQ(row.measured[Measure::ttft_mean], 25.0);
  EXPECT_FALSE(row.measured[Measure::tpot_mean].has_value());
  EXPECT_EQ(row.note, "a, note with \"quotes\"");
}

TEST(MeasuredTable, CommentsBeforeTheHeaderAndBlankLinesAreSkipped) {
  const auto rows =
      read("\na,g,vllm,,H100,,m,fp8,closed,,8,,10,20,,1,\r\n\n", "# mine\n" + kHeader);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].concurrency, 8);
}

TEST(MeasuredTable, AWrongTableIsRefusedWithThePlaceAndTheNearestWord) {
  const std::string row = "a,g,vllm,,H100,,m,fp8,closed,,8,,10,20,,1,\n";
  EXPECT_THAT(refused(row, "id,grup\n"), HasSubstr(":1:4: unknown column 'grup'"));
  EXPECT_THAT(refused(row, "id,grup\n"), HasSubstr("did you mean group"));
  EXPECT_THAT(refused("", "id,id\n"), HasSubstr("stands twice"));
  EXPECT_THAT(refused("\n"), HasSubstr("table.csv:2:1: no rows"));
  EXPECT_THAT(refused("", "id,group\n"), HasSubstr("no column engine"));
  EXPECT_THAT(refused("", ""), HasSubstr("no header"));
  EXPECT_THAT(refused("a,b\n"), HasSubstr(":2:1: 2 fields; expected 17"));
  EXPECT_THAT(refused(row + row), HasSubstr(":3:1: id 'a' stands twice"));
  EXPECT_THAT(refused("a,g,vllm,,H100,,m,fp8,close,,8,,10,20,,1,\n"),
              HasSubstr("did you mean closed"));
  EXPECT_THAT(refused("\"a,g\n"), HasSubstr("a quoted field does not end"));
  EXPECT_THAT(refused("\"a\"b,g\n"), HasSubstr("text after a quoted field"));
}

TEST(MeasuredTable, AValueOutOfRangeIsRefused) {
  for (const std::string rate : {"nan", "inf", "-1", "0", "1e30", "5x", "0x10"})
    EXPECT_THAT(refused("a,g,vllm,,H100,,m,fp8,open-constant," + rate + ",,10,10,20,,1,\n"),
                HasSubstr(":2:37: rate_rps is '" + rate + "'"));
  EXPECT_THAT(refused("a,g,vllm,,H100,0,m,fp8,closed,,8,,10,20,,1,\n"), HasSubstr("tp is '0'"));
  EXPECT_THAT(refused("a,g,vllm,,H100,1.5,m,fp8,closed,,8,,10,20,,1,\n"), HasSubstr("tp is '1.5'"));
  EXPECT_THAT(refused("a,g,vllm,,H100,,m,fp8,closed,,8,,10,20,yes,1,\n"),
              HasSubstr("expected true or false"));
}

TEST(MeasuredTable, AnIdThatWouldLeaveTheFolderOfTheResultsIsRefused) {
  for (const std::string id : {"../a", "a/b", ".hidden", "a b", ""})
    EXPECT_THAT(refused(id + ",g,vllm,,H100,,m,fp8,closed,,8,,10,20,,1,\n"),
                HasSubstr(":2:1: id "));
}

TEST(MeasuredTable, ALoopNeedsWhatDrivesIt) {
  EXPECT_THAT(refused("a,g,vllm,,H100,,m,fp8,closed,,,,10,20,,1,\n"),
              HasSubstr("concurrency is empty; a closed loop needs it"));
  EXPECT_THAT(refused("a,g,vllm,,H100,,m,fp8,open-constant,5,,,10,20,,1,\n"),
              HasSubstr("n is empty"));
  EXPECT_THAT(refused("a,g,vllm,,H100,,m,fp8,closed,,8,,,20,,1,\n"),
              HasSubstr("isl_mean is empty"));
  EXPECT_THAT(refused("a,g,vllm,,H100,,m,fp8,closed,,8,,10,20,,,\n"),
              HasSubstr("row a measures nothing"));
}

TEST(MeasuredTable, GroupsAreChosenByName) {
  auto rows = read(
      "a,one,vllm,,H100,,m,fp8,closed,,8,,10,20,,1,\n"
      "b,two,vllm,,H100,,m,fp8,closed,,8,,10,20,,1,\n");
  EXPECT_EQ(rows_of_groups(rows, {}).size(), 2u);
  ASSERT_EQ(rows_of_groups(rows, {"two"}).size(), 1u);
  EXPECT_EQ(rows_of_groups(rows, {"two"})[0].id, "b");
  EXPECT_THAT(refusal([&] { rows_of_groups(rows, {"tow"}); }), HasSubstr("did you mean two?"));
}

TEST(MeasuredTable, AbsentResultsAreAFailureOfTheEnvironment) {
  EXPECT_THROW(find_measured("/nowhere/at/all"), RunError);
}

}  // namespace
}  // namespace headway
