// What a profile says that it is of: checked against the samples, the catalogue and the calendar.
#pragma once

#include <string>
#include <vector>

#include "calibration/sample.hpp"

namespace headway {

/// The GPU of samples files that were read from `paths`: catalogue name, or "cpu". Throws
/// SampleError with two files and their GPUs where they differ; one file at least.
std::string measured_gpu(const std::vector<std::string>& paths,
                         const std::vector<SampleFile>& files);

/// The GPU that a profile of samples of `measured` names, as `asked` for: the start of the measured
/// name or the name itself as given ("h100-sxm" of "h100-sxm-80gb"), another alias as the
/// catalogue's name. Throws CatalogError with the nearest name for one that the catalogue lacks,
/// SampleError for one of another GPU.
std::string profile_gpu(const std::string& asked, const std::string& measured);

/// "NAME-VERSION" of an engine, from that or "NAME VERSION", as samples have it: "vllm-0.19.0". The
/// name starts with a letter, the version with a digit. Throws SampleError.
std::string profile_engine(const std::string& asked);

/// `asked` where it is a day of the calendar, "2026-11-30", or "" for none. Throws SampleError.
std::string profile_date(const std::string& asked);

}  // namespace headway
