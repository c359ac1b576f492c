#include "models/kernel_profiles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "models/catalog.hpp"

namespace headway {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> folders_in(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (at->is_directory(error)) names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// "vllm" of "vllm-0.19.0".
std::string family_of(const std::string& engine) {
  return engine.substr(0, engine.find('-'));
}

/// 0.19.2 as 19.002: major releases count a thousand minor ones.
double version_of(const std::string& engine) {
  std::array<double, 3> parts{};
  std::size_t at = engine.find('-');
  for (double& part : parts) {
    if (at == std::string::npos || at + 1 >= engine.size()) break;
    part = std::atof(engine.c_str() + at + 1);
    part = std::floor(part);
    at = engine.find('.', at + 1);
  }
  return parts[0] * 1000 + parts[1] + parts[2] / 1000;
}

}  // namespace

bool FoundFamily::of_engine(std::string_view engine) const {
  return named || family_of(profile->head().engine) == family_of(std::string(engine));
}

bool runs_known_kernels(const Engine& engine) {
  const std::vector<std::string> known = engine_names();
  return std::any_of(known.begin(), known.end(), [&engine](const std::string& name) {
    return family_of(name) == family_of(engine.kernels_of());
  });
}

KernelProfiles::KernelProfiles(const Gpu& gpu, const Engine& engine,
                               const std::vector<std::string>& files)
    : of_catalog_(true) {
  for (const std::string& file : files) {
    named_.push_back(std::make_unique<ProfileFile>(file));
  }
  const fs::path root = fs::path(catalog_directory()) / "profiles";
  // "h100-sxm" is the folder of "h100-sxm-80gb": the longest that the name starts with.
  std::string best;
  for (const std::string& folder : folders_in(root)) {
    if (profile_is_for(folder, gpu.name) && folder.size() > best.size()) best = folder;
  }
  if (best.empty()) return;
  std::vector<std::string> engines = folders_in(root / best);
  const double version = version_of(engine.kernels_of());
  const auto rank = [&](const std::string& name) {
    return std::pair(family_of(name) != family_of(engine.kernels_of()),
                     std::abs(version_of(name) - version));
  };
  std::stable_sort(engines.begin(), engines.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  for (const std::string& name : engines) folders_.push_back((root / best / name).string());
}

const ProfileFile* KernelProfiles::load(const std::string& folder,
                                        const std::string& format) const {
  const std::string path = (fs::path(folder) / (format + ".json")).string();
  const auto known = loaded_.find(path);
  if (known != loaded_.end()) return known->second.get();
  std::unique_ptr<ProfileFile>& slot = loaded_[path];
  std::error_code error;
  if (fs::exists(path, error)) slot = std::make_unique<ProfileFile>(path);
  return slot.get();
}

FoundFamily KernelProfiles::find(std::string_view op, const std::string& format) const {
  const auto answer = [this, op](const ProfileFile& profile) -> FoundFamily {
    const ProfileFamily* family = profile.find(op);
    if (family == nullptr || family->rows.empty()) return {};
    const std::string name = profile.head().engine + " " + profile.head().format;
    if (std::find(used_.begin(), used_.end(), name) == used_.end()) used_.push_back(name);
    return {family, &profile};
  };
  for (const auto& profile : named_) {
    if (profile->head().format != format) continue;
    FoundFamily found = answer(*profile);
    found.named = true;
    if (found) return found;
  }
  for (const std::string& folder : folders_) {
    const ProfileFile* profile = load(folder, format);
    if (profile == nullptr) continue;
    if (const FoundFamily found = answer(*profile)) return found;
  }
  return {};
}

FoundFamily KernelProfiles::find_in(const std::string& card, std::string_view op,
                                    const std::string& format) const {
  if (!of_catalog_) return {};
  const fs::path folder = fs::path(catalog_directory()) / "profiles" / card;
  for (const std::string& engine : folders_in(folder)) {
    const ProfileFile* profile = load((folder / engine).string(), format);
    const ProfileFamily* family = profile == nullptr ? nullptr : profile->find(op);
    if (family != nullptr && !family->rows.empty()) return {family, profile};
  }
  return {};
}

FoundFamily KernelProfiles::find_elsewhere(std::string_view op, const std::string& format,
                                           std::string* gpu) const {
  const std::vector<std::string> cards = folders_in(fs::path(catalog_directory()) / "profiles");
  for (auto card = cards.rbegin(); card != cards.rend(); ++card) {
    const FoundFamily found = find_in(*card, op, format);
    if (!found) continue;
    for (const std::string& name : gpu_names()) {
      if (!name.starts_with(*card)) continue;
      *gpu = name;
      return found;
    }
  }
  return {};
}

KernelProfiles::Skew KernelProfiles::skew(const std::string& format) const {
  const auto of = [](const ProfileFile& profile) {
    return Skew{profile.head().skew, profile.head().unsplit};
  };
  for (const auto& profile : named_) {
    if (profile->head().format == format) return of(*profile);
  }
  for (const std::string& folder : folders_) {
    if (const ProfileFile* profile = load(folder, format)) return of(*profile);
  }
  return {};
}

}  // namespace headway
