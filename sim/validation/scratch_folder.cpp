#include "sim/validation/scratch_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "sim/scenario/input_error.hpp"

namespace headway {

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  std::string name = ((error ? "/tmp" : folder) / "headway-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw RunError(fmt::format("cannot make a folder {}: {}", name, std::strerror(errno)));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace headway
