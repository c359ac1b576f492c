#include "models/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace headway {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const CatalogError& error) {
    return error.what();
  }
  return "accepted";
}

/// A copy of the shipped catalogue that a test may break.
class OwnCatalogue : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "headway_catalogue";
    fs::remove_all(folder_);
    fs::copy(HEADWAY_SOURCE_DIR "/models/catalog", folder_, fs::copy_options::recursive);
    setenv("HEADWAY_CATALOG", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("HEADWAY_CATALOG");
    fs::remove_all(folder_);
  }
  void write(const std::string& file, const std::string& text) {
    std::ofstream(folder_ / file) << text;
  }
  fs::path folder_;
};

TEST(Catalogue, NamesItsEntries) {
  EXPECT_THAT(
      gpu_names(),
      ElementsAre("a100-pcie-40gb", "a100-pcie-80gb", "a100-sxm-40gb", "a100-sxm-80gb", "a10g-24gb",
                  "b200-sxm-180gb", "gb200-186gb", "h100-nvl-94gb", "h100-pcie-80gb",
                  "h100-sxm-80gb", "h200-sxm-141gb", "l4-24gb", "l40s-48gb", "mi300x-192gb",
                  "rtx-4090-24gb", "rtx-5090-32gb", "rtx-pro-6000-96gb"));
  EXPECT_EQ(model_names().size(), 31u);
  EXPECT_THAT(engine_names(),
              ElementsAre("sglang-0.5", "trtllm-1.0", "vllm-0.11", "vllm-0.15", "vllm-0.19"));
}

TEST(Catalogue, LoadsEveryEntry) {
  for (const std::string& name : gpu_names()) {
    EXPECT_EQ(load_gpu(name).name, name);
    const auto price = load_price(name);
    if (!price) continue;
    EXPECT_GT(price->usd_per_gpu_hour, 0.3);
    EXPECT_LT(price->usd_per_gpu_hour, 10);
    EXPECT_FALSE(price->date.empty());
  }
  for (const std::string& name : model_names()) EXPECT_EQ(load_model(name).name, name);
  for (const std::string& name : engine_names()) EXPECT_EQ(load_engine(name).name, name);
}

TEST(Catalogue, HasTheFiguresOfTheDataSheets) {
  const Gpu h100 = load_gpu("h100");
  EXPECT_EQ(h100.name, "h100-sxm-80gb");
  EXPECT_DOUBLE_EQ(h100.hbm_bytes_per_second, 3.35e12);
  EXPECT_DOUBLE_EQ(h100.flops(NumberFormat::bf16), 989.4e12);
  EXPECT_DOUBLE_EQ(h100.link_bytes_per_second(), 450e9);
  EXPECT_EQ(load_gpu("a100").flops(NumberFormat::fp8), 0);
  EXPECT_DOUBLE_EQ(load_gpu("l40s").link_bytes_per_second(), 32e9);
  EXPECT_DOUBLE_EQ(load_gpu("rtx-4090").power_watts, 450);
  EXPECT_DOUBLE_EQ(load_gpu("h200").hbm_bytes_per_second, 4.8e12);
  EXPECT_DOUBLE_EQ(load_gpu("b200").flops(NumberFormat::fp4), 9e15);
  EXPECT_DOUBLE_EQ(load_gpu("gb200").gpus_per_node, 4);
  EXPECT_DOUBLE_EQ(load_gpu("mi300x").link_bytes_per_second(), 7 * 64e9);
  EXPECT_DOUBLE_EQ(load_gpu("rtx-5090").flops(NumberFormat::bf16), 209.5e12);
  EXPECT_NEAR(load_price("h100")->usd_per_gpu_hour, 2.99, 1e-9);
}

TEST(Catalogue, HasDenseRatesThatDoubleAsBitsHalve) {
  for (const std::string& name : gpu_names()) {
    const Gpu gpu = load_gpu(name);
    // GeForce cards multiply fp8 with 32-bit accumulation at half the rate of int8.
    const double geforce = name.starts_with("rtx-4090") || name.starts_with("rtx-5090") ? 2 : 1;
    EXPECT_NEAR(gpu.int8_flops / gpu.half_flops, 2 * geforce, 0.03) << name;
    if (gpu.fp8_flops > 0) {
      EXPECT_NEAR(gpu.fp8_flops / gpu.half_flops, 2, 0.03) << name;
    }
    if (gpu.fp4_flops > 0) {
      EXPECT_NEAR(gpu.fp4_flops / gpu.int8_flops, 2, 0.01) << name;
    }
  }
}

TEST(Catalogue, NamesNoPriceWhereNoneIsSourced) {
  EXPECT_FALSE(load_price("b200").has_value());
  EXPECT_TRUE(load_price("a10g").has_value());
}

TEST(Catalogue, OffersTheNearestName) {
  EXPECT_THAT(error_of([] { load_gpu("h10"); }), HasSubstr("did you mean \"h100\"?"));
  EXPECT_THAT(
      error_of([] { load_gpu("h100-sxm-80g"); }),
      HasSubstr("no GPU \"h100-sxm-80g\" in the catalogue; expected one of a100-pcie-40gb, "));
  EXPECT_THAT(error_of([] { load_model("llama-3.1-9b"); }),
              HasSubstr("did you mean \"llama-3.1-8b\"?"));
  EXPECT_THAT(error_of([] { load_engine("vllm"); }), HasSubstr("expected one of sglang-0.5, "));
  EXPECT_THAT(error_of([] { load_gpu("../gpus/h100-sxm-80gb"); }), HasSubstr("no GPU"));
  EXPECT_THROW(load_model("/nowhere/config.json"), ArchitectureError);
}

