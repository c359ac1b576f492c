#include "calibration/sample_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "calibration/calibration_error.hpp"
#include "calibration/flat_object.hpp"
#include "calibration/operator_form.hpp"
#include "calibration/text_lines.hpp"
#include "calibration/whole_file.hpp"

namespace headway {

namespace {

constexpr const char* kFormat = "headway.samples";
constexpr const char* kExpected = "a samples file of headway-calibrate";
constexpr std::string_view kHeaderStart = R"({"format":"headway.samples")";

// A text as JSON; bytes that are no UTF-8 are replaced.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_text(std::string& line, const char* key, const std::string& value) {
  if (!value.empty()) line += fmt::format(",\"{}\":{}", key, quoted(value));
}

InterruptedSamples read(const std::string& path, bool interrupted) {
  TextLines lines(path, kExpected);
  InterruptedSamples read;
  std::string_view line;
  const bool any = lines.next(line);
  if (any && interrupted && !lines.ended() && line.starts_with(kHeaderStart)) return read;
  if (!any)
    throw SampleError(fmt::format("{}:1:1: the file is empty; expected {}", path, kExpected));
  read.file.header = parse_header_line(line, path, 1);
  read.whole_bytes = lines.bytes();
  while (lines.next(line)) {
    if (interrupted && !lines.ended()) break;
    if (!line.empty()) read.file.samples.push_back(parse_sample_line(line, path, lines.number()));
    read.whole_bytes = lines.bytes();
  }
  return read;
}

}  // namespace

std::string header_line(const SampleHeader& header) {
  std::string line = fmt::format("{{\"format\":\"{}\",\"version\":{}", kFormat, kSamplesVersion);
  append_text(line, "gpu", header.gpu);
  append_text(line, "device", header.device);
  append_text(line, "engine", header.engine);
  append_text(line, "driver", header.driver);
  append_text(line, "source", header.source);
  append_text(line, "date", header.date);
  return line + "}";
}

std::string sample_line(const Sample& sample) {
  const OperatorPoint& point = sample.point;
  std::string line = fmt::format("{{\"op\":{}", quoted(point.op));
  append_text(line, "format", point.format);
  append_text(line, "kv", point.kv);
  append_text(line, "variant", point.variant);
  for (const PointDimension& dimension : point_dimensions())
    if (point.*dimension.member != 0)
      line += fmt::format(",\"{}\":{}", dimension.name, point.*dimension.member);
  line += fmt::format(",\"seconds\":{:.9g}", sample.seconds);
  if (sample.spread_seconds > 0)
    line += fmt::format(",\"spread_seconds\":{:.3g}", sample.spread_seconds);
  if (sample.repeats > 0) line += fmt::format(",\"repeats\":{}", sample.repeats);
  if (sample.clock_hz > 0) line += fmt::format(",\"clock_hz\":{:.6g}", sample.clock_hz);
  return line + "}";
}

SampleHeader parse_header_line(std::string_view line, const std::string& where,
                               std::int64_t number) {
  FlatObject object(line, where, number);
  const std::string format = object.get_text("format");
  if (format != kFormat)
    object.fail("format",
                fmt::format("no samples file (format \"{}\"); expected \"{}\"", format, kFormat));
  const std::int64_t version = object.get_integer("version");
  if (version != kSamplesVersion)
    object.fail("version", fmt::format("samples of version {}; this program reads version {}",
                                       version, kSamplesVersion));
  SampleHeader header;
  header.gpu = object.get_text("gpu");
  header.device = object.get_text("device");
  header.engine = object.get_text("engine");
  header.driver = object.get_text("driver");
  header.source = object.get_text("source");
  header.date = object.get_text("date");
  object.finish();
  if (header.gpu.empty())
    object.fail("gpu", "the header lacks gpu; expected the GPU's name in the catalogue");
  return header;
}

Sample parse_sample_line(std::string_view line, const std::string& where, std::int64_t number) {
  FlatObject object(line, where, number);
  Sample sample;
  sample.point.op = object.get_text("op");
  sample.point.format = object.get_text("format");
  sample.point.kv = object.get_text("kv");
  sample.point.variant = object.get_text("variant");
  for (const PointDimension& dimension : point_dimensions())
    sample.point.*dimension.member = object.get_integer(dimension.name);
  sample.seconds = object.get_number("seconds");
  sample.spread_seconds = object.get_number("spread_seconds");
  const std::int64_t repeats = object.get_integer("repeats");
  sample.clock_hz = object.get_number("clock_hz");
  object.finish();
  std::string key;
  const std::string fault = point_fault(sample.point, key);
  if (!fault.empty()) object.fail(key, fault);
  if (!(sample.seconds > 0) || sample.seconds > kLongestSampleSeconds)
    object.fail("seconds",
                fmt::format("seconds is {} ({}); expected over 0 and at most a day",
                            object.has("seconds") ? "out of range" : "missing", sample.seconds));
  if (repeats > INT32_MAX)
    object.fail("repeats",
                fmt::format("repeats is out of range ({}); expected below 2^31", repeats));
  sample.repeats = static_cast<std::int32_t>(repeats);
  return sample;
}

SampleFile read_samples(const std::string& path) {
  return read(path, false).file;
}

InterruptedSamples read_interrupted_samples(const std::string& path) {
  return read(path, true);
}

void write_samples(const std::string& path, const SampleFile& file) {
  std::string text = header_line(file.header) + "\n";
  WholeFile whole(path);
  for (const Sample& sample : file.samples) {
    text += sample_line(sample);
    text += '\n';
    if (text.size() < (std::size_t{1} << 18)) continue;
    whole.write(text);
    text.clear();
  }
  whole.write(text);
  whole.commit();
}

}  // namespace headway
