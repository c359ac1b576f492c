// The catalogue: GPUs, models, engines and prices that are known by name. One YAML file an entry,
// in the folder models/catalog.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/architecture.hpp"
#include "models/engine.hpp"
#include "models/hardware.hpp"
#include "models/model_error.hpp"

namespace headway {

/// Folder of the catalogue: the environment's HEADWAY_CATALOG; else share/headway/catalog of the
/// prefix that the running program is installed in; else the source tree's models/catalog. Throws
/// CatalogError when none of them is a folder.
std::string catalog_directory();

/// Names of the entries, sorted; without aliases.
std::vector<std::string> gpu_names();
std::vector<std::string> model_names();
std::vector<std::string> engine_names();

/// The entry of that name; GPUs also by their aliases ("h100"). Throws CatalogError with the
/// nearest name when there is none, or when the entry's file is wrong (file, line, column, what was
/// expected).
Gpu load_gpu(const std::string& name);

/// A catalogue name, or a path to an engine's file (a text that ends with ".yaml" or has a '/').
/// Throws CatalogError as load_gpu.
Engine load_engine(const std::string& name_or_path);
/// The file that load_engine reads.
std::string engine_file(const std::string& name_or_path);

/// A catalogue name, or a path to a config.json (a text that ends with ".json" or has a '/').
/// Throws CatalogError or ArchitectureError.
Architecture load_model(const std::string& name_or_path);

/// A list price of a GPU, for scenarios that name none.
struct GpuPrice {
  double usd_per_gpu_hour = 0;
  std::string date;  // "2025-03": prices fall, so a price has a date
  std::string source;
};

/// Price of a GPU by name or alias; nothing where the catalogue has none. Throws CatalogError for
/// an unknown GPU or a wrong file.
std::optional<GpuPrice> load_price(const std::string& gpu_name);

}  // namespace headway
