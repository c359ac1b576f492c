// The least loaded of a router's set, kept as loads change: at a thousand replicas a linear scan
// costs six times as much.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace headway {

/// A tournament tree: the least key stands at the root, a change walks up one path. Keys are
/// different from each other, so that the winner does not go by the history.
template <class Key>
class Tournament {
 public:
  /// For the numbers first … last. `nobody` is larger than every key.
  Tournament(std::uint32_t first, std::uint32_t last, const Key& nobody)
      : first_(first),
        leaves_(std::bit_ceil(last - first + 1)),
        nobody_(nobody),
        winners_(2 * std::size_t{leaves_}, nobody) {}

  void set(std::uint32_t number, const Key& key) {
    std::size_t node = leaves_ + std::size_t{number - first_};
    winners_[node] = key;
    for (node /= 2; node >= 1; node /= 2) {
      const Key &left = winners_[2 * node], &right = winners_[2 * node + 1];
      const Key winner = right < left ? right : left;
      if (winners_[node] == winner) break;
      winners_[node] = winner;
    }
  }
  void remove(std::uint32_t number) { set(number, nobody_); }
  /// The least key; `nobody` where there is none.
  const Key& least() const { return winners_[1]; }

 private:
  std::uint32_t first_;
  std::size_t leaves_;
  Key nobody_;
  std::vector<Key> winners_;  // a tree in an array: the children of n are 2n and 2n + 1
};

/// The order of the available replicas of a set by a key that is looked up when it is needed: of a
/// replica whose load has changed, once, however often it has changed.
template <class Key>
class LoadOrder {
 public:
  LoadOrder(std::uint32_t first, std::uint32_t last, const Key& nobody)
      : first_(first),
        tree_(first, last, nobody),
        available_(last - first + 1, false),
        marked_(last - first + 1, false) {}

  void on_available(std::uint32_t replica, bool available) {
    available_[replica - first_] = available;
    if (available) {
      on_change(replica);
    } else {
      tree_.remove(replica);
    }
  }
  void on_change(std::uint32_t replica) {
    if (marked_[replica - first_]) return;
    marked_[replica - first_] = true;
    changed_.push_back(replica);
  }
  /// The least of key_of(replica) over the available replicas.
  template <class KeyOf>
  const Key& least(KeyOf key_of) {
    for (const std::uint32_t replica : changed_) {
      marked_[replica - first_] = false;
      if (available_[replica - first_]) tree_.set(replica, key_of(replica));
    }
    changed_.clear();
    return tree_.least();
  }

 private:
  std::uint32_t first_;
  Tournament<Key> tree_;
  std::vector<bool> available_, marked_;
  std::vector<std::uint32_t> changed_;  // since the last look, each once
};

}  // namespace headway
