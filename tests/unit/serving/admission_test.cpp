// Which requests a replica takes into its queue.
#include "sim/serving/admission.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

Pool llm_pool() {
  Pool pool;
  pool.kv.block_tokens = 16;
  pool.kv.blocks = 10;  // 160 tokens
  pool.max_model_len = 1000;
  return pool;
}

TEST(Admission, TheLastOutputTokenIsNeverWrittenToTheCache) {
  EXPECT_EQ(kv_tokens(100, 1), 100);
  EXPECT_EQ(kv_tokens(100, 61), 160);
  EXPECT_EQ(kv_tokens(INT32_MAX, INT32_MAX), 4294967293);
}

TEST(Admission, BlocksAreWhole) {
  EXPECT_EQ(blocks_for(0, 16), 0);
  EXPECT_EQ(blocks_for(1, 16), 1);
  EXPECT_EQ(blocks_for(16, 16), 1);
  EXPECT_EQ(blocks_for(17, 16), 2);
  EXPECT_EQ(blocks_for(7, 1), 7);
}

TEST(Admission, ARequestThatFillsTheCacheIsAcceptedAndOneTokenMoreIsNot) {
  const Pool pool = llm_pool();
  EXPECT_EQ(admit(pool, 100, 61, 0), Admission::accepted);
  EXPECT_EQ(admit(pool, 100, 62, 0), Admission::kv_capacity);
  EXPECT_EQ(admit(pool, INT32_MAX, INT32_MAX, 0), Admission::model_length);
}

TEST(Admission, ARequestStaysOnOneDataParallelRank) {
  Pool pool = llm_pool();
  pool.placement.parallel.data = 2;  // 80 tokens each
  EXPECT_EQ(admit(pool, 40, 41, 0), Admission::accepted);
  EXPECT_EQ(admit(pool, 40, 42, 0), Admission::kv_capacity);
}

TEST(Admission, InputAndOutputTogetherAreWithinTheModelsLength) {
  Pool pool = llm_pool();
  pool.max_model_len = 150;
  EXPECT_EQ(admit(pool, 100, 50, 0), Admission::accepted);
  EXPECT_EQ(admit(pool, 100, 51, 0), Admission::model_length);
  pool.max_model_len = 0;  // not limited
  EXPECT_EQ(admit(pool, 100, 61, 0), Admission::accepted);
}

TEST(Admission, AQueueHoldsItsLimit) {
  Pool pool = llm_pool();
  EXPECT_EQ(admit(pool, 10, 10, 1'000'000'000), Admission::accepted);
  pool.max_queue = 3;
  EXPECT_EQ(admit(pool, 10, 10, 2), Admission::accepted);
  EXPECT_EQ(admit(pool, 10, 10, 3), Admission::queue_full);
  EXPECT_EQ(admit(pool, 200, 10, 3), Admission::kv_capacity) << "what can never run says so";
}

TEST(Admission, AStationKnowsNoTokens) {
  Pool pool;
  pool.kind = Pool::Kind::service;
  pool.max_queue = 1;
  EXPECT_EQ(admit(pool, INT32_MAX, INT32_MAX, 0), Admission::accepted);
  EXPECT_EQ(admit(pool, 1, 1, 1), Admission::queue_full);
}

}  // namespace
}  // namespace headway
