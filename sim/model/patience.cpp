#include "sim/model/patience.hpp"

#include <algorithm>

namespace headway {

Patience::Patience(const Scenario& scenario, Timers& timers)
    : scenario_(scenario), timers_(timers) {
  const std::uint64_t seed = scenario.run.seed;
  for (std::uint32_t c = 0; c < scenario.workload.size(); ++c) {
    const WorkloadClass& each = scenario.workload[c];
    std::optional<Distribution> hang_up;
    if (each.hang_up) hang_up = each.hang_up->after;
    laws_.push_back({DrawnTime(each.timeouts.queue, seed, Stream::patience_queue, c),
                     DrawnTime(each.timeouts.first_token, seed, Stream::patience_first_token, c),
                     DrawnTime(each.timeouts.total, seed, Stream::patience_total, c),
                     DrawnTime(hang_up, seed, Stream::hang_up_after, c),
                     Draw(seed, Stream::hang_up, c)});
    ends_.push_back(each.timeouts.any() || each.hang_up);
  }
}

void Patience::begin(std::uint32_t slot, const Request& request, Time now) {
  const RequestRecord& record = request.record;
  const Laws& laws = laws_[record.workload_class];
  // Every attempt of every request has an index of its own.
  const std::uint64_t index = record.id | static_cast<std::uint64_t>(record.attempts - 1) << 44;
  const auto set = [&](const DrawnTime& law, Timers::Kind kind) {
    const Time until = time_after(now, law(index));
    timers_.set({until, request.life, slot, kind});
    return until;
  };
  Waits& waits = at(slot) = {};
  if (laws.queue.given()) set(laws.queue, Timers::Kind::queue);
  if (laws.first_token.given()) {
    waits.first_token_by = set(laws.first_token, Timers::Kind::first_token);
  }
  if (laws.total.given()) waits.last_token_by = set(laws.total, Timers::Kind::total);
  const auto& hang_up = scenario_.workload[record.workload_class].hang_up;
  if (hang_up && laws.hangs_up.uniform(record.id) < hang_up->share) {
    waits.hangs_up_at = set(laws.hang_up, Timers::Kind::hang_up);
  }
}

Patience::End Patience::before(std::uint32_t slot, const RequestRecord& record) const {
  const Waits& waits = waits_[slot];
  const Time first = record.first_token < waits.first_token_by ? kNever : waits.first_token_by;
  const Time last = record.finished < waits.last_token_by ? kNever : waits.last_token_by;
  const Time hangs_up = record.finished < waits.hangs_up_at ? kNever : waits.hangs_up_at;
  const Time timed_out = std::min(first, last);
  if (hangs_up < timed_out) return {hangs_up, Outcome::hung_up};
  return {timed_out, Outcome::timed_out};
}

}  // namespace headway
