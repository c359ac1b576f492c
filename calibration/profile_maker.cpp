#include "calibration/profile_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "calibration/calibration_error.hpp"
#include "calibration/skew_fit.hpp"
#include "models/catalog.hpp"
#include "models/profile_shapes.hpp"
#include "models/rounded_up.hpp"

namespace headway {
namespace {

constexpr double kLeastSeconds = 5e-8;

const ProfileFamily* find(const std::vector<ProfileFamily>& families, const char* op) {
  for (const ProfileFamily& family : families) {
    if (family.op == op) return &family;
  }
  return nullptr;
}

/// From the time of a mixed kernel to what its decodes add to the prompt's own time.
void subtract_prefill(ProfileFamily& mixed, const ProfileFamily& chunk) {
  const std::vector<ProfileRow> rows = mixed.rows;
  mixed.rows.clear();
  for (ProfileRow row : rows) {
    const auto prompt =
        std::find_if(chunk.rows.begin(), chunk.rows.end(),
                     [&row](const ProfileRow& other) { return other.shape == row.shape; });
    if (prompt == chunk.rows.end()) continue;
    const TimeGrid alone = chunk.grid(prompt->seconds);
    const std::size_t plane = mixed.axes[1].size() * mixed.axes[2].size();
    for (std::size_t i = 0; i < row.seconds.size(); ++i) {
      if (std::isnan(row.seconds[i])) continue;
      const double prompt_seconds = alone.at(mixed.axes[0][i / plane], 0).seconds;
      row.seconds[i] = std::max(kLeastSeconds, row.seconds[i] - prompt_seconds);
    }
    mixed.rows.push_back(std::move(row));
  }
}

/// Contexts that were measured beside the shortest chunk alone: there the decodes' time beside
/// longer chunks is that, times what the longer chunk makes of it at the contexts around, joined
/// linearly.
void fill_contexts(ProfileFamily& mixed) {
  const std::vector<double>& contexts = mixed.axes[2];
  const std::size_t plane = mixed.axes[1].size() * contexts.size();
  for (ProfileRow& row : mixed.rows) {
    const std::vector<double> measured = row.seconds;
    for (std::size_t i = plane; i < measured.size(); ++i) {
      if (!std::isnan(measured[i]) || std::isnan(measured[i % plane])) continue;
      const std::size_t first = i - i % contexts.size(), end = first + contexts.size();
      const auto both = [&](std::size_t at) {
        return !std::isnan(measured[at]) && !std::isnan(measured[at % plane]);
      };
      std::size_t low = i, high = i;
      while (low > first && !both(low)) --low;
      while (high + 1 < end && !both(high)) ++high;
      if (!both(low) || !both(high)) continue;
      const double to_high = (contexts[i - first] - contexts[low - first]) /
                             (contexts[high - first] - contexts[low - first]);
      const double of_low = measured[low] / measured[low % plane];
      const double of_high = measured[high] / measured[high % plane];
      row.seconds[i] = measured[i % plane] * (of_low + to_high * (of_high - of_low));
    }
  }
}

/// The shape that the kernel multiplies: Marlin takes rows of 4-bit floats in multiples of 256 and
/// columns in multiples of 128, and vLLM pads to them (its mxfp4 layer).
ExpertShape as_multiplied(const std::string& kernel, const std::string& format, ExpertShape shape) {
  if (kernel != "marlin" || format != "mxfp4") return shape;
  shape.hidden = rounded_up(shape.hidden, 256);
  shape.inner = rounded_up(shape.inner, 128);
  return shape;
}

/// Experts with the kernel that the engine runs, see ProfileRequest::expert_kernel.
void run_experts_with(const std::string& kernel, const std::vector<Sample>& samples,
                      const std::string& format, ProfileFamily& family) {
  std::vector<Sample> of_kernel;
  for (const Sample& sample : samples) {
    if (sample.point.op == "moe" && sample.point.variant.find(kernel) != std::string::npos) {
      of_kernel.push_back(sample);
    }
  }
  const ProfileFamily known = make_family(of_kernel, "moe", format);
  for (ProfileRow& row : family.rows) {
    const ExpertShape shape{row.shape.at("hidden"), row.shape.at("inner"), row.shape.at("experts"),
                            row.shape.at("topk"), row.shape.at("expert_parallel")};
    const auto own = expert_times(known, shape);
    if (!own || own->source == TimeSource::profile) continue;
    const auto times = expert_times(known, as_multiplied(kernel, format, shape));
    if (!times) continue;
    const double all_touched =
        4.0 * static_cast<double>(shape.experts) / static_cast<double>(shape.topk);
    for (std::size_t i = 0; i < row.seconds.size(); ++i) {
      const double tokens = family.axes[0][i];
      if (tokens > all_touched) {  // NaN stays
        row.seconds[i] = std::max(row.seconds[i], times->grid.at(tokens).seconds);
      }
    }
  }
}

/// Takes the quantisation of the activations off every product: at each number of tokens what the
/// smallest shape takes beyond the same shape in bf16, which has none.
void take_off_quantisation(ProfileFamily& products, const ProfileFamily& bf16) {
  const auto smaller = [](const ProfileRow& a, const ProfileRow& b) {
    return a.shape.at("n") * a.shape.at("k") < b.shape.at("n") * b.shape.at("k");
  };
  if (products.rows.empty() || bf16.rows.empty()) return;
  const ProfileRow smallest =
      *std::min_element(products.rows.begin(), products.rows.end(), smaller);
  const auto same =
      std::find_if(bf16.rows.begin(), bf16.rows.end(),
                   [&smallest](const ProfileRow& row) { return row.shape == smallest.shape; });
  if (same == bf16.rows.end()) return;
  const TimeGrid with = products.grid(smallest.seconds), without = bf16.grid(same->seconds);
  constexpr double kLeastShare = 0.2;  // of a product's time that is the product's own
  for (ProfileRow& row : products.rows) {
    for (std::size_t i = 0; i < row.seconds.size(); ++i) {
      const double tokens = products.axes[0][i];
      const double quantisation =
          std::max(0.0, with.at(tokens).seconds - without.at(tokens).seconds);
      row.seconds[i] = std::max(kLeastShare * row.seconds[i], row.seconds[i] - quantisation);
    }
  }
}

constexpr double kCacheBytes = 4e8;  // more than any cache holds

/// Whether decode attention read its KV cache faster than the data sheet's memory can: then the
/// measurement found the cache in a cache, and tells nothing.
bool beats_data_sheet(const ProfileFamily& decode, const std::string& format,
                      double bytes_per_second) {
  for (const ProfileRow& row : decode.rows) {
    const double token = 2 * format_bytes(format) * static_cast<double>(row.shape.at("kv_heads")) *
                         static_cast<double>(row.shape.at("head_dim"));
    if (row.shape.at("window") > 0) continue;
    std::size_t i = 0;
    for (const double batch : decode.axes[0]) {
      for (const double context : decode.axes[1]) {
        const double seconds = row.seconds[i++], bytes = token * batch * context;
        if (bytes > kCacheBytes && seconds * bytes_per_second < bytes) return true;
      }
    }
  }
  return false;
}

double memory_rate(const std::vector<SampleFile>& files) {
  const std::string& name = files.front().header.gpu;
  const std::vector<std::string> names = gpu_names();
  const bool known = std::find(names.begin(), names.end(), name) != names.end();
  return known ? load_gpu(name).hbm_bytes_per_second : std::numeric_limits<double>::infinity();
}

constexpr const char* kOperators[] = {"gemm",
                                      "attention_prefill",
                                      "attention_chunk",
                                      "attention_decode",
                                      "attention_mixed",
                                      "norm",
                                      "activation",
                                      "rotary",
                                      "embedding",
                                      "sampler",
                                      "moe",
                                      "mla_prefill",
                                      "mla_decode",
                                      "all_reduce",
                                      "all_reduce_eager",
                                      "all_gather",
                                      "reduce_scatter",
                                      "all_to_all",
                                      "copy"};

}  // namespace

Profile make_profile(const std::vector<SampleFile>& files, const ProfileRequest& request) {
  Profile profile;
  profile.gpu = request.gpu;
  profile.engine = request.engine;
  profile.format = request.format;
  profile.date = request.date;
  profile.unsplit = request.unsplit;
  std::vector<Sample> samples;
  for (const SampleFile& file : files) {
    samples.insert(samples.end(), file.samples.begin(), file.samples.end());
    if (profile.source.find(file.header.source) == std::string::npos) {
      profile.source += (profile.source.empty() ? "" : "; ") + file.header.source;
    }
  }
  const double rate = memory_rate(files);
  for (const char* op : kOperators) {
    ProfileFamily family = make_family(samples, op, request.format);
    if (family.rows.empty()) continue;
    if (family.op == "attention_decode" && beats_data_sheet(family, request.format, rate)) {
      profile.source += "; attention_decode left out: it beats the memory of the data sheet";
      continue;
    }
    if (family.op == "gemm" && request.fused_quantisation && request.format != "bf16") {
      take_off_quantisation(family, make_family(samples, "gemm", "bf16"));
      profile.source += "; gemm without the quantisation of activations";
    }
    if (family.op == "moe" && !request.expert_kernel.empty()) {
      ProfileFamily measured = family;
      measured.op = "moe_as_measured";
      profile.families.push_back(std::move(measured));
      run_experts_with(request.expert_kernel, samples, request.format, family);
      profile.source += "; experts with " + request.expert_kernel;
    }
    profile.families.push_back(std::move(family));
  }
  if (profile.families.empty()) {
    throw SampleError(fmt::format(
        "the samples have nothing in {}; expected a format that they have", request.format));
  }
  // A chunk after a prefix tells more than prompts without one, where both are there.
  const ProfileFamily* chunk = find(profile.families, "attention_chunk");
  if (chunk != nullptr && chunk->axes[1].size() < 2) {
    profile.families.erase(profile.families.begin() + (chunk - profile.families.data()));
    chunk = nullptr;
  }
  if (chunk != nullptr) {
    const auto prefill =
        std::find_if(profile.families.begin(), profile.families.end(),
                     [](const ProfileFamily& family) { return family.op == "attention_prefill"; });
    if (prefill != profile.families.end() && prefill->axes[0].size() < 2) {
      profile.families.erase(prefill);
    }
  }
  const ProfileFamily* decode = find(profile.families, "attention_decode");
  const auto skew = decode != nullptr ? fit_skew(samples, *decode, request.format) : std::nullopt;
  profile.skew = request.skew.value_or(skew ? skew->alpha : 0);
  const auto mixed =
      std::find_if(profile.families.begin(), profile.families.end(),
                   [](const ProfileFamily& family) { return family.op == "attention_mixed"; });
  chunk = find(profile.families, "attention_chunk");
  if (mixed != profile.families.end() && chunk != nullptr) {
    subtract_prefill(*mixed, *chunk);
    fill_contexts(*mixed);
  }
  for (const ProfileFamily& family : profile.families) {
    if (family.op == "moe_as_measured") continue;
    const HeldOutError error = held_out_error(family, request.format);
    if (error.count > 0) profile.held_out.push_back(error);
  }
  if (skew && !request.skew) profile.held_out.push_back(skew->held_out);
  return profile;
}

}  // namespace headway
