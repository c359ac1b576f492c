#include "models/decode_table.hpp"

#include <algorithm>

namespace headway {
namespace {

constexpr std::int32_t kMostLines = 2048;

}  // namespace

/// Calls add(piece, measured) for the pieces of a batch in order of context.
template <class Add>
void DecodeTable::each_piece(double batch, Add add) const {
  const std::vector<double>& contexts = contexts_.points();
  double from = contexts.front();
  GridTime at = grid_.at(batch, from);
  add(Piece{factor_ * at.seconds, 0}, at.inside);
  for (std::size_t i = 1; i <= contexts.size(); ++i) {
    const bool last = i == contexts.size();
    const double to = last ? 2 * from + 1 : contexts[i];
    const GridTime next = grid_.at(batch, to);
    const double slope = factor_ * (next.seconds - at.seconds) / (to - from);
    add(Piece{factor_ * at.seconds - slope * from, slope}, at.inside && next.inside);
    from = to;
    at = next;
  }
}

DecodeTable::DecodeTable(TimeGrid grid, double factor, std::int32_t most)
    : grid_(std::move(grid)), factor_(factor), contexts_(grid_.axis(1)) {
  pieces_ = contexts_.points().size() + 1;
  lines_.clear();
  measured_.clear();
  for (std::int32_t batch = 0; batch <= std::min(most, kMostLines); ++batch) {
    each_piece(batch, [this](const Piece& piece, bool measured) {
      lines_.push_back(piece);
      measured_.push_back(measured);
    });
  }
}

void DecodeTable::Line::make(std::int64_t batch) {
  const auto sequences = static_cast<double>(std::max<std::int64_t>(0, batch));
  table_.each_piece(sequences, [this](const Piece& piece, bool measured) {
    own_.push_back({piece, measured});
  });
}

}  // namespace headway
