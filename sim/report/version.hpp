// The version that `headway --version` and every result file name; that of project() in
// CMakeLists.txt.
#pragma once

namespace headway {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace headway
