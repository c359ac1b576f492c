// The profiles that tell operator times of one GPU: which files, in which order.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/engine.hpp"
#include "models/hardware.hpp"
#include "models/profile_file.hpp"
#include "models/profile_shapes.hpp"

namespace headway {

/// A family with the profile that it stands in.
struct FoundFamily {
  const ProfileFamily* family = nullptr;
  const ProfileFile* profile = nullptr;
  bool named = false;  // in a file that the user named
  explicit operator bool() const { return family != nullptr; }
  /// Whether the profile is of that engine, in whichever version: "vllm-0.19" of "vllm-0.24.0". One
  /// that the user named is of every engine.
  bool of_engine(std::string_view engine) const;
};

/// Whether the catalogue knows whose kernels the engine runs: not of a user's own file that names
/// none.
bool runs_known_kernels(const Engine& engine);

/// Looks operators up in the profiles of a GPU: those that the user names first; then those of the
/// catalogue, profiles/GPU/ENGINE-VERSION/FORMAT.json: of the engine's kernels the version nearest
/// to its own, then its other versions, then other engines'. A file is read when it is first asked
/// for, of it the families that are wanted. Not for several threads at once.
class KernelProfiles {
 public:
  /// None at all, of no card.
  KernelProfiles() = default;
  KernelProfiles(const Gpu& gpu, const Engine& engine, const std::vector<std::string>& files);

  /// The family of an operator in a format from the first profile that has it.
  FoundFamily find(std::string_view op, const std::string& format) const;

  /// The same from the profiles of the GPU whose folder has this name.
  FoundFamily find_in(const std::string& card, std::string_view op,
                      const std::string& format) const;

  /// The same from the profiles of other GPUs of the catalogue, with the GPU's name there; for what
  /// is scaled from one card to another. The folders' names in order from the last: newer first.
  FoundFamily find_elsewhere(std::string_view op, const std::string& format,
                             std::string* gpu) const;

  /// What unequal contexts cost, of the first profile in this format; zeros where there is none.
  struct Skew {
    double alpha = 0;          // Profile::skew
    std::int64_t unsplit = 0;  // Profile::unsplit
  };
  Skew skew(const std::string& format) const;

  /// The profiles that find() answered from, by name, in the order of first use: "vllm-0.19.0
  /// bf16".
  const std::vector<std::string>& used() const { return used_; }

 private:
  const ProfileFile* load(const std::string& folder, const std::string& format) const;

  bool of_catalog_ = false;  // profiles of other cards can be asked for
  std::vector<std::unique_ptr<ProfileFile>> named_;
  std::vector<std::string> folders_;
  mutable std::map<std::string, std::unique_ptr<ProfileFile>>
      loaded_;  // by path; null: no such file
  mutable std::vector<std::string> used_;
};

}  // namespace headway
