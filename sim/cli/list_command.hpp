// headway list
#pragma once

#include <string>
#include <vector>

namespace headway {

/// "gpus", "models", …: what `headway list` can list.
std::vector<std::string> list_topics();

/// The list of a topic; the topics themselves for "". Throws InputError for an unknown topic, with
/// the nearest one.
std::string list_text(const std::string& topic);

}  // namespace headway
