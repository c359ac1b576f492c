#include "sim/serving/batcher.hpp"

namespace headway {
namespace {

class NoBatcher final : public Batcher {
 public:
  BatchDecision decide(std::int64_t, Time, Time) const override { return {1, kNever}; }
};

}  // namespace

std::unique_ptr<Batcher> make_no_batcher() {
  return std::make_unique<NoBatcher>();
}

}  // namespace headway
