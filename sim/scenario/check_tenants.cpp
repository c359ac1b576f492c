// Rules over tenants and the orders of queues, and what follows from their keys.
#include <fmt/format.h>

#include <algorithm>

#include "sim/scenario/check.hpp"
#include "sim/scenario/reader.hpp"

namespace headway {
namespace {

/// The index of the tenant of this name, or the number of tenants.
std::uint32_t index_of(const std::vector<Tenant>& tenants, const std::string& name) {
  const auto named = std::find_if(tenants.begin(), tenants.end(),
                                  [&](const Tenant& tenant) { return tenant.name == name; });
  return static_cast<std::uint32_t>(named - tenants.begin());
}

void check_tenants(Draft& draft) {
  std::vector<Tenant>& tenants = draft.scenario.tenants;
  std::vector<std::string> names;
  names.reserve(tenants.size());
  for (const Tenant& tenant : tenants) names.push_back(tenant.name);
  for (std::size_t i = 0; i < draft.scenario.workload.size(); ++i) {
    WorkloadClass& each = draft.scenario.workload[i];
    each.tenant_index = index_of(tenants, each.tenant.empty() ? each.name : each.tenant);
    if (each.tenant_index < tenants.size()) continue;
    if (!each.tenant.empty())
      draft.fail(Draft::place_of(draft.class_node(i), "tenant"),
                 fmt::format("no tenant is named '{}'{}", shown(each.tenant),
                             names.empty() ? "; expected one of 'tenants', and there is none"
                                           : suggestion(each.tenant, names)));
    tenants.push_back({.name = each.name});
  }
}

bool any_order(const Draft& draft, QueueOrder order) {
  const auto& fleet = draft.scenario.fleet;
  return std::any_of(fleet.begin(), fleet.end(),
                     [&](const Pool& pool) { return pool.order == order; });
}

void tenant_effect(Draft& draft) {
  const Node& root = draft.document.root;
  const Entry* const given = Draft::given(root, "tenants");
  if (!given) return;
  const auto& tenants = draft.scenario.tenants;
  const auto& classes = draft.scenario.workload;
  const bool fair = any_order(draft, QueueOrder::fair);
  const auto limited = [](const Tenant& tenant) {
    return tenant.requests_per_second > 0 || tenant.tokens_per_second > 0;
  };
  if (!fair && std::none_of(tenants.begin(), tenants.end(), limited))
    return draft.warn_no_effect(root, "tenants",
                                "no pool has the order 'fair', and no tenant has a rate limit");
  for (std::size_t i = 0; i < given->value.items.size(); ++i) {
    const Node& node = given->value.items[i];
    if (std::none_of(classes.begin(), classes.end(),
                     [&](const WorkloadClass& each) { return each.tenant_index == i; }))
      draft.warn(node.at,
                 fmt::format("tenant '{}' has no effect: no class belongs to it", tenants[i].name));
    if (!fair) draft.warn_no_effect(node, "weight", "no pool has the order 'fair'");
    if (!limited(tenants[i])) draft.warn_no_effect(node, "burst", "there is no rate to limit");
  }
}

void order_effect(Draft& draft) {
  const auto& classes = draft.scenario.workload;
  const bool one_tenant = std::all_of(classes.begin(), classes.end(), [&](const auto& each) {
    return each.tenant_index == classes.front().tenant_index;
  });
  const bool promised = std::any_of(classes.begin(), classes.end(), [](const auto& each) {
    return each.slo && (each.slo->ttft_seconds || each.slo->e2e_seconds);
  });
  for (std::size_t i = 0; i < draft.scenario.fleet.size(); ++i) {
    const Pool& pool = draft.scenario.fleet[i];
    const Node& node = draft.pool_node(i);
    if (pool.order == QueueOrder::fair && one_tenant)
      draft.warn_no_effect(node, "order", "all requests are of one tenant");
    if (pool.order == QueueOrder::deadline && !promised)
      draft.warn_no_effect(node, "order", "no class has an SLO on ttft or e2e");
    if (pool.order == QueueOrder::fcfs)
      draft.warn_no_effect(node, "max_wait", "the order is fcfs: the longest waiting is next");
    if (pool.order == QueueOrder::deadline)
      draft.warn_no_effect(node, "max_wait", "the order is by deadlines");
  }
}

}  // namespace

std::vector<Check> tenant_checks() {
  return {
      {"tenants",
       "The tenant of a class is one of tenants; a class that names none belongs to the tenant of "
       "its own name, which is added where it is not in the list.",
       check_tenants},
      {"tenant_effect", "Warned of: tenants that nobody belongs to, or that nothing goes by.",
       tenant_effect},
      {"order_effect", "Warned of: orders and bounds on the wait that change nothing.",
       order_effect},
  };
}

}  // namespace headway
