#include "sim/report/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "sim/scenario/input_error.hpp"
#include "tests/unit/report/example.hpp"

namespace headway {
namespace {

using ::testing::HasSubstr;

TEST(AtomicFile, has_its_name_only_after_commit) {
  TemporaryFolder folder;
  AtomicFile file(folder / "result");
  file.write("whole");
  file.close();
  EXPECT_FALSE(std::filesystem::exists(folder / "result"));
  file.commit();
  EXPECT_EQ(file_text(folder / "result"), "whole");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(AtomicFile, abandoned_leaves_nothing_and_keeps_the_old_file) {
  TemporaryFolder folder;
  std::ofstream(folder / "result") << "old";
  {
    AtomicFile file(folder / "result");
    file.write(std::string(1'000'000, 'x'));
  }
  EXPECT_EQ(file_text(folder / "result"), "old");
  EXPECT_EQ(folder.files(), 1u);
}

TEST(AtomicFile, keeps_every_byte_over_many_buffers) {
  TemporaryFolder folder;
  std::string expected;
  AtomicFile file(folder / "result");
  for (int line = 0; line < 100'000; ++line) {
    const std::string text = std::to_string(line) + "\n";
    file.write(text);
    expected += text;
  }
  EXPECT_EQ(file.size(), expected.size());
  file.commit();
  EXPECT_EQ(file_text(folder / "result"), expected);
}

TEST(AtomicFile, names_the_path_and_the_cause_where_no_file_can_be_made) {
  try {
    AtomicFile file("/nonexistent-folder/result");
    FAIL() << "no error";
  } catch (const RunError& error) {
    EXPECT_STREQ(error.what(),
                 "cannot write /nonexistent-folder/result: No such file or directory");
  }
}

// Runs in a child, whose file size limit stands for a disk that fills up.
TEST(AtomicFile, full_disk_is_an_error_and_leaves_no_file) {
  TemporaryFolder folder;
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400'000, 400'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      AtomicFile file(folder / "result");
      for (int block = 0; block < 10; ++block) file.write(std::string(100'000, 'x'));
      file.commit();
    } catch (const RunError&) {
      ::_exit(7);
    }
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(folder.files(), 0u);
}

TEST(AtomicFile, temporaries_of_a_killed_process_are_removed_and_no_others) {
  TemporaryFolder folder;
  std::ofstream(folder / ".result.4711.tmp") << "half";
  std::ofstream(folder / ".result.471.tmp") << "another's";
  std::ofstream(folder / "notes.4711.tmp") << "not ours";
  remove_temporaries(folder.path(), 4711);
  EXPECT_FALSE(std::filesystem::exists(folder / ".result.4711.tmp"));
  EXPECT_EQ(folder.files(), 2u);
}

TEST(PrepareFolder, makes_the_folder_and_says_so) {
  TemporaryFolder folder;
  EXPECT_TRUE(prepare_folder(folder / "a/b", {"x.csv"}));
  EXPECT_FALSE(prepare_folder(folder / "a/b", {"x.csv"}));
  EXPECT_TRUE(std::filesystem::is_empty(folder / "a/b"));
}

TEST(PrepareFolder, refuses_a_file_in_place_of_the_folder_and_a_folder_in_place_of_a_file) {
  TemporaryFolder folder;
  std::ofstream(folder / "taken") << "a file";
  EXPECT_THROW(prepare_folder(folder / "taken", {"x.csv"}), RunError);
  std::filesystem::create_directories(folder / "out/x.csv");
  try {
    prepare_folder(folder / "out", {"x.csv"});
    FAIL() << "no error";
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), HasSubstr("x.csv: Is a directory"));
  }
}

}  // namespace
}  // namespace headway
