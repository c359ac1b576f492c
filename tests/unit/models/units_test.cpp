#include "models/units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace headway {
namespace {

using testing::HasSubstr;

std::string error_of(std::string_view text, Dimension dimension) {
  try {
    parse_quantity(text, dimension);
  } catch (const UnitError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Units, AreReadAsSiNumbers) {
  EXPECT_DOUBLE_EQ(parse_quantity("500 ms", Dimension::time), 0.5);
  EXPECT_DOUBLE_EQ(parse_quantity("500ms", Dimension::time), 0.5);
  EXPECT_DOUBLE_EQ(parse_quantity("1.5 h", Dimension::time), 5400);
  EXPECT_DOUBLE_EQ(parse_quantity("7 d", Dimension::time), 604800);
  EXPECT_DOUBLE_EQ(parse_quantity("25 us", Dimension::time), 25e-6);
  EXPECT_DOUBLE_EQ(parse_quantity("10000 /h", Dimension::rate), 10000.0 / 3600);
  EXPECT_DOUBLE_EQ(parse_quantity("20/s", Dimension::rate), 20);
  EXPECT_DOUBLE_EQ(parse_quantity("90 req/min", Dimension::rate), 1.5);
  EXPECT_DOUBLE_EQ(parse_quantity("80 GB", Dimension::bytes), 80e9);
  EXPECT_DOUBLE_EQ(parse_quantity("80 GiB", Dimension::bytes), 85899345920.0);
  EXPECT_DOUBLE_EQ(parse_quantity("25 Gbit/s", Dimension::bytes_per_second), 3.125e9);
  EXPECT_DOUBLE_EQ(parse_quantity("3.35 TB/s", Dimension::bytes_per_second), 3.35e12);
  EXPECT_DOUBLE_EQ(parse_quantity("989.4 TFLOP/s", Dimension::flops), 989.4e12);
  EXPECT_DOUBLE_EQ(parse_quantity("0.7 kW", Dimension::power), 700);
  EXPECT_DOUBLE_EQ(parse_quantity("2.99 USD/h", Dimension::money_per_time), 2.99 / 3600);
  EXPECT_DOUBLE_EQ(parse_quantity("730 USD/month", Dimension::money_per_time), 1.0 / 3600);
  EXPECT_DOUBLE_EQ(parse_quantity("35 %", Dimension::fraction), 0.35);
  EXPECT_DOUBLE_EQ(parse_quantity("0.35", Dimension::fraction), 0.35);
  EXPECT_DOUBLE_EQ(parse_quantity("1e6", Dimension::count), 1e6);
  EXPECT_DOUBLE_EQ(parse_quantity(".5", Dimension::count), 0.5);
  EXPECT_DOUBLE_EQ(parse_quantity("0", Dimension::time), 0);
  EXPECT_DOUBLE_EQ(parse_quantity("-3 ms", Dimension::time), -0.003);
}

TEST(Units, OfAnotherKindOrNoneAreNamed) {
  EXPECT_THAT(error_of("500", Dimension::time), HasSubstr("\"500\" has no unit"));
  EXPECT_THAT(error_of("5 parsecs", Dimension::time),
              HasSubstr("unknown unit \"parsecs\"; expected a time such as 500 ms (units: ps, ns"));
  EXPECT_THAT(error_of("80 Gb", Dimension::bytes), HasSubstr("did you mean \"GB\"?"));
  EXPECT_THAT(error_of("5 mins", Dimension::time), HasSubstr("did you mean \"min\"?"));
  EXPECT_THAT(error_of("20 ms", Dimension::rate), HasSubstr("unknown unit \"ms\""));
  EXPECT_THAT(error_of("8k", Dimension::count), HasSubstr("something after the number (\"k\")"));
}

TEST(Units, RejectNumbersThatMeanTwoThingsOrNothing) {
  EXPECT_THAT(error_of("010", Dimension::count), HasSubstr("octal"));
  EXPECT_THAT(error_of("-010 ms", Dimension::time), HasSubstr("octal"));
  EXPECT_THAT(error_of("1e400 s", Dimension::time), HasSubstr("beyond the range"));
  EXPECT_THAT(error_of("1e305 d", Dimension::time), HasSubstr("beyond the range"));
  for (const char* text : {"", "  ", "NaN", "nan ms", "inf", "-inf s", "+5", "--5", "-", ".", "e5",
                           "0x10", "1,000", "1_000", "5.", "1e", "1 2", "ms", "5 ms x"}) {
    EXPECT_NE(error_of(text, Dimension::count), "accepted") << text;
    EXPECT_NE(error_of(text, Dimension::time), "accepted") << text;
  }
  EXPECT_EQ(parse_quantity("0.10", Dimension::count), 0.1);
}

TEST(Units, HostileTextIsShownShortAndClean) {
  const std::string message = error_of(std::string(1'000'000, 'x') + "\x1b[31m", Dimension::time);
  EXPECT_LT(message.size(), 300u);
  EXPECT_EQ(error_of("\x1b[31m", Dimension::time).find('\x1b'), std::string::npos);
}

TEST(Units, ArePrintedInTheUnitThatReadsBest) {
  EXPECT_EQ(format_quantity(0.0123, Dimension::time), "12.3 ms");
  EXPECT_EQ(format_quantity(0.5, Dimension::time), "500 ms");
  EXPECT_EQ(format_quantity(90, Dimension::time), "1.5 min");
  EXPECT_EQ(format_quantity(0.99999, Dimension::time), "1 s");
  EXPECT_EQ(format_quantity(0, Dimension::time), "0 s");
  EXPECT_EQ(format_quantity(-0.002, Dimension::time), "-2 ms");
  EXPECT_EQ(format_quantity(16.06e9, Dimension::bytes), "16.1 GB");
  EXPECT_EQ(format_quantity(131072, Dimension::bytes), "131 kB");
  EXPECT_EQ(format_quantity(2.99 / 3600, Dimension::money_per_time), "2.99 USD/h");
  EXPECT_EQ(format_quantity(10.0 / 3600, Dimension::rate), "10 /h");
  EXPECT_EQ(format_quantity(20, Dimension::rate), "20 /s");
  EXPECT_EQ(format_quantity(0.35, Dimension::fraction), "35 %");
  EXPECT_EQ(format_quantity(8192, Dimension::count), "8192");
  EXPECT_EQ(format_quantity(0.000012345, Dimension::count), "0.0000123");
  EXPECT_EQ(format_quantity(std::numeric_limits<double>::infinity(), Dimension::time), "inf d");
}

TEST(Units, SurviveARoundTripToThreeDigits) {
  for (const Dimension dimension :
       {Dimension::count, Dimension::fraction, Dimension::time, Dimension::rate, Dimension::bytes,
        Dimension::bytes_per_second, Dimension::flops, Dimension::power,
        Dimension::money_per_time}) {
    for (double value = 1e-9; value < 1e14; value *= 7.3) {
      const std::string text = format_quantity(value, dimension);
      EXPECT_NEAR(parse_quantity(text, dimension) / value, 1, 0.006) << text;
    }
  }
}

TEST(Time, IsWholePicosecondsUpTo106Days) {
  EXPECT_EQ(to_picoseconds(1e-12), 1);
  EXPECT_EQ(to_picoseconds(1.5), 1'500'000'000'000);
  EXPECT_EQ(to_picoseconds(106 * 86400.0), std::int64_t{106} * 86400 * 1'000'000'000'000);
  EXPECT_THROW(to_picoseconds(107 * 86400.0), UnitError);
  EXPECT_THROW(to_picoseconds(-1e-9), UnitError);
  EXPECT_THROW(to_picoseconds(std::nan("")), UnitError);
  EXPECT_DOUBLE_EQ(to_seconds(to_picoseconds(0.25)), 0.25);
}

TEST(NearestWord, IsWithinFortyPerCentOfTheLetters) {
  const std::vector<std::string> words = {"arrivals", "input_tokens", "output_tokens", "slo"};
  EXPECT_EQ(nearest_word("arival", words), "arrivals");
  EXPECT_EQ(nearest_word("Input_Tokens", words), "input_tokens");
  EXPECT_EQ(nearest_word("sol", words), "slo");
  EXPECT_EQ(nearest_word("parsecs", words), "");
  EXPECT_EQ(nearest_word("", words), "");
  EXPECT_EQ(nearest_word(std::string(100'000, 'a'), words), "");
  EXPECT_EQ(nearest_word("x", {}), "");
}

}  // namespace
}  // namespace headway
