// What a user can cause: one exception family, whose text is one message that needs nothing added.
#pragma once

#include <stdexcept>
#include <string>

namespace headway {

/// Wrong input: exit code 2. The text reads "file:line:column: what is wrong; what was expected".
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The environment failed: a full disk, a file that cannot be written, a limit. Exit code 3.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace headway
