// Seconds of the operators whose shapes follow from a number of tokens or of sequences, by that
// number.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/kernel_profiles.hpp"
#include "models/operators.hpp"
#include "models/placement.hpp"

namespace headway {

/// Seconds by what limited them and by where they come from.
struct PricedSeconds {
  double compute = 0, memory = 0, network = 0, launch = 0;
  double by_source[3] = {};  // by TimeSource
  double outside = 0;        // of any source: beyond the measured shapes

  double total() const { return compute + memory + network + launch; }
  /// Adds `count` times another's.
  void add(const PricedSeconds& other, double count);
  void add_source(double seconds, TimeSource source, bool inside) {
    by_source[static_cast<int>(source)] += seconds;
    if (!inside) outside += seconds;
  }
};

/// The operators of a placement but attention: measured, or from the roofline. Holds a reference:
/// the placement has to outlive it.
class OperatorTable {
 public:
  enum class Of {
    tokens,                  // list_token_operators
    tokens_but_projections,  // those without what a latent attention's measured times contain
    experts,                 // list_expert_operators
    head                     // list_head_operators
  };

  /// Prices every number up to `most`, 65,536 at most; larger ones when they are asked for.
  OperatorTable(const Placement& placement, const KernelProfiles& profiles, Of of,
                std::int64_t most);

  double total(std::int64_t count) const {
    const auto index = static_cast<std::size_t>(count);
    return index < totals_.size() ? totals_[index] : beyond(count).total();
  }
  PricedSeconds seconds(std::int64_t count) const {
    const auto index = static_cast<std::size_t>(count);
    return index < rows_.size() ? rows_[index] : beyond(count);
  }

 private:
  void list(std::int64_t count, std::vector<Operator>& operators) const;
  bool left_out(const Operator& op) const;
  PricedSeconds priced(std::int64_t count, std::vector<Operator>& operators) const;
  PricedSeconds beyond(std::int64_t count) const;
  void add(const Operator& op, const std::optional<ShapeTimes>& times, std::int64_t count,
           PricedSeconds* sum) const;
  /// The times of an operator in a step of so many tokens.
  const std::optional<ShapeTimes>& times_of(std::size_t op, std::int64_t count) const {
    return count > most_in_graphs_ && eager_[op] ? eager_[op] : times_[op];
  }

  const Placement& placement_;
  Of of_;
  bool experts_measured_ = false;
  std::int64_t most_in_graphs_;
  std::vector<std::optional<ShapeTimes>> times_;  // by operator
  std::vector<std::optional<ShapeTimes>> eager_;  // of those that take other times out of graphs
  std::vector<PricedSeconds> rows_;               // by count
  std::vector<double> totals_;                    // their sums apart, since every step reads them
};

}  // namespace headway
