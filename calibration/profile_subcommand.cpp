// `profile`: samples into a profile, with its held-out errors.
#include <fmt/format.h>

#include <memory>

#include "calibration/calibration_error.hpp"
#include "calibration/number_option.hpp"
#include "calibration/profile_identity.hpp"
#include "calibration/profile_maker.hpp"
#include "calibration/sample_file.hpp"
#include "calibration/standard_streams.hpp"
#include "calibration/subcommand.hpp"
#include "calibration/whole_file.hpp"
#include "models/catalog.hpp"

namespace headway {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  headway-calibrate profile h100.samples --gpu h100-sxm \\\n"
    "    --engine vllm-0.19.0 --format bf16 -o bf16.json\n"
    "\n"
    "The held-out error of an operator is that of each shape predicted from the\n"
    "others (where there is one shape, of each point from its neighbours).";

struct ProfileArguments {
  ProfileRequest request;
  std::vector<std::string> inputs;
  std::string output;
};

std::string range(const ProfileFamily& family) {
  std::string text;
  for (std::size_t i = 0; i < family.axes.size(); ++i) {
    text += fmt::format("{}{} {:g} to {:g}", i > 0 ? ", " : "", family.axis_names[i],
                        family.axes[i].front(), family.axes[i].back());
  }
  return text;
}

std::string errors_table(const Profile& profile) {
  std::string text = fmt::format("{:<18} {:>6}  {:>8} {:>8}  {}\n", "operator", "shapes", "mean",
                                 "median", "range");
  for (const ProfileFamily& family : profile.families) {
    std::string mean = "-", median = "-";
    for (const HeldOutError& error : profile.held_out) {
      if (error.op != family.op) continue;
      mean = fmt::format("{:.1f} %", 100 * error.mean);
      median = fmt::format("{:.1f} %", 100 * error.median);
    }
    text += fmt::format("{:<18} {:>6}  {:>8} {:>8}  {}\n", family.op, family.rows.size(), mean,
                        median, range(family));
  }
  return text;
}

/// What unequal contexts cost, and where that comes from.
std::string skew_line(const Profile& profile, const ProfileRequest& request) {
  if (request.skew) return fmt::format("skew {:g}: as given\n", profile.skew);
  for (const HeldOutError& error : profile.held_out) {
    if (error.op == "attention_decode_skew")
      return fmt::format(
          "skew {:.3f}: fitted on {} decodes of unequal contexts, held-out error "
          "{:.1f} % (mean), {:.1f} % (median)\n",
          profile.skew, error.count, 100 * error.mean, 100 * error.median);
  }
  return "skew 0: the samples hold no decodes of unequal contexts that tell it\n";
}

int make(ProfileArguments& arguments) {
  ProfileRequest& request = arguments.request;
  request.engine = profile_engine(request.engine);
  request.date = profile_date(request.date);
  std::vector<SampleFile> files;
  for (const std::string& path : arguments.inputs) files.push_back(read_samples(path));
  request.gpu = profile_gpu(request.gpu, measured_gpu(arguments.inputs, files));
  const Profile profile = make_profile(files, request);
  const std::string text = write_profile(profile);
  WholeFile file(arguments.output);
  file.write(text);
  file.commit();
  write_output(fmt::format("{}: profile of {}, {}, {}: {} bytes\n\nheld-out error\n{}\n{}",
                           arguments.output, profile.gpu, profile.engine, profile.format,
                           text.size(), errors_table(profile), skew_line(profile, request)));
  return kCalibrationFine;
}

}  // namespace

Subcommand profile_subcommand(CLI::App& tree) {
  const auto arguments = std::make_shared<ProfileArguments>();
  ProfileRequest& request = arguments->request;
  CLI::App& app = *tree.add_subcommand("profile", "Make a profile from samples");
  app.add_option("SAMPLES", arguments->inputs, "Samples files of one GPU")->required();
  app.add_option("--gpu", request.gpu,
                 "GPU of the samples, as its catalogue names start:\nh100-sxm")
      ->type_name("NAME")
      ->required();
  app.add_option("--engine", request.engine, "Engine and version: vllm-0.19.0")
      ->type_name("NAME")
      ->required();
  app.add_option("--format", request.format, "Number format of products and KV cache")
      ->type_name("FORMAT")
      ->required();
  app.add_option("--date", request.date, "Day of the measurement: 2026-11-30")->type_name("DATE");
  app.add_option(
         "--skew", request.skew,
         "What unequal contexts cost: share of the way from\nthe mean's time to the longest's\n"
         "(default: fitted, where the samples tell it)")
      ->type_name("SHARE")
      ->check(number_from(0, 1));
  app.add_option(
         "--unsplit", request.unsplit,
         "Decodes x KV heads from which on the engine's\nkernel does not split a sequence's keys\n"
         "(default: it always does)")
      ->type_name("HEADS")
      ->check(CLI::Range(1, 1'000'000'000));
  app.add_option("--expert-kernel", request.expert_kernel,
                 "Kernel that the engine runs experts with, where a\nshape was measured with "
                 "another")
      ->type_name("NAME");
  app.add_flag("--fused-quantisation", request.fused_quantisation,
               "Take the quantisation of activations off the\nproducts: the engine fuses it with\n"
               "what comes before");
  app.add_option("-o,--output", arguments->output, "Profile to write")
      ->type_name("FILE")
      ->required();
  app.footer(kFooter);
  const auto files = [] { return std::vector<std::string>{":files"}; };
  return {&app,
          [arguments] { return make(*arguments); },
          {{"", files}, {"--gpu", gpu_names}, {"--output", files}}};
}

}  // namespace headway
