#include "models/profile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "models/catalog.hpp"
#include "models/model_error.hpp"
#include "models/profile_file.hpp"
#include "models/profile_shapes.hpp"

namespace headway {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Products whose times are those of a card with 100 TFLOP/s and 1 TB/s after 2 µs.
double product_seconds(double m, double n, double k) {
  const double compute = 2 * m * n * k / 1e14, memory = (2 * n * k + 2 * m * (n + k)) / 1e12;
  return 2e-6 + std::pow(std::pow(compute, 4) + std::pow(memory, 4), 0.25);
}

ProfileFamily products() {
  ProfileFamily family{"gemm", {"m"}, {{1, 16, 256, 4096}}, {}};
  for (const std::int64_t n : {1024, 4096, 16384}) {
    for (const std::int64_t k : {1024, 4096, 16384}) {
      ProfileRow row{{{"n", n}, {"k", k}}, {}};
      for (const double m : family.axes[0]) {
        row.seconds.push_back(product_seconds(m, static_cast<double>(n), static_cast<double>(k)));
      }
      family.rows.push_back(row);
    }
  }
  return family;
}

Profile sample_profile() {
  Profile profile;
  profile.gpu = "h100-sxm";
  profile.engine = "vllm-0.19.0";
  profile.format = "bf16";
  profile.source = "a test, \"quoted\"";
  profile.date = "2026-11-30";
  profile.skew = 0.05;
  profile.unsplit = 301;
  profile.held_out = {{"gemm", 9, 0.03, 0.02}};
  profile.families = {products()};
  profile.families[0].rows[0].seconds[3] = kNone;
  return profile;
}

TEST(Profile, IsReadAsItWasWritten) {
  const Profile profile = sample_profile();
  const Profile read = parse_profile(write_profile(profile), "test.json");
  EXPECT_EQ(read.gpu, profile.gpu);
  EXPECT_EQ(read.engine, profile.engine);
  EXPECT_EQ(read.source, profile.source);
  EXPECT_EQ(read.skew, profile.skew);
  EXPECT_EQ(read.unsplit, profile.unsplit);
  ASSERT_EQ(read.held_out.size(), 1u);
  EXPECT_EQ(read.held_out[0].count, 9);
  ASSERT_NE(read.find("gemm"), nullptr);
  EXPECT_EQ(read.find("norm"), nullptr);
  const ProfileFamily& family = *read.find("gemm");
  ASSERT_EQ(family.rows.size(), 9u);
  EXPECT_EQ(family.rows[5].shape, profile.families[0].rows[5].shape);
  EXPECT_TRUE(std::isnan(family.rows[0].seconds[3]));
  const double wanted = profile.families[0].rows[5].seconds[2];
  EXPECT_NEAR(family.rows[5].seconds[2], wanted, 0.005 * wanted);  // three significant digits
}

TEST(Profile, KeepsTheOrderOfItsAxes) {
  Profile profile = sample_profile();
  profile.families = {{"attention_mixed",
                       {"chunk", "batch", "context"},
                       {{1, 2}, {1, 2}, {1, 2}},
                       {{{{"heads", 8}, {"kv_heads", 8}, {"head_dim", 128}, {"window", 0}},
                         {1e-6, 2e-6, 3e-6, 4e-6, 5e-6, 6e-6, 7e-6, 8e-6}}}}};
  const Profile read = parse_profile(write_profile(profile), "test.json");
  const ProfileFamily& family = read.families[0];
  EXPECT_EQ(family.axis_names, (std::vector<std::string>{"chunk", "batch", "context"}));
  EXPECT_DOUBLE_EQ(family.grid(family.rows[0].seconds).at(2, 1, 2).seconds, 6e-6);
}

TEST(Profile, RefusesWrongFilesByName) {
  const std::string good = write_profile(sample_profile());
  const auto with = [&good](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& bad : {std::string(),
                                 std::string("{"),
                                 std::string("[]"),
                                 std::string("{}"),
                                 with("\"headway_profile\": 1", "\"headway_profile\": 2"),
                                 with("\"skew\": 0.05", "\"skew\": 2"),
                                 with("\"unsplit\": 301", "\"unsplit\": 0"),
                                 with("\"unsplit\": 301", "\"unsplit\": 1.5"),
                                 with("\"unsplit\": 301", "\"unsplit\": 301, \"unsplit\": 301"),
                                 with("\"skew\": 0.05", "\"skew\": 0.05, \"gpu\": \"b200-sxm\""),
                                 with("\"n\":1024", "\"n\":1024, \"n\":2048"),
                                 with("\"count\": 9", "\"count\": 9.5"),
                                 with("\"gpu\": \"h100-sxm\"", "\"gpu\": 7"),
                                 with("\"m\": [1,16", "\"m\": [16,1"),
                                 with("\"m\": [1,16", "\"m\": [1"),
                                 with("\"us\":[", "\"us\":[-"),
                                 with("\"n\":1024", "\"n\":1.5"),
                                 with("\"n\":1024", "\"nn\":1024"),
                                 with("\"n\":1024", "\"n\":0"),
                                 with("\"op\": \"gemm\", \"axes\"", "\"op\": \"gem\", \"axes\""),
                                 with("\"m\": [1", "\"mm\": [1")}) {
    try {
      parse_profile(bad, "wrong.json");
      FAIL() << bad.substr(0, 200);
    } catch (const CatalogError& error) {
      EXPECT_EQ(std::string(error.what()).find("wrong.json"), 0u) << error.what();
    }
  }
}

TEST(Profile, HasEachKeyOnceAndWholeCounts) {
  const auto refusal = [](const std::string& from, const std::string& to) {
    std::string text = write_profile(sample_profile());
    try {
      parse_profile(text.replace(text.find(from), from.size(), to), "p.json");
    } catch (const CatalogError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("\"unsplit\": 301", "\"unsplit\": 1.5"),
            "p.json: expected a whole number as \"unsplit\" (found 1.5)");
  EXPECT_EQ(refusal("\"skew\"", "\"gpu\": \"b200-sxm\", \"skew\""),
            "p.json: a second key \"gpu\"; expected a profile in JSON");
}

TEST(Profile, NamesItsOperatorsOnceEach) {
  const auto refusal = [](const Profile& profile, const std::string& from, const std::string& to) {
    std::string text = write_profile(profile);
    try {
      parse_profile(text.replace(text.find(from), from.size(), to), "p.json");
    } catch (const CatalogError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const Profile one = sample_profile();
  EXPECT_EQ(refusal(one, "\"operators\": [\"gemm\"],\n", ""), "");
  const std::string wrong =
      "p.json: expected as \"operators\" those of its families in their order";
  EXPECT_EQ(refusal(one, "[\"gemm\"]", "[]"), wrong);
  EXPECT_EQ(refusal(one, "[\"gemm\"]", "[\"gemm\", \"norm\"]"), wrong);
  EXPECT_EQ(refusal(one, "[\"gemm\"]", "[7]"), "p.json: expected a text as \"operators\"");
  Profile two = one;
  two.families.push_back(products());
  EXPECT_EQ(refusal(two, "bf16", "bf16"),
            "p.json: expected one family of an operator (found two of gemm)");
}

/// A file in the folder of temporary files, until the end of the test.
struct TextFile {
  std::string path;
  explicit TextFile(const std::string& text) : path(testing::TempDir() + "profile_test.json") {
    std::ofstream(path) << text;
  }
  ~TextFile() { std::remove(path.c_str()); }
};

TEST(ProfileFile, IsReadBeyondItsFirstLinesWhereItHasTheOperator) {
  const std::string good = write_profile(sample_profile());
  const std::string broken = good.substr(0, good.find("\"rows\"") + 20);
  const TextFile file(broken);
  const ProfileFile profile(file.path);
  EXPECT_EQ(profile.head().gpu, "h100-sxm");
  EXPECT_EQ(profile.head().unsplit, 301);
  EXPECT_EQ(profile.find("norm"), nullptr);
  EXPECT_THROW(profile.find("gemm"), CatalogError);
  EXPECT_THROW(read_profile(file.path), CatalogError);
}

TEST(ProfileFile, IsReadWholeWhereItDoesNotNameItsOperators) {
  std::string text = write_profile(sample_profile());
  const std::string key = "\"operators\": [\"gemm\"],\n";
  text.erase(text.find(key), key.size());
  {
    const TextFile file(text);
    const ProfileFile profile(file.path);
    EXPECT_EQ(profile.find("norm"), nullptr);
    ASSERT_NE(profile.find("gemm"), nullptr);
    EXPECT_EQ(profile.find("gemm")->rows.size(), 9u);
  }
  const TextFile file(text.substr(0, text.size() / 2));
  EXPECT_THROW(ProfileFile profile(file.path), CatalogError);
}

TEST(ProfileFile, OfTheCatalogueIsAsItIsWritten) {
  namespace fs = std::filesystem;
  int files = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(fs::path(catalog_directory()) / "profiles")) {
    if (entry.path().extension() != ".json") continue;
    ++files;
    std::ifstream stream(entry.path());
    const std::string text((std::istreambuf_iterator<char>(stream)), {});
    EXPECT_EQ(write_profile(parse_profile(text, entry.path().string())), text) << entry.path();
    EXPECT_LT(text.find("\"families\""), 4000u) << entry.path();
  }
  EXPECT_GE(files, 30);
}

TEST(Profile, IsForTheGpusWhoseNamesStartWithItsOwn) {
  EXPECT_TRUE(profile_is_for("h100-sxm", "h100-sxm-80gb"));
  EXPECT_TRUE(profile_is_for("h100-sxm-80gb", "h100-sxm-80gb"));
  EXPECT_FALSE(profile_is_for("h100-sxm", "h100-pcie-80gb"));
  EXPECT_FALSE(profile_is_for("l4", "l40s-48gb"));
  EXPECT_FALSE(profile_is_for("h100-sxm-80gb", "h100-sxm"));
}

TEST(Profile, IsNotWrittenWhenTooLarge) {
  Profile profile = sample_profile();
  const ProfileFamily family = profile.families[0];
  for (int i = 0; i < 1000; ++i) profile.families.push_back(family);
  EXPECT_THROW(write_profile(profile), ModelError);
}

TEST(Products, OfMeasuredShapesAreThoseTimes) {
  const auto times = gemm_times(products(), "bf16", 4096, 1024);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->source, TimeSource::profile);
  EXPECT_FALSE(times->outside);
  EXPECT_DOUBLE_EQ(times->grid.at(256).seconds, product_seconds(256, 4096, 1024));
}

TEST(Products, BetweenMeasuredShapesFollowTheCardsRates) {
  for (const auto& [n, k] : {std::pair{2048, 4096}, {8192, 2048}, {6000, 5000}}) {
    const auto times = gemm_times(products(), "bf16", n, k);
    ASSERT_TRUE(times);
    EXPECT_EQ(times->source, TimeSource::interpolation);
    EXPECT_FALSE(times->outside);
    for (const double m : {1.0, 16.0, 256.0, 4096.0}) {
      EXPECT_NEAR(times->grid.at(m).seconds / product_seconds(m, n, k), 1, 0.06)
          << m << " " << n << " " << k;
    }
  }
}

TEST(Products, BeyondMeasuredShapesGrowWithTheWorkAndSaySo) {
  const auto times = gemm_times(products(), "bf16", 65536, 16384);
  ASSERT_TRUE(times);
  EXPECT_TRUE(times->outside);
  EXPECT_NEAR(times->grid.at(4096).seconds / product_seconds(4096, 65536, 16384), 1, 0.1);
}

TEST(Products, AShapeThatWasTimedWithASlowKernelSpoilsNoOther) {
  ProfileFamily family = products();
  for (ProfileRow& row : family.rows) {
    if (row.shape.at("n") == 4096 && row.shape.at("k") == 16384) {
      for (double& time : row.seconds) time *= 3;
    }
  }
  const auto times = gemm_times(family, "bf16", 4096, 8192);
  ASSERT_TRUE(times);
  // Halfway between it and a right one were 1.7.
  EXPECT_NEAR(times->grid.at(256).seconds / product_seconds(256, 4096, 8192), 1, 0.1);
}

TEST(Products, OfTheSameWidthShareItsWaves) {
  // A width of 5120 is half as fast, whatever its depth: that tells of it, not 4096 and 6144.
  ProfileFamily family{"gemm", {"m"}, {{4096}}, {}};
  for (const std::int64_t n : {4096, 5120, 6144}) {
    for (const std::int64_t k : {2560, 3072, 3584, 4096, 5120}) {
      if (n == 5120 && k == 3584) continue;
      const double seconds = product_seconds(4096, static_cast<double>(n), static_cast<double>(k));
      family.rows.push_back({{{"n", n}, {"k", k}}, {n == 5120 ? 2 * seconds : seconds}});
    }
  }
  const auto times = gemm_times(family, "bf16", 5120, 3584);
  ASSERT_TRUE(times);
  EXPECT_FALSE(times->outside);
  EXPECT_NEAR(times->grid.at(4096).seconds / (2 * product_seconds(4096, 5120, 3584)), 1, 0.06);
}

ProfileFamily decodes() {
  ProfileFamily family{"attention_decode", {"batch", "context"}, {{1, 64}, {128, 4096}}, {}};
  for (const std::int64_t kv : {2, 8}) {
    for (const std::int64_t ratio : {1, 4}) {
      // Times in proportion to the KV heads, but for 5 µs.
      ProfileRow row{{{"heads", kv * ratio}, {"kv_heads", kv}, {"head_dim", 128}, {"window", 0}},
                     {}};
      for (const double batch : family.axes[0]) {
        for (const double context : family.axes[1]) {
          row.seconds.push_back(5e-6 + 1e-10 * batch * context * static_cast<double>(kv));
        }
      }
      family.rows.push_back(row);
    }
  }
  return family;
}

TEST(Attention, FindsHeadsThatWereMeasured) {
  const auto times = attention_times(decodes(), {32, 8, 128, 0});
  ASSERT_TRUE(times);
  EXPECT_EQ(times->source, TimeSource::profile);
  EXPECT_DOUBLE_EQ(times->grid.at(64, 4096).seconds, 5e-6 + 1e-10 * 64 * 4096 * 8);
}

TEST(Attention, InterpolatesOverHeadsAndThenOverKvHeads) {
  const auto heads = attention_times(decodes(), {16, 8, 128, 0});  // between 8 and 32 query heads
  ASSERT_TRUE(heads);
  EXPECT_EQ(heads->source, TimeSource::interpolation);
  EXPECT_NEAR(heads->grid.at(64, 4096).seconds, 5e-6 + 1e-10 * 64 * 4096 * 8, 1e-9);
  const auto kv = attention_times(decodes(), {16, 4, 128, 0});  // between 2 and 8 KV heads
  ASSERT_TRUE(kv);
  EXPECT_FALSE(kv->outside);
  EXPECT_NEAR(kv->grid.at(64, 4096).seconds / (5e-6 + 1e-10 * 64 * 4096 * 4), 1, 0.05);
}

/// One decode row of width 128 without a window over batches of 1 to 8 and one context.
ProfileRow decode_row(std::int64_t heads, std::int64_t kv, std::vector<double> seconds) {
  return {{{"heads", heads}, {"kv_heads", kv}, {"head_dim", 128}, {"window", 0}},
          std::move(seconds)};
}

TEST(Attention, AKernelThatSharesOutKvHeadsIsToldByMoreSequencesOfTheSameGroups) {
  // Groups of 32 cost 10 µs a KV head and sequence; those of 16 half, larger ones ten times that.
  ProfileFamily family{"attention_decode", {"batch", "context"}, {{1, 2, 4, 8}, {1024}}, {}};
  const auto row = [&family](std::int64_t heads, std::int64_t kv, double a_sequence) {
    family.rows.push_back(
        decode_row(heads, kv, {a_sequence, 2 * a_sequence, 4 * a_sequence, 8 * a_sequence}));
  };
  row(32, 2, 10e-6);
  row(128, 2, 200e-6);
  row(32, 1, 10e-6);
  row(128, 4, 40e-6);
  const auto times = attention_times(family, {64, 2, 128, 0});
  ASSERT_TRUE(times);
  EXPECT_FALSE(times->outside);
  // At batch 4: the 40 µs of batch 8 with 1 KV head hold (and of 80 / 2 with 4), not √(40 · 800).
  EXPECT_NEAR(times->grid.at(4, 1024).seconds, 80e-6, 1e-6);
}

TEST(Attention, AKernelThatWaitsForKeysIsToldByTheSameKvHeads) {
  // 10 µs and 3 µs a step of the batch, whatever the heads: twice the sequences are not twice the
  // KV heads.
  ProfileFamily family{"attention_decode", {"batch", "context"}, {{1, 2, 4, 8}, {1024}}, {}};
  const std::vector<double> seconds = {10e-6, 13e-6, 19e-6, 31e-6};
  for (const auto& [heads, kv] : {std::pair{16, 1}, {64, 4}, {16, 2}, {64, 2}}) {
    family.rows.push_back(decode_row(heads, kv, seconds));
  }
  const auto times = attention_times(family, {32, 2, 128, 0});
  ASSERT_TRUE(times);
  EXPECT_FALSE(times->outside);
  EXPECT_NEAR(times->grid.at(4, 1024).seconds, 19e-6, 0.2e-6);
}

TEST(Attention, OfAnotherWidthOrWindowIsOutsideOrUnknown) {
  const auto wide = attention_times(decodes(), {32, 8, 256, 0});
  ASSERT_TRUE(wide);
  EXPECT_TRUE(wide->outside);
  EXPECT_DOUBLE_EQ(wide->grid.at(64, 4096).seconds, 2 * (5e-6 + 1e-10 * 64 * 4096 * 8));
  EXPECT_FALSE(attention_times(decodes(), {32, 8, 128, 4096}));
}

TEST(Experts, InterpolateTheirWidthAndScaleOtherwise) {
  ProfileFamily family{"moe", {"tokens"}, {{1, 1024}}, {}};
  const auto row = [&family](std::int64_t inner, double one, double many) {
    family.rows.push_back(
        {{{"hidden", 2048}, {"inner", inner}, {"experts", 64}, {"topk", 4}, {"expert_parallel", 1}},
         {one, many}});
  };
  row(512, 50e-6, 500e-6);
  row(2048, 200e-6, 2000e-6);
  const auto exact = expert_times(family, {2048, 512, 64, 4, 1});
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->source, TimeSource::profile);
  const auto half_way = expert_times(family, {2048, 1024, 64, 4, 1});
  ASSERT_TRUE(half_way);
  EXPECT_NEAR(half_way->grid.at(1024).seconds, 1000e-6, 1e-9);  // √(500 · 2000)
  const auto scaled = expert_times(family, {4096, 512, 64, 4, 1});
  ASSERT_TRUE(scaled);
  EXPECT_EQ(scaled->source, TimeSource::interpolation);
  EXPECT_NEAR(scaled->grid.at(1024).seconds, 20e-6 + 2 * 480e-6, 1e-9);
  // Half as many experts: as many rows each at half the tokens, and half the weights.
  const auto fewer = expert_times(family, {2048, 512, 32, 4, 1});
  ASSERT_TRUE(fewer);
  EXPECT_NEAR(fewer->grid.at(1).seconds, 20e-6 + (exact->grid.at(2).seconds - 20e-6) / 2, 1e-12);
  EXPECT_FALSE(expert_times(family, {100000, 50000, 64, 4, 1}));
}

TEST(Experts, HalfAsWideAsTheNarrowestGoOnAsTheLastTwoDid) {
  ProfileFamily family{"moe", {"tokens"}, {{1, 1024}}, {}};
  for (const auto& [inner, seconds] : {std::pair{4096, 400e-6}, {2048, 200e-6}, {1024, 120e-6}}) {
    family.rows.push_back(
        {{{"hidden", 2048}, {"inner", inner}, {"experts", 64}, {"topk", 4}, {"expert_parallel", 1}},
         {kNone, seconds}});
  }
  const auto half = expert_times(family, {2048, 512, 64, 4, 1});
  ASSERT_TRUE(half);
  EXPECT_EQ(half->source, TimeSource::interpolation);
  EXPECT_NEAR(half->grid.at(1024).seconds, 72e-6, 1e-9);  // 120 · 120 / 200, not 60
  const auto twice = expert_times(family, {2048, 8192, 64, 4, 1});
  ASSERT_TRUE(twice);
  EXPECT_NEAR(twice->grid.at(1024).seconds, 800e-6, 1e-9);
}

TEST(Collectives, OfGroupsThatWereNotMeasuredLieBetween) {
  const ProfileFamily family{"all_reduce",
                             {"bytes"},
                             {{1e3, 1e6}},
                             {{{{"gpus", 2}}, {5e-6, 20e-6}}, {{{"gpus", 8}}, {5e-6, 80e-6}}}};
  const auto four = sized_times(family, "gpus", 4);
  ASSERT_TRUE(four);
  EXPECT_NEAR(four->grid.at(1e6).seconds, 40e-6, 1e-12);
  EXPECT_TRUE(sized_times(family, "gpus", 16)->outside);
}

}  // namespace
}  // namespace headway
