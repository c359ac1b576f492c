#include "sim/serving/fair_share.hpp"

#include <algorithm>
#include <cmath>

namespace headway {
namespace {

constexpr double kToken = 1 << 20;

}  // namespace

FairShare::FairShare(const std::vector<Tenant>& tenants) {
  for (const Tenant& tenant : tenants) {
    accounts_.push_back({std::llround(kToken / std::clamp(tenant.weight, 0.001, 1000.0))});
  }
}

std::int64_t FairShare::start(std::uint32_t tenant, std::int64_t arrived) const {
  return tenant < accounts_.size() ? std::max(arrived, accounts_[tenant].ended) : arrived;
}

void FairShare::admit(std::uint32_t tenant, std::int64_t arrived, std::int64_t tokens,
                      bool in_turn) {
  while (tenant >= accounts_.size()) accounts_.push_back({std::llround(kToken)});
  Account& account = accounts_[tenant];
  const std::int64_t start = std::max(arrived, account.ended);
  if (in_turn) now_ = std::max(now_, start);
  const std::int64_t left = INT64_MAX - start;
  account.ended = tokens > left / account.each ? INT64_MAX : start + tokens * account.each;
}

}  // namespace headway
