// Reading of profiles: the head of a file, and its families when they are asked for.
#include "models/profile_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "models/json_reader.hpp"
#include "models/model_error.hpp"

namespace headway {
namespace {

constexpr double kMicroseconds = 1e-6;
constexpr std::int64_t kLargestSize = 1'000'000'000'000;
constexpr double kLargestPoint = 1e15;     // of an axis
constexpr double kLargestWhole = 9e15;     // that a double tells from the next
constexpr std::size_t kFirstBytes = 4096;  // in which the lines before the families stand

[[noreturn]] void fail(const std::string& where, const std::string& expected) {
  throw CatalogError(fmt::format("{}: expected {}", where, expected));
}

/// Calls read(), whose text stands at `where`.
template <class Read>
auto at_place(const std::string& where, Read read) {
  try {
    return read();
  } catch (const JsonError& error) {
    throw CatalogError(fmt::format("{}: {}; expected a profile in JSON", where, error.what()));
  }
}

/// Reads the values of fields by name; every error names the file and the field.
class Fields {
 public:
  Fields(JsonReader& reader, const std::string& where) : reader_(reader), where_(where) {}

  std::string text(std::string_view key) const {
    if (reader_.next() != JsonReader::Kind::text) {
      fail(where_, fmt::format("a text as \"{}\"", key));
    }
    return reader_.text();
  }
  double number(std::string_view key, double least, double most) const {
    const bool comes = reader_.next() == JsonReader::Kind::number;
    const double number = comes ? reader_.number() : least - 1;
    if (!(number >= least && number <= most)) {
      fail(where_, fmt::format("a number from {} to {} as \"{}\"", least, most, key));
    }
    return number;
  }
  std::int64_t whole_number(std::string_view key, double least, double most) const {
    const double value = number(key, least, most);
    if (value != std::floor(value)) {
      fail(where_, fmt::format("a whole number as \"{}\" (found {})", key, value));
    }
    return static_cast<std::int64_t>(value);
  }
  /// The text of a list or of an object.
  std::string_view whole(std::string_view key, JsonReader::Kind kind) const {
    if (reader_.next() != kind) {
      fail(where_, fmt::format("{} as \"{}\"",
                               kind == JsonReader::Kind::array ? "a list" : "an object", key));
    }
    return reader_.skip();
  }

