// Until when the clients of single attempts wait.
#include "sim/model/patience.hpp"

#include <gtest/gtest.h>

namespace headway {
namespace {

class NoClock final : public Clock {
 public:
  Time now() const override { return 0; }
  void wake(Entity, Time) override {}
  bool passed(Entity) const override { return false; }
};

TEST(Patience, GoesAlongWhenARequestMovesToAnySlotBehind) {
  Scenario scenario;
  Distribution ten_seconds;
  ten_seconds.a = 10;
  scenario.workload.resize(1);
  scenario.workload[0].timeouts.first_token = ten_seconds;
  NoClock clock;
  Timers timers(clock, 0);
  for (const std::uint32_t to : {1, 10, 1000, 1'000'000}) {
    Patience patience(scenario, timers);
    Request request;
    request.record.attempts = 1;
    patience.begin(0, request, 0);
    patience.move(0, to);
    request.record.first_token = request.record.finished = to_picoseconds(11);
    EXPECT_EQ(patience.before(to, request.record).at, to_picoseconds(10)) << "slot " << to;
  }
}

}  // namespace
}  // namespace headway
