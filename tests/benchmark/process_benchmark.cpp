// A whole process, from exec to exit: `headway run` on W1 as a file, with stated step times, with
// steps priced from a profile, and from the data sheet (a catalogue of the same entries without
// profiles); and on an hour of a large fleet. HEADWAY names the program; else the one that was
// built beside this one runs.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace {

namespace fs = std::filesystem;

const std::string kCatalog = HEADWAY_SOURCE_DIR "/models/catalog";

/// The catalogue without its profiles, for as long as it lives.
class CatalogWithoutProfiles {
 public:
  CatalogWithoutProfiles() {
    std::string name = (fs::temp_directory_path() / "headway-catalog-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
    for (const char* folder : {"engines", "gpus", "models", "prices"}) {
      fs::create_directory_symlink(fs::path(kCatalog) / folder, path_ / folder);
    }
  }
  ~CatalogWithoutProfiles() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

double processor_seconds(const rusage& usage) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void run(benchmark::State& state, const char* file, const std::string& catalog) {
  const char* const given = std::getenv("HEADWAY");
  const std::string program = given ? given : HEADWAY_PROGRAM;
  const std::string scenario = std::string(HEADWAY_SOURCE_DIR "/tests/benchmark/") + file;
  double processor = 0, peak_kib = 0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) {
      const int null = open("/dev/null", O_WRONLY);
      dup2(null, 1);
      setenv("HEADWAY_CATALOG", catalog.c_str(), 1);
      execl(program.c_str(), program.c_str(), "run", scenario.c_str(), nullptr);
      _exit(127);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    if (status != 0) {
      state.SkipWithError(("this failed: " + program + " run " + scenario).c_str());
      return;
    }
    state.SetIterationTime(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    processor += processor_seconds(usage);
    peak_kib = std::max(peak_kib, static_cast<double>(usage.ru_maxrss));
  }
  state.counters["MiB"] = peak_kib / 1024;
  state.counters["processor ms"] =
      benchmark::Counter(1e3 * processor, benchmark::Counter::kAvgIterations);
}

void whole_process(benchmark::State& state) {
  run(state, "w1.yaml", kCatalog);
}
void whole_process_profile(benchmark::State& state) {
  run(state, "w1_llama.yaml", kCatalog);
}
void whole_process_data_sheet(benchmark::State& state) {
  const CatalogWithoutProfiles catalog;
  run(state, "w1_llama.yaml", catalog.path());
}
void fleet_hour(benchmark::State& state) {
  run(state, "fleet_hour.yaml", kCatalog);
}
BENCHMARK(whole_process)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(whole_process_profile)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(whole_process_data_sheet)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(fleet_hour)->UseManualTime()->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
