// The version that `headway --version` and every result file name; CMakeLists.txt reads it here.
#pragma once

namespace headway {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace headway
