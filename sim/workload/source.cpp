#include "sim/workload/source.hpp"

#include "sim/workload/arrival_process.hpp"
#include "sim/workload/request_lengths.hpp"
#include "sim/workload/trace_source.hpp"

namespace headway {
namespace {

/// Arrivals by a law, lengths by the class's laws.
class RateSource : public Source {
 public:
  RateSource(const WorkloadClass& workload_class, std::uint64_t seed, std::uint32_t entity)
      : arrivals_(make_arrival_process(workload_class.arrivals, seed, entity)),
        lengths_(workload_class, seed, entity) {}

  bool next(Time& at, RequestBody& body) override {
    if (!arrivals_->next(at)) return false;
    body = {};
    lengths_.apply(request_++, body);
    return true;
  }

 private:
  std::unique_ptr<ArrivalProcess> arrivals_;
  RequestLengths lengths_;
  std::uint64_t request_ = 0;
};

}  // namespace

std::unique_ptr<Source> make_source(const WorkloadClass& workload_class, std::uint64_t seed,
                                    std::uint32_t entity) {
  if (workload_class.arrivals.kind == Arrivals::Kind::trace)
    return std::make_unique<TraceSource>(workload_class, seed, entity);
  return std::make_unique<RateSource>(workload_class, seed, entity);
}

}  // namespace headway
