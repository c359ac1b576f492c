#include "sim/validation/engine_fit_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "models/catalog.hpp"
#include "models/units.hpp"

namespace headway {
namespace {

/// An entry of the file: its first line, and those up to the next entry.
struct Entry {
  std::string key;  // empty: lines before the first entry
  std::string text;
};

std::vector<Entry> entries_of(const std::string& text) {
  std::vector<Entry> entries(1);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && line.find_first_of(" \t#-%'\"") > colon)
      entries.push_back({line.substr(0, colon), ""});
    entries.back().text += line;
    if (!entries.back().text.ends_with('\n')) entries.back().text += '\n';
    at = end;
  }
  return entries;
}

/// Replaces the entry, or puts it before the entry `before`.
void set_entry(std::vector<Entry>& entries, const std::string& key, const std::string& text,
               const char* before) {
  const auto named = [&](const std::string& name) {
    return std::find_if(entries.begin(), entries.end(),
                        [&](const Entry& one) { return one.key == name; });
  };
  if (const auto found = named(key); found != entries.end())
    found->text = text;
  else
    entries.insert(named(before), {key, text});
}

/// The comment at the end of the entry's first line, with what stands before it.
std::string comment_of(const std::vector<Entry>& entries, const std::string& key) {
  for (const Entry& one : entries) {
    if (one.key != key) continue;
    const std::string line = one.text.substr(0, one.text.find('\n'));
    const std::size_t at = line.find(" #");
    if (at != std::string::npos) return "  " + line.substr(at);
  }
  return "";
}

/// The text as a folded scalar, at most 100 columns wide.
std::string folded(const std::string& text) {
  std::string lines, line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t first = text.find_first_not_of(" \t\r\n", at);
    if (first == std::string::npos) break;
    at = std::min(text.find_first_of(" \t\r\n", first), text.size());
    const std::string word = text.substr(first, at - first);
    if (!line.empty() && line.size() + 1 + word.size() > 98) {
      lines += "  " + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return ">-\n" + lines + "  " + line + "\n";
}

std::string provenance(const EngineFit& fit) {
  std::vector<std::string> estimates, ids, sources;
  for (std::size_t p = 0; p < kEngineConstants; ++p)
    if (fit.fit.parameters[p].told == Told::yes) estimates.emplace_back(engine_constants()[p].key);
  for (const RowCase& one : fit.after) {
    ids.push_back(one.row.id);
    if (!one.row.source.empty() &&
        std::find(sources.begin(), sources.end(), one.row.source) == sources.end())
      sources.push_back(one.row.source);
  }
  return fmt::format(
      "Fitted by headway engine fit: {}, on {}{}; the other figures are those of {}.",
      fmt::join(estimates, ", "), fmt::join(ids, ", "),
      sources.empty() ? "" : fmt::format(" ({})", fmt::join(sources, "; ")), fit.base.name);
}

}  // namespace

std::string fitted_engine_text(const std::string& base_text, const EngineFit& fit) {
  std::vector<Entry> entries = entries_of(base_text);
  const std::vector<std::string> catalogue = engine_names();
  if (fit.base.kernels.empty() &&
      std::find(catalogue.begin(), catalogue.end(), fit.base.name) != catalogue.end())
    set_entry(entries, "kernels", fmt::format("kernels: {}\n", fit.base.name), "step_overhead");
  for (std::size_t p = 0; p < kEngineConstants; ++p) {
    const std::string key = engine_constants()[p].key;
    const FittedParameter& one = fit.fit.parameters[p];
    if (one.told != Told::yes) continue;
    set_entry(entries, key,
              fmt::format("{}: {}{}\n", key, format_quantity(one.value, Dimension::time),
                          comment_of(entries, key)),
              "request_overhead");
  }
  std::vector<std::string> ids;
  for (const RowCase& one : fit.after) ids.push_back(one.row.id);
  set_entry(entries, "fitted_on", fmt::format("fitted_on: [{}]\n", fmt::join(ids, ", ")), "source");
  set_entry(entries, "source", "source: " + folded(fit.base.source + " " + provenance(fit)),
            "source");
  std::string text;
  for (const Entry& one : entries) text += one.text;
  return text;
}

}  // namespace headway