 private:
  JsonReader& reader_;
  const std::string& where_;
};

HeldOutError read_held_out(JsonReader& reader, const std::string& where) {
  const Fields fields(reader, where);
  HeldOutError error;
  reader.object([&](std::string_view key) {
    if (key == "op") {
      error.op = fields.text(key);
    } else if (key == "count") {
      error.count = fields.whole_number(key, 0, 1e9);
    } else if (key == "mean") {
      error.mean = fields.number(key, 0, 1e6);
    } else if (key == "median") {
      error.median = fields.number(key, 0, 1e6);
    } else {
      reader.skip();
    }
  });
  return error;
}

/// What a family of an operator has: its axes in order, and the sizes of a row.
struct FamilyForm {
  const char* op;
  std::vector<std::string> axes, sizes;
};

const FamilyForm* form_of(const std::string& op) {
  const std::vector<std::string> heads = {"heads", "kv_heads", "head_dim", "window"};
  const std::vector<std::string> experts = {"hidden", "inner", "experts", "topk",
                                            "expert_parallel"};
  static const std::vector<FamilyForm> kForms = {
      {"gemm", {"m"}, {"n", "k"}},
      {"attention_prefill", {"batch", "length"}, heads},
      {"attention_chunk", {"chunk", "prefix"}, heads},
      {"attention_decode", {"batch", "context"}, heads},
      {"attention_mixed", {"chunk", "batch", "context"}, heads},
      {"norm", {"bytes"}, {}},
      {"activation", {"bytes"}, {}},
      {"rotary", {"bytes"}, {}},
      {"embedding", {"bytes"}, {}},
      {"sampler", {"batch"}, {"width"}},
      {"moe", {"tokens"}, experts},
      {"moe_as_measured", {"tokens"}, experts},
      {"mla_prefill", {"batch", "length"}, {"heads"}},
      {"mla_decode", {"batch", "context"}, {"heads"}},
      {"all_reduce", {"bytes"}, {"gpus"}},
      {"all_reduce_eager", {"bytes"}, {"gpus"}},
      {"all_gather", {"bytes"}, {"gpus"}},
      {"reduce_scatter", {"bytes"}, {"gpus"}},
      {"all_to_all", {"bytes"}, {"gpus"}},
      {"copy", {"bytes"}, {}}};
  for (const FamilyForm& form : kForms) {
    if (op == form.op) return &form;
  }
  return nullptr;
}

std::vector<double> read_axis(JsonReader& reader, const std::string& where) {
  if (reader.next() != JsonReader::Kind::array) fail(where, "a list of numbers an axis");
  std::vector<double> axis;
  reader.array([&] {
    if (reader.next() != JsonReader::Kind::number) fail(where, "a list of numbers an axis");
    axis.push_back(reader.number());
  });
  if (axis.empty()) fail(where, "a list of numbers an axis");
  if (!(axis.front() >= 0) || !(axis.back() <= kLargestPoint) ||
      std::adjacent_find(axis.begin(), axis.end(), std::greater_equal<>()) != axis.end()) {
    fail(where, "axes that ascend from 0 or more to 10^15 at most");
  }
  return axis;
}

void read_times(JsonReader& reader, std::vector<double>& seconds, const std::string& where) {
  reader.array([&] {
    if (reader.null()) {
      seconds.push_back(std::numeric_limits<double>::quiet_NaN());
      return;
    }
    const double us = reader.number();
    if (!(us >= 1e-6 && us < 1e12)) fail(where, "times from 10^-6 us to 10^12 us, or null");
    seconds.push_back(us * kMicroseconds);
  });
}

ProfileRow read_row(JsonReader& reader, std::size_t points, const std::string& where) {
  const Fields fields(reader, where);
  ProfileRow row;
  row.seconds.reserve(points);
  reader.object([&](std::string_view key) {
    if (key == "us") return read_times(reader, row.seconds, where);
    row.shape[std::string(key)] = fields.whole_number(key, -kLargestWhole, kLargestWhole);
  });
  if (row.seconds.size() != points) {
    fail(where, fmt::format("{} times, not {}", points, row.seconds.size()));
  }
  return row;
}

void check_row(const ProfileRow& row, const FamilyForm& form, const std::string& where) {
  for (const std::string& size : form.sizes) {
    const auto found = row.shape.find(size);
    const std::int64_t least = size == "window" ? 0 : 1;
    if (found == row.shape.end() || found->second < least || found->second > kLargestSize) {
      fail(where, fmt::format("a \"{}\" of at least {} in every row", size, least));
    }
  }
  if (std::all_of(row.seconds.begin(), row.seconds.end(), [](double t) { return std::isnan(t); })) {
    fail(where, "a measured time in every row");
  }
}

/// Where a family stands in the text.
struct FamilyText {
  std::string op;
  std::string_view axes, rows;
};

FamilyText find_family(JsonReader& reader, const std::string& where) {
  if (reader.next() != JsonReader::Kind::object) fail(where, "an object a family");
  const Fields fields(reader, where);
  FamilyText family;
  reader.object([&](std::string_view key) {
    if (key == "op") {
      family.op = fields.text(key);
    } else if (key == "axes") {
      family.axes = fields.whole(key, JsonReader::Kind::object);
    } else if (key == "rows") {
      family.rows = fields.whole(key, JsonReader::Kind::array);
    } else {
      reader.skip();
    }
  });
  for (const auto& [key, there] :
       {std::pair("op", !family.op.empty()), std::pair("axes", !family.axes.empty()),
        std::pair("rows", !family.rows.empty())}) {
    if (!there) fail(where, fmt::format("a key \"{}\" in every family", key));
  }
  return family;
}

ProfileFamily read_family(const FamilyText& text, const std::string& file) {
  const std::string where = fmt::format("{}: family {}", file, text.op.substr(0, 40));
  const FamilyForm* form = form_of(text.op);
  if (form == nullptr) fail(where, "an operator that profiles have");
  ProfileFamily family;
  family.op = text.op;
  std::size_t points = 1;
  JsonReader axes(text.axes);
  axes.object([&](std::string_view name) {
    family.axis_names.emplace_back(name);
    family.axes.push_back(read_axis(axes, where));
    points *= family.axes.back().size();
    if (points > kLargestProfileBytes) fail(where, "a small grid");
  });
  if (family.axis_names != form->axes) {
    fail(where, fmt::format("axes {}", fmt::join(form->axes, ", ")));
  }
  for (std::size_t axis = 0; axis < family.axes.size(); ++axis) {
    if (family.joining(axis) == Joining::power && family.axes[axis].front() <= 0) {
      fail(where, "axes above 0");
    }
  }
  JsonReader rows(text.rows);
  rows.array([&] {
    if (rows.next() != JsonReader::Kind::object) fail(where, "an object a row");
    family.rows.push_back(read_row(rows, points, where));
    check_row(family.rows.back(), *form, where);
  });
  return family;
}

/// What a profile has but its families, and where these stand.
struct Head {
  Profile profile;
  std::optional<std::vector<std::string>> operators;  // those that it names
  std::vector<FamilyText> families;
};

void check_operators(const Head& head, const std::string& where) {
  std::vector<std::string> found;
  for (const FamilyText& family : head.families) {
    if (std::find(found.begin(), found.end(), family.op) != found.end()) {
      fail(where,
           fmt::format("one family of an operator (found two of {})", family.op.substr(0, 40)));
    }
    found.push_back(family.op);
  }
  if (head.operators && *head.operators != found) {
    fail(where, "as \"operators\" those of its families in their order");
  }
}

Head read_head(std::string_view text, const std::string& where) {
  Head head;
  Profile& profile = head.profile;
  std::vector<std::string> missing = {"headway_profile", "gpu",  "engine", "format",
                                      "source",          "date", "skew",   "held_out",
                                      "families"};
  JsonReader reader(text);
  const Fields fields(reader, where);
  const auto read = [&](std::string_view key) {
    std::erase(missing, key);
    if (key == "headway_profile") {
      fields.number(key, 1, 1);
    } else if (key == "gpu") {
      profile.gpu = fields.text(key);
    } else if (key == "engine") {
      profile.engine = fields.text(key);
    } else if (key == "format") {
      profile.format = fields.text(key);
    } else if (key == "source") {
      profile.source = fields.text(key);
    } else if (key == "date") {
      profile.date = fields.text(key);
    } else if (key == "skew") {
      profile.skew = fields.number(key, 0, 1);
    } else if (key == "unsplit") {
      profile.unsplit = fields.whole_number(key, 1, 1e9);
    } else if (key == "operators") {
      head.operators.emplace();
      reader.array([&] { head.operators->push_back(fields.text(key)); });
    } else if (key == "held_out") {
      reader.array([&] { profile.held_out.push_back(read_held_out(reader, where)); });
    } else if (key == "families") {
      reader.array([&] { head.families.push_back(find_family(reader, where)); });
    } else {
      reader.skip();
    }
  };
  reader.object(read);
  reader.finish();
  if (!missing.empty()) fail(where, fmt::format("a key \"{}\"", missing.front()));
  return head;
}

/// The first lines of a profile, up to its families, as a profile without them. Empty where the
/// text does not go that far.
std::string without_families(std::string_view text) {
  const std::size_t families = text.find("\"families\"");
  return families == std::string_view::npos
             ? std::string()
             : std::string(text.substr(0, families)) + "\"families\": []}";
}

/// A profile that was read to its end.
Head read_whole(std::string_view text, const std::string& where) {
  return at_place(where, [&] {
    Head head = read_head(text, where);
    check_operators(head, where);
    return head;
  });
}

/// The file's first bytes, all of them where they are not more.
std::string text_of(const std::string& path, std::size_t most) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) throw CatalogError(fmt::format("{}: cannot be read: {}", path, error.message()));
  if (size > kLargestProfileBytes) {
    throw CatalogError(fmt::format("{}: has {} bytes; expected a profile of at most {}", path, size,
                                   kLargestProfileBytes));
  }
  std::string text(std::min<std::size_t>(size, most), '\0');
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) throw CatalogError(fmt::format("{}: cannot be opened", path));
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  return text;
}

