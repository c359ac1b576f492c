#include "sim/cli/progress_line.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

// A quarter in 10 s leaves 30 s.
TEST(ProgressText, tells_the_time_left_from_the_share_that_is_done) {
  EXPECT_EQ(progress_text({0.25, 900, 18010, 18000}, 10),
            "25 %, 15.0 min simulated, 18,010 requests, 30 s left");
}

TEST(ProgressText, counts_minutes_from_two_minutes_on) {
  EXPECT_EQ(progress_text({0.1, 60, 10, 10}, 100),
            "10 %, 60.0 s simulated, 10 requests, 15 min left");
}

TEST(ProgressText, promises_nothing_where_the_end_is_not_known) {
  EXPECT_EQ(progress_text({0, 60, 10, 10}, 100), "60.0 s simulated, 10 requests");
}

}  // namespace
}  // namespace headway
