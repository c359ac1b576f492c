// A distribution's figures from recorded samples.
#pragma once

#include "sim/metrics/sample_store.hpp"
#include "sim/metrics/summary.hpp"

namespace headway {

/// Mean, percentiles and maximum of one metric over a window. `intervals`: the load is stationary
/// and its samples may be cut into batches. `scratch` must be empty and is left so (a
/// histogram is large; one serves all figures).
Figures make_figures(const SampleStore& store, Metric metric, SampleGroup group,
                     SampleWindow window, bool intervals, Histogram& scratch);

/// The same from segments alone: percentiles from their histograms.
Figures make_figures(const std::vector<SegmentStat>& segments, bool intervals, Histogram& scratch);

/// All latencies of a class, or of all samples.
Latencies make_latencies(const SampleStore& store, SampleGroup group, SampleWindow window,
                         bool intervals, Histogram& scratch);

/// Figures that do not exist because waits grow without end: the count alone.
Figures unstable_figures(const Figures& figures);

/// Takes back what is not final: intervals and convergence.
void drop_intervals(Figures& figures);
void drop_intervals(Latencies& latencies);

}  // namespace headway
