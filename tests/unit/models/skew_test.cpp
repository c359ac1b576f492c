#include "models/skew.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

// An RTX PRO 6000 has 188 multiprocessors, two places each; 0.8 of them filled is 301 heads.
TEST(Waves, FillTheCardsPlacesAtLeastOnce) {
  EXPECT_EQ(waves(301, 301), 1);
  EXPECT_NEAR(waves(2 * 376, 301), 2, 0.002);
  EXPECT_NEAR(waves(1024, 301), 2.72, 0.005);
}

}  // namespace
}  // namespace headway
