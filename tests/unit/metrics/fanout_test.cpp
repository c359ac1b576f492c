#include "sim/metrics/fanout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headway {
namespace {

class MockObserver : public Observer {
 public:
  MOCK_METHOD(void, on_arrival, (Time, std::uint32_t), (override));
  MOCK_METHOD(void, on_departure, (Time, const RequestRecord&), (override));
  MOCK_METHOD(void, on_token_gaps, (Time, std::int64_t), (override));
  MOCK_METHOD(void, on_steps, (const StepSpan&), (override));
  MOCK_METHOD(void, on_preemption, (Time, std::uint32_t), (override));
  MOCK_METHOD(void, on_phase, (Time, std::uint32_t, ReplicaPhase), (override));
  MOCK_METHOD(void, on_retry, (Time, std::uint32_t, Outcome), (override));
};

TEST(Fanout, EveryObserverSeesEveryEvent) {
  MockObserver first, second;
  for (MockObserver* o : {&first, &second}) {
    EXPECT_CALL(*o, on_arrival(7, 2));
    EXPECT_CALL(*o, on_departure(9, testing::Field(&RequestRecord::id, 41)));
    EXPECT_CALL(*o, on_token_gaps(5, 3));
    EXPECT_CALL(*o, on_steps(testing::Field(&StepSpan::replica, 6)));
    EXPECT_CALL(*o, on_preemption(8, 1));
    EXPECT_CALL(*o, on_phase(10, 3, ReplicaPhase::draining));
    EXPECT_CALL(*o, on_retry(11, 2, Outcome::lost));
  }
  Fanout fanout({&first, &second});
  fanout.on_arrival(7, 2);
  RequestRecord record;
  record.id = 41;
  StepSpan span;
  span.replica = 6;
  fanout.on_departure(9, record);
  fanout.on_token_gaps(5, 3);
  fanout.on_steps(span);
  fanout.on_preemption(8, 1);
  fanout.on_phase(10, 3, ReplicaPhase::draining);
  fanout.on_retry(11, 2, Outcome::lost);
}

}  // namespace
}  // namespace headway
