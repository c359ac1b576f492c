// Attention of one kind of layers, over all of them: seconds from a step's aggregates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "models/decode_table.hpp"
#include "models/kernel_profiles.hpp"
#include "models/placement.hpp"
#include "models/rounded_up.hpp"
#include "models/skew.hpp"

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

/// Attention over `layers` layers that are alike: with full attention, or with a window. Latent
/// attention (MLA) that a profile covers includes its projections.
///
/// Prompts: the chunks of a step are taken as so many equal ones with the same tokens and the same
/// (query, key) pairs in all. Decodes: T(mean context) + α'·(T(longest) − T(mean)), with α' the
/// profile's α. Where the profile's kernel does not split keys and was timed inside mixed batches,
/// which it does not split either, at least T(mean) and what a sequence alone takes for the rest of
/// the longest (models/skew.hpp). Inside a step with prompts dearer, as the profile says. Without a
/// profile the roofline of the data sheet.
class AttentionCost {
 public:
  AttentionCost(const Placement& placement, const KernelProfiles& profiles, std::int32_t layers,
                std::int32_t window);

  /// Whether times contain the projections around attention.
  bool has_projections() const { return has_projections_; }

  /// Seconds, and whether measured points stand around them (true where none were measured at all).
  GridTime prefill(const PrefillWork& work) const;
  GridTime decode(const DecodeWork& work) const;
  /// Decodes inside a step with these prompts.
  GridTime decode_beside(const DecodeWork& work, const PrefillWork& prompts) const;

  /// Decodes while their mean and their longest context each stay on one straight piece of the
  /// table: below the ends.
  struct Stretch {
    DecodeTable::Piece mean, longest;
    double mean_end = 0, longest_end = 0, alpha = 0;
    bool holds(double context, double most) const {
      return context < mean_end && most < longest_end;
    }
    double seconds(double context, double most) const {
      const double level = mean.seconds(context);
      const double uneven = alpha * std::max(0.0, longest.seconds(most) - level);
      return most > context ? level + uneven : level;
    }
  };
  /// Decodes of consecutive steps with the same sequences, which are > 0.
  class Run {
   public:
    Run(const AttentionCost& cost, std::int64_t sequences)
        : cost_(cost),
          sequences_(static_cast<double>(sequences)),
          line_(cost.table_, cost.decode_ ? sequences : 0),
          mean_(line_),
          longest_(line_),
          alone_(cost.alone_, cost.unsplit_ > 0 ? 1 : 0),
          read_(alone_),
          whole_(alone_),
          waves_(cost.waves_of(sequences_)) {}
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;
    /// Whether stretches tell all: measured, of whole contexts, with split keys.
    bool straight() const {
      return cost_.decode_ && waves_ == 0 &&
             cost_.reach_ == std::numeric_limits<double>::infinity();
    }
    /// From these contexts on, where straight(): holds at least for them; its seconds are those of
    /// at().
    Stretch stretch(double context, double longest) const {
      const std::size_t mean = line_.at(context), most = line_.at(longest);
      return {line_.piece(mean), line_.piece(most), line_.end(mean), line_.end(most), cost_.alpha_};
    }
    /// The seconds of decode(), bit for bit. Contexts may not fall from call to call.
    double at(double context, double longest) {
      if (!cost_.decode_) return cost_.by_roofline(sequences_, context);
      const double limit = cost_.reach_;
      const double mean = mean_.seconds(std::min(context, limit));
      if (cost_.alpha_ == 0 || longest <= context) return mean;
      const double reached = std::min(longest, limit);
      const double uneven = cost_.alpha_ * std::max(0.0, longest_.seconds(reached) - mean);
      if (waves_ == 0) return mean + uneven;
      const double read = read_.seconds(std::min(waves_ * context, reached));
      return mean + std::max(uneven, whole_.seconds(reached) - read);
    }

   private:
    const AttentionCost& cost_;
    double sequences_;
    DecodeTable::Line line_;
    GrowingContext mean_, longest_;
    DecodeTable::Line alone_;
    GrowingContext read_, whole_;
    double waves_;
  };

  /// Where the times of prompts and of decodes come from.
  TimeSource prefill_source() const { return prefill_source_; }
  TimeSource decode_source() const { return decode_source_; }

  /// Whether arithmetic limits decodes by the roofline, as it does where all heads share a latent;
  /// else memory does.
  bool decodes_compute() const { return decodes_compute_; }

 private:
  double by_roofline(double sequences, double context) const {
    const double reached = clip_ > 0 ? std::min(context, clip_) : context;
    return launch_ + context_ * reached * sequences;
  }
  /// waves() of so many decodes; 0 where their keys are split. The kernel that a CUDA graph holds
  /// was chosen for all sequences that it has room for.
  double waves_of(double sequences) const {
    if (unsplit_ == 0) return 0;
    const auto count = static_cast<std::int64_t>(sequences);
    const std::int32_t multiple = graph_sequences_multiple_;  // 1, 2, 4 before it
    const std::int64_t room = multiple == 1 || count < 3 ? count
                              : count < 5                ? 4
                                                         : rounded_up(count, multiple);
    return kv_heads_ * static_cast<double>(room) >= unsplit_
               ? waves(kv_heads_ * sequences, unsplit_)
               : 0;
  }
  double rest_of_longest(double waves, double context, double longest) const;
  GridTime prefill_of_chunks(const PrefillWork& work) const;
  GridTime prefill_of_batch(const PrefillWork& work) const;
  void find_latent(const Placement& placement, const KernelProfiles& profiles);
  void find_grouped(const Placement& placement, const KernelProfiles& profiles,
                    std::int32_t window);
  void price_by_roofline(const Placement& placement);
  void fill(const Placement& placement);

  double layers_ = 0;
  double clip_ = 0;  // keys that a query reaches at most, 0 = all: a window without a profile
  double reach_ = std::numeric_limits<double>::infinity();  // the same of decodes over grids
  bool has_projections_ = false;
  bool decodes_compute_ = false;
  bool windowed_ = false;  // the grids are those of the window itself
  std::optional<ShapeTimes> prefill_, chunk_, decode_, mixed_;
  TimeSource prefill_source_ = TimeSource::roofline, decode_source_ = TimeSource::roofline;
  double alpha_ = 0, kv_heads_ = 1;
  double floor_ = 0;  // of the shortest prompt, over one layer
  std::int32_t graph_sequences_multiple_ = 1;
  double unsplit_ = 0;  // decodes × KV heads, 0: keys are split or alone_ is not known
  DecodeTable table_;
  DecodeTable alone_;  // a sequence whose keys are not split
  // Roofline, over all layers.
  double pair_ = 0, token_ = 0, context_ = 0, launch_ = 0;
};

}  // namespace headway