TEST_F(OwnCatalogue, IsUsedWhereTheEnvironmentNamesIt) {
  EXPECT_EQ(catalog_directory(), folder_.string());
  fs::remove(folder_ / "gpus/l40s-48gb.yaml");
  fs::remove(folder_ / "prices/h100-sxm-80gb.yaml");
  EXPECT_EQ(gpu_names().size(), 16u);
  EXPECT_FALSE(load_price("h100").has_value());
}

TEST_F(OwnCatalogue, SaysWhatAnEnginesShareOfMemoryIsOf) {
  EXPECT_EQ(load_engine("vllm-0.19").utilization_of, UtilizationOf::memory);
  EXPECT_EQ(load_engine("sglang-0.5").utilization_of, UtilizationOf::free_at_start);
  EXPECT_EQ(load_engine("trtllm-1.0").utilization_of, UtilizationOf::free_at_peak);
  std::ifstream in(folder_ / "engines/trtllm-1.0.yaml");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  const std::size_t at = text.find("free_at_peak");
  ASSERT_NE(at, std::string::npos);
  write("engines/bad.yaml", text.replace(at, 12, "free_at_peek"));
  EXPECT_THAT(
      error_of([] { load_engine("bad"); }),
      HasSubstr("utilization_of is \"free_at_peek\"; expected one of memory, free_at_start, "
                "free_at_peak; did you mean \"free_at_peak\"?"));
}

TEST_F(OwnCatalogue, HasEnginesThatWakeUpAndRoundUpWithinReason) {
  EXPECT_DOUBLE_EQ(load_engine("vllm-0.11").idle_overhead_seconds, 8.4e-3);
  EXPECT_EQ(load_engine("vllm-0.19").idle_overhead_seconds, 0);
  std::ifstream in(folder_ / "engines/vllm-0.19.yaml");
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  const auto load = [&](std::string line) {
    const std::string key = line.substr(0, line.find(':'));
    std::string without = text;
    if (const std::size_t at = without.find(key + ":"); at != std::string::npos)
      without.erase(at, without.find('\n', at) + 1 - at);
    write("engines/mine.yaml", without + line + "\n");
    return error_of([] { load_engine("mine"); });
  };
  EXPECT_EQ(load("idle_overhead: 20 ms"), "accepted");
  EXPECT_THAT(load("idle_overhead: -1 ms"), HasSubstr("idle_overhead is -1 ms; expected 0"));
  EXPECT_THAT(load("idle_overhead: .nan"), HasSubstr("idle_overhead"));
  EXPECT_EQ(load("fp4_inner_multiple: 128"), "accepted");
  for (const char* bad : {"0", "-256", "1e9", "1.5", "x", "[256]"})
    EXPECT_THAT(load(std::string("fp4_inner_multiple: ") + bad), HasSubstr("fp4_inner_multiple"))
        << bad;
}

TEST_F(OwnCatalogue, ThatIsMissingOrEmptyIsNamed) {
  setenv("HEADWAY_CATALOG", "/nowhere", 1);
  EXPECT_THAT(error_of([] { load_gpu("h100"); }), HasSubstr("HEADWAY_CATALOG is /nowhere"));
  fs::remove_all(folder_);
  fs::create_directory(folder_);
  setenv("HEADWAY_CATALOG", folder_.c_str(), 1);
  EXPECT_THAT(error_of([] { load_gpu("h100"); }), HasSubstr("no GPU \"h100\""));
}

TEST_F(OwnCatalogue, IsReadStrictly) {
  const std::string price = "format: headway-price 1\nprice: 3 USD/h\ndate: x\nsource: y\n";
  const auto load = [this](const std::string& text) {
    write("prices/h100-sxm-80gb.yaml", text);
    return error_of([] { load_price("h100"); });
  };
  EXPECT_EQ(load(price), "accepted");
  EXPECT_THAT(load(price + "prize: 3\n"),
              HasSubstr("h100-sxm-80gb.yaml:5:1: unknown key \"prize\"; did you mean \"price\"?"));
  EXPECT_THAT(load(price + "date: z\n"),
              HasSubstr(":5:1: \"date\" stands here for the second time"));
  EXPECT_THAT(load("format: headway-price 1\nprice: 3 EUR/h\n"),
              HasSubstr(":2:8: price: \"3 EUR/h\" has the unknown unit"));
  EXPECT_THAT(load("format: headway-price 1\nprice: -3 USD/h\n"), HasSubstr("price is -3 USD/h"));
  EXPECT_THAT(load("format: headway-price 1\nprice: [3]\n"), HasSubstr("not a single value"));
  EXPECT_THAT(load("format: headway-price 2\n"), HasSubstr("expected format: headway-price 1"));
  EXPECT_THAT(load("format: headway-price 1\n"), HasSubstr("\"price\" is missing"));
  EXPECT_THAT(load("format: headway-price 1\nprice:\ndate: x\n"),
              HasSubstr(":2:1: \"price\" has no value"));
  EXPECT_THAT(load(""), HasSubstr("h100-sxm-80gb.yaml:1:1: expected keys and values"));
  EXPECT_THAT(load("a: [1, 2\n"), HasSubstr("h100-sxm-80gb.yaml:"));
  EXPECT_THAT(load("[1]: 2\n"), HasSubstr("a key is not a plain word"));
  write("models/bad.yaml", "format: headway-model 1\nfamily: llama\nlayers: 3.5\n");
  EXPECT_THAT(error_of([] { load_model("bad"); }),
              HasSubstr("layers is 3.5; expected a whole number"));
}

}  // namespace
}  // namespace headway
