// The larger sections of a result's table, each as text whose lines end with "\n".
#pragma once

#include <string>

#include "sim/report/table.hpp"

namespace headway {

/// Latencies of all requests, of each class where there are several, and of each pool that answered
/// where there are several; below them what is to be known of
/// them: intervals that have not converged, why there is none, histograms.
std::string latency_section(const Report& report, const TableStyle& style);

/// A line a pool: shares of the time busy, by what limited the steps, slots and KV memory in use.
/// Empty without pools.
std::string utilisation_section(const Summary& summary, const TableStyle& style);

/// The stations of the front, the replicas of pools where they come and go, availability, and the
/// faults that the run met. Empty where there is none of it.
std::string fleet_section(const Summary& summary, const TableStyle& style);

/// Whether some replica was not ready all the time.
bool comes_and_goes(const PoolUse& pool);

/// GPU-hours paid from the machine's order to the first request.
double starting_gpu_hours(const GpuHours& hours);

}  // namespace headway
