#include "sim/serving/front_admission.hpp"

#include <algorithm>

namespace headway {

Doorkeeper::Doorkeeper(const FrontAdmission& rules, const std::vector<Tenant>& tenants)
    : max_requests_(rules.max_requests), open_(rules.max_requests == 0) {
  if (max_requests_ > 0) {
    for (const FrontAdmission::Shed& shed : rules.shed) {
      // The share is a rounded decimal: 29 % of 100 are 29.
      const double above = shed.above * static_cast<double>(max_requests_) + 1e-6;
      shed_.push_back({shed.priority, static_cast<std::int64_t>(above)});
    }
  }
  limits_.resize(tenants.size());
  for (std::size_t i = 0; i < tenants.size(); ++i) {
    const Tenant& tenant = tenants[i];
    if (tenant.requests_per_second > 0) {
      limits_[i].requests.emplace(tenant.requests_per_second, tenant.burst_seconds);
    }
    if (tenant.tokens_per_second > 0) {
      limits_[i].tokens.emplace(tenant.tokens_per_second, tenant.burst_seconds);
    }
    open_ = open_ && !limits_[i].requests && !limits_[i].tokens;
  }
}

bool Doorkeeper::overloaded(std::int32_t priority, std::int64_t inside) const {
  if (max_requests_ == 0) return false;
  return inside >= max_requests_ || std::any_of(shed_.begin(), shed_.end(), [&](const Shed& shed) {
           return priority >= shed.priority && inside > shed.above;
         });
}

Entry Doorkeeper::ask(const Entrant& entrant, std::int64_t inside, Time now) {
  Limits* const limits = entrant.tenant < limits_.size() ? &limits_[entrant.tenant] : nullptr;
  if (limits != nullptr) {
    if (limits->requests && !limits->requests->holds(1, now)) return Entry::rate_limited;
    if (limits->tokens && !limits->tokens->holds(entrant.tokens, now)) return Entry::rate_limited;
  }
  if (overloaded(entrant.priority, inside)) return Entry::overloaded;
  if (limits != nullptr) {
    if (limits->requests) limits->requests->take(1);
    if (limits->tokens) limits->tokens->take(entrant.tokens);
  }
  return Entry::granted;
}

}  // namespace headway
