// What became of the requests, and of the fleet, as rows of the result table.
#pragma once

#include "gui/results/row_list.hpp"

namespace headway {

/// Requests by how they ended, retries, escalations, preemptions: over the whole run.
void add_outcome_rows(RowList& rows);

/// Rate, good share and latencies of each pool that answered, where there are several.
void add_pool_rows(RowList& rows);

/// Stations of the front; of pools whose replicas come and go how many were ready, and GPU-hours by
/// phase; availability; faults.
void add_replica_rows(RowList& rows);

}  // namespace headway