/// What the first lines of a file say, if they name its operators.
std::optional<Head> first_lines(const std::string& path) {
  const std::string text = without_families(text_of(path, kFirstBytes));
  if (text.empty()) return std::nullopt;
  try {
    Head head = read_head(text, path);
    if (head.operators) return head;
  } catch (const std::runtime_error&) {
    // What is wrong is said by reading all of it.
  }
  return std::nullopt;
}

}  // namespace

Profile read_profile(const std::string& path) {
  return parse_profile(text_of(path, kLargestProfileBytes), path);
}

Profile parse_profile(std::string_view text, const std::string& where) {
  return at_place(where, [&] {
    Head head = read_whole(text, where);
    for (const FamilyText& family : head.families) {
      head.profile.families.push_back(read_family(family, where));
    }
    return head.profile;
  });
}

struct ProfileFile::Content {
  std::optional<std::vector<std::string>> operators;  // nullopt: the file was read whole
  std::string text;
  std::vector<FamilyText> families;
  std::vector<std::unique_ptr<ProfileFamily>> read;  // by family; null: nobody asked for it
};

ProfileFile::ProfileFile(std::string path)
    : path_(std::move(path)), content_(std::make_unique<Content>()) {
  if (std::optional<Head> head = first_lines(path_)) {
    head_ = std::move(head->profile);
    content_->operators = std::move(head->operators);
  } else {
    head_ = read_all();
  }
}

ProfileFile::~ProfileFile() = default;

Profile ProfileFile::read_all() const {
  content_->text = text_of(path_, kLargestProfileBytes);
  Head head = read_whole(content_->text, path_);
  content_->families = std::move(head.families);
  content_->read.resize(content_->families.size());
  content_->operators.reset();
  return std::move(head.profile);
}

const ProfileFamily* ProfileFile::find(std::string_view op) const {
  if (const auto& named = content_->operators) {
    if (std::find(named->begin(), named->end(), op) == named->end()) return nullptr;
    read_all();
  }
  for (std::size_t i = 0; i < content_->families.size(); ++i) {
    const FamilyText& text = content_->families[i];
    if (text.op != op) continue;
    std::unique_ptr<ProfileFamily>& family = content_->read[i];
    if (!family) {
      family = std::make_unique<ProfileFamily>(
          at_place(path_, [&] { return read_family(text, path_); }));
    }
    return family.get();
  }
  return nullptr;
}

}  // namespace headway
