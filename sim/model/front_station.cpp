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
  if (busy_ < station_.servers) {
    batch_.assign(1, slot);
    begin(now);
    clock_.wake(entity_, in_service_.top().end);
  } else {
    count_waiting(now);
    waiting_.push_back(slot);
  }
}

double FrontStationQueue::seconds(std::uint32_t slot) const {
  const RequestRecord& record = requests_[slot].record;
  return law_(draw_, record.id) + station_.seconds_per_input_token * record.input_tokens;
}

void FrontStationQueue::begin(Time now) {
  double sum = 0;
  for (const std::uint32_t slot : batch_) sum += seconds(slot);
  const Time end = sum < kLongestService ? time_after(now, to_picoseconds(sum)) : kEndOfTime;
  for (const std::uint32_t slot : batch_) {
    in_service_.push({end, begun_++, slot, slot == batch_.back()});
  }
  ++busy_;
  service_sum_ += end - now;
  end_sum_ += end;
}

void FrontStationQueue::on_wake(Time now, std::vector<std::uint32_t>& done) {
  while (!in_service_.empty() && in_service_.top().end <= now) {
    const Service service = in_service_.top();
    in_service_.pop();
    done.push_back(service.slot);
    if (!service.last) continue;
    end_sum_ -= service.end;
    --busy_;
    if (waiting_.empty()) continue;
    count_waiting(now);
    batch_.clear();
    while (!waiting_.empty() && batch_.size() < static_cast<std::size_t>(station_.batch)) {
      batch_.push_back(waiting_.front());
      waiting_.pop_front();
    }
    begin(now);
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
  totals.busy_time = service_sum_ - (end_sum_ - static_cast<__int128>(busy_) * now);
  return totals;
}

}  // namespace headway
