// What `headway check` says of the life of a pool's replicas.
#pragma once

#include <string>

#include "sim/report/table.hpp"
#include "sim/scenario/scenario.hpp"

namespace headway {

/// "6 replicas", or "1 to 6 replicas" of a pool with an autoscaler.
std::string replicas_text(const Pool& pool);

/// What the pool's replicas cost, in the units that are sold: "2.99 to 23.9 USD an hour, in nodes
/// of 8 GPUs"; "" where no price is known.
std::string price_text(const Pool& pool, const TableStyle& style);

/// What an autoscaler holds, and how often it looks: "hpa: concurrency 24; every 15 s".
std::string scaling_text(const Autoscaler& settings);

/// Mean seconds from the order of a replica to its first request, by phase; loads as if nobody
/// else used the store. Without a cold_start, the engine's phases and the weights at an assumed
/// bandwidth. "" where nothing is known.
std::string start_up_text(const Pool& pool, const Scenario& scenario, const TableStyle& style);

/// The most replicas that take requests at a time: an autoscaler's max, within the quota.
std::int32_t most_replicas(const Pool& pool);

}  // namespace headway
