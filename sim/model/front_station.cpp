#include "sim/model/front_station.hpp"

namespace headway {
namespace {

/// Seconds, 106 days: no run sees the end of a longer service.
constexpr double kLongestService = 106 * 86400.0;

}  // namespace

FrontStationQueue::FrontStationQueue(const FrontStation& station, Stream stream, std::uint64_t seed,
                                     Clock& clock, const Requests& requests, Entity entity)
    : station_(station),
      clock_(clock),
      requests_(requests),
      entity_(entity),
      law_(station.time),
      draw_(seed, stream, 0) {}

void FrontStationQueue::count_waiting(Time now) {
  waiting_area_ += static_cast<__int128>(waiting_.size()) * (now - counted_until_);
  counted_until_ = now;
}

void FrontStationQueue::enter(std::uint32_t slot, Time now) {
  if (in_service_.size() < static_cast<std::size_t>(station_.servers)) {
    begin(slot, now);
    clock_.wake(entity_, in_service_.top().end);
  } else {
    count_waiting(now);
    waiting_.push_back(slot);
  }
}

void FrontStationQueue::begin(std::uint32_t slot, Time now) {
  const RequestRecord& record = requests_[slot].record;
  const double seconds =
      law_(draw_, record.id) + station_.seconds_per_input_token * record.input_tokens;
  const Time end =
      seconds < kLongestService ? time_after(now, to_picoseconds(seconds)) : kEndOfTime;
  in_service_.push({end, begun_++, slot});
  service_sum_ += end - now;
  end_sum_ += end;
}

void FrontStationQueue::on_wake(Time now, std::vector<std::uint32_t>& done) {
  while (!in_service_.empty() && in_service_.top().end <= now) {
    end_sum_ -= in_service_.top().end;
    done.push_back(in_service_.top().slot);
    in_service_.pop();
    if (waiting_.empty()) continue;
    count_waiting(now);
    begin(waiting_.front(), now);
    waiting_.pop_front();
  }
  if (!in_service_.empty()) clock_.wake(entity_, in_service_.top().end);
}

FrontStationTotals FrontStationQueue::totals(Time now) const {
  FrontStationTotals totals;
  totals.servers = station_.servers;
  totals.begun = begun_;
  totals.waiting = static_cast<std::int64_t>(waiting_.size());
  totals.waiting_time =
      waiting_area_ + static_cast<__int128>(waiting_.size()) * (now - counted_until_);
  const auto in_service = static_cast<__int128>(in_service_.size());
  totals.busy_time = service_sum_ - (end_sum_ - in_service * now);
  return totals;
}

}  // namespace headway
