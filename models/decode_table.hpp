// Times of decode attention by batch and context, kept so that a step finds its own in a few loads.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "models/axis.hpp"
#include "models/time_grid.hpp"

namespace headway {

/// A grid over batch and context, joined linearly, as one broken line over contexts a batch: level
/// below the first context of the grid, beyond the last along the last piece.
class DecodeTable {
 public:
  DecodeTable() = default;

  /// Lines of `grid`, times `factor`, for batches up to `most`, 2,048 at most; larger batches are
  /// made when they are asked for.
  DecodeTable(TimeGrid grid, double factor, std::int32_t most);

  /// A straight piece of a line: seconds = at_zero + slope · context.
  struct Piece {
    double at_zero = 0, slope = 0;
    double seconds(double context) const { return at_zero + slope * context; }
  };

  /// The line of one batch.
  class Line {
   public:
    Line(const DecodeTable& table, std::int64_t batch)
        : table_(table), first_(static_cast<std::size_t>(batch) * table.pieces_) {
      if (batch < 0 || first_ >= table.lines_.size()) [[unlikely]]
        make(batch);
    }

    /// Which piece a context lies on, the piece, and where it ends.
    std::size_t at(double context) const { return table_.contexts_.at_or_below(context); }
    const Piece& piece(std::size_t index) const {
      return own_.empty() ? table_.lines_[first_ + index] : own_[index].piece;
    }
    double end(std::size_t index) const {
      const std::vector<double>& points = table_.contexts_.points();
      return index < points.size() ? points[index] : std::numeric_limits<double>::infinity();
    }
    /// Whether measured points stand around the piece and the batch.
    bool measured(std::size_t index) const {
      return own_.empty() ? table_.measured_[first_ + index] != 0 : own_[index].measured;
    }
    double seconds(double context) const { return piece(at(context)).seconds(context); }

   private:
    void make(std::int64_t batch);

    struct Own {
      Piece piece;
      bool measured = false;
    };
    const DecodeTable& table_;
    std::size_t first_;
    std::vector<Own> own_;  // of a batch that the table does not have
  };

 private:
  template <class Add>
  void each_piece(double batch, Add add) const;

  TimeGrid grid_;
  double factor_ = 1;
  Axis contexts_;
  std::size_t pieces_ = 1;  // a line
  std::vector<Piece> lines_ = {Piece{}};
  std::vector<char> measured_ = {0};  // by piece
};

/// Looks contexts of one line up that grow from step to step: they stay on a piece for long.
class GrowingContext {
 public:
  explicit GrowingContext(const DecodeTable::Line& line) : line_(line) {}
  double seconds(double context) {
    if (!(context < end_)) [[unlikely]] {
      const std::size_t index = line_.at(context);
      piece_ = line_.piece(index);
      end_ = line_.end(index);
    }
    return piece_.seconds(context);
  }

 private:
  const DecodeTable::Line& line_;
  DecodeTable::Piece piece_;
  double end_ = -1;
};

}  // namespace headway
