// Ctrl-C and its like as a question that a measurement asks between runs.
#pragma once

namespace headway {

/// While it lives, SIGINT, SIGTERM and SIGHUP are noted in place of ending the process; a second
/// one ends it.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static bool requested();
};

}  // namespace headway
