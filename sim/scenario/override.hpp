// --set path=value: any value of a scenario, from the command line.
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/document.hpp"
#include "sim/scenario/schema.hpp"

namespace headway {

/// Writes the values of `overrides` ("fleet.main.replicas=8") into the document, in order, before
/// it is read. A path is made of keys; items of workload and fleet go by their names, of other
/// lists by their numbers from 0. A key that is absent is created; naming one member of a one-of
/// (workload.chat.arrivals.poisson.rate='20 /s') replaces the others. The value is YAML. Throws
/// InputError that names the --set argument, with the nearest valid word.
void apply_overrides(Document& document, const Schema& schema,
                     const std::vector<std::string>& overrides);

}  // namespace headway
