// Files of measured operator times: JSON lines, a header first. The form is told in
// calibration/README.md.
#pragma once

#include <string>
#include <string_view>

#include "calibration/sample.hpp"

namespace headway {

inline constexpr int kSamplesVersion = 1;

/// No operator of a step takes longer: a day.
inline constexpr double kLongestSampleSeconds = 86'400;

/// Reads a samples file, plain or gzip. Throws SampleError with file, line and column for a file
/// that cannot be opened, is no samples file or of another version, for an unknown, repeated or
/// missing key, a value of the wrong type or out of range, an operator with the wrong dimensions,
/// and for a last line that was torn.
SampleFile read_samples(const std::string& path);

/// What a measurement that was ended left behind.
struct InterruptedSamples {
  SampleFile file;
  std::int64_t whole_bytes = 0;  // of the lines that are whole; what follows is torn. 0: the header
                                 // itself is
};

/// The same for a file that is still being written: a last line without its end is left out.
InterruptedSamples read_interrupted_samples(const std::string& path);

/// Writes a samples file: under a temporary name beside its own, flushed to the disk, and renamed,
/// so that it is whole or absent. Throws CalibrationFailure.
void write_samples(const std::string& path, const SampleFile& file);

/// One line of a samples file, without its end. Dimensions that are 0, empty texts and figures that
/// are not known are left out; seconds have nine significant digits.
std::string header_line(const SampleHeader& header);
std::string sample_line(const Sample& sample);

/// What a line says; throws SampleError. `where` stands for the path in messages.
SampleHeader parse_header_line(std::string_view line, const std::string& where,
                               std::int64_t number);
Sample parse_sample_line(std::string_view line, const std::string& where, std::int64_t number);

}  // namespace headway
