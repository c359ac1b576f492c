// Structured pruning: a model with fewer layers, heads or columns.
#pragma once

#include "models/architecture.hpp"

namespace headway {

/// Shares that are taken out of a model, each at least 0 and below 1.
struct Pruning {
  double layers = 0;
  double heads = 0;  // KV heads with the query heads that share them; of latent attention, heads
  double ffn = 0;    // columns of the MLP, and of every expert
  bool any() const { return layers > 0 || heads > 0 || ffn > 0; }
};

/// The model that is left, called "pruned …": a smaller one of the same kind, as an engine sees it
/// (LLM-Pruner, arXiv 2305.11627; Minitron, arXiv 2407.14679). Layers and KV heads are rounded to
/// whole ones, columns to multiples of 64, in which matrix units work; the width of the stream and
/// of a head, embeddings and experts stay. Layers with a window and dense layers of a mixture leave
/// in proportion, so that the kinds that there were remain. Throws ArchitectureError for a share
/// outside [0, 1), one that takes out nothing or leaves nothing, and one of what there is only one
/// of.
Architecture pruned(const Architecture& architecture, const Pruning& pruning);

}  // namespace headway
