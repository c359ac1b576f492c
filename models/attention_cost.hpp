// Attention of one kind of layers, over all of them: seconds from a step's aggregates.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/kernel_profiles.hpp"
#include "models/placement.hpp"

namespace headway {

/// What a step asks of attention, a micro-batch at a time. Fractions are meant: means over chunks.
struct PrefillWork {
  double tokens = 0, pairs = 0, sequences = 0;
};
struct DecodeWork {
  std::int64_t sequences = 0;
  double context = 0;  // mean of the sequences'
  double longest = 0;
};

/// Where an estimate comes from, for reports.
struct EstimateSource {
  TimeSource source = TimeSource::roofline;
  bool outside = false;
};

/// Attention over `layers` layers that are alike: with full attention, or with a window. Latent
/// attention (MLA) that a profile covers includes its projections.
///
/// Prompts: the chunks of a step are taken as so many equal ones with the same tokens and the same
/// (query, key) pairs in all. Decodes: T(mean context) + α'·(T(longest) − T(mean)), with α' the
/// profile's α in a batch of up to one wave of KV heads and less beyond it; inside a step
/// with prompts dearer, as the profile says. Without a profile the roofline of the data sheet.
class AttentionCost {
 public:
  AttentionCost(const Placement& placement, const KernelProfiles& profiles, std::int32_t layers,
                std::int32_t window);

  /// Whether times contain the projections around attention.
  bool has_projections() const { return has_projections_; }

  double prefill(const PrefillWork& work) const;
  double decode(const DecodeWork& work) const;
  /// Decodes of consecutive steps with the same sequences; keeps where in the grid the last step's
  /// times were found, since the next one's are mostly there too. at() is decode().
  class Run {
   public:
    Run(const AttentionCost& cost, std::int64_t sequences);
    double at(double context, double longest) {
      if (!cost_.decode_) return cost_.by_roofline(sequences_, context);
      const double limit = cost_.reach_;
      const double mean = row(std::min(context, limit), &mean_);
      if (skew_ == 0 || longest <= context) return mean;
      return mean + skew_ * std::max(0.0, row(std::min(longest, limit), &longest_) - mean);
    }

   private:
    /// A straight piece of the times of this batch.
    struct Piece {
      double from = 0, to = 0;        // contexts
      double seconds = 0, slope = 0;  // at `from`, and from there on
    };
    double row(double context, Piece* piece) {
      if (context >= piece->from && context < piece->to) [[likely]] {
        return piece->seconds + piece->slope * (context - piece->from);
      }
      return find(context, piece);
    }
    double find(double context, Piece* piece) const;

    const AttentionCost& cost_;
    std::int64_t sequences_;
    double skew_;
    Piece mean_, longest_;
  };
  /// Decodes inside a step whose prompt chunks have `chunk` tokens together.
  double decode_beside(const DecodeWork& work, double chunk) const;

  EstimateSource prefill_source(const PrefillWork& work) const;
  EstimateSource decode_source(const DecodeWork& work) const;

 private:
  double skew(std::int64_t sequences) const;
  double by_roofline(std::int64_t sequences, double context) const;
  double prefill_of_grid(const PrefillWork& work) const;
  PrefillWork clipped(PrefillWork work) const;
  void fill_rows(std::int32_t sequences);
  void find_latent(const Placement& placement, const KernelProfiles& profiles);
  void find_grouped(const Placement& placement, const KernelProfiles& profiles,
                    std::int32_t window);
  void price_by_roofline(const Placement& placement);

  double layers_ = 0;
  double clip_ = 0;  // keys that a query reaches at most, 0 = all: a window without a profile
  double reach_ = std::numeric_limits<double>::infinity();  // the same of decodes over grids
  bool has_projections_ = false;
  bool windowed_ = false;  // the grids are those of the window itself
  std::optional<ShapeTimes> prefill_, chunk_, decode_, mixed_;
  double alpha_ = 0, kv_heads_ = 1;
  // Decode times by batch and context of the grid's knots, over all layers.
  std::vector<double> knots_, rows_;
  std::array<std::size_t, 65> first_above_{};  // first knot past the least number so many bits wide
  // Roofline, over all layers.
  double pair_ = 0, token_ = 0, context_ = 0, launch_ = 0;
};

}  // namespace headway
