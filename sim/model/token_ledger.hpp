// Where the KV entries of a replica's requests came from and went, counted exactly.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace headway {

/// In tokens: computed + hit = lost + delivered + held. Computed in steps, or hit in the prefix
/// cache at an admission; lost at preemptions and with cancelled requests, delivered with finished
/// requests (prompt and answer but the last token), held by running sequences.
struct TokenLedger {
  std::int64_t computed = 0, hit = 0, lost = 0, delivered = 0;

  /// Throws std::logic_error if the identity does not hold.
  void check(std::int64_t held) const {
    if (computed + hit != lost + delivered + held) {
      throw std::logic_error("tokens were lost or made: computed + hit ≠ lost + delivered + held");
    }
  }
};

}  // namespace headway
