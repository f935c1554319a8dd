// Ten processes write and read one folder and are killed at random. Whatever a
// process was told is kept must be found afterwards, whole and right.
//
// Three seconds; MIRAGE_STRESS_SECONDS=60 is the full form.

#include "Mirage/Cache/Store.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <random>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

using namespace mirage::cache;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;

namespace {
constexpr unsigned kProcesses = 10;
/// Half of the keys are written by every process.
constexpr unsigned kSharedKeys = 200;
/// Nothing may be evicted, or it could not be told from what is lost.
constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

/// The only right answer for a key, of 50 bytes to 20 kB.
json::Value answerOf(const std::string &key) {
  size_t seed = std::hash<std::string>()(key);
  std::string text(50 + seed % 20000, ' ');
  for (size_t i = 0; i < text.size(); ++i)
    text[i] = 'a' + (seed * (i + 1) >> 17) % 26;
  return json::Object{{"key", key}, {"text", text}};
}

[[noreturn]] void work(const std::string &folder, const std::string &log,
                       unsigned number) {
  int descriptor = ::open(log.c_str(), O_WRONLY | O_APPEND | O_CREAT, 0600);
  auto say = [&](const std::string &line) {
    if (::write(descriptor, line.data(), line.size()) < 0)
      _exit(1);
  };
  std::mt19937 random(number);
  for (unsigned i = 0;; ++i) {
    // As a process would: open, use, close.
    llvm::Expected<Store> store = Store::open(folder, kNoLimit);
    if (!store) {
      say("!" + llvm::toString(store.takeError()) + "\n");
      _exit(1);
    }
    bool good = true;
    store->warn = [&](const std::string &what) {
      good = false;
      say("!" + what + "\n");
    };
    for (unsigned j = 0; j < 20; ++j) {
      std::string key = j % 2
                            ? "shared " + std::to_string(random() % kSharedKeys)
                            : "own " + std::to_string(number) + " " +
                                  std::to_string(i * 20 + j);
      store->save("stress", key, answerOf(key));
      if (good)
        say(key + "\n");
      std::string other = "shared " + std::to_string(random() % kSharedKeys);
      if (std::optional<json::Value> answer = store->load("stress", other))
        if (*answer != answerOf(other))
          say("!wrong answer for " + other + "\n");
    }
  }
}

TEST(StressTest, TenProcessesWithKills) {
  const char *text = std::getenv("MIRAGE_STRESS_SECONDS");
  double seconds = text ? std::atof(text) : 3;
  llvm::SmallString<128> path;
  ASSERT_FALSE(fs::createUniqueDirectory("mirage-stress", path));
  std::string folder = (path + "/cache").str();
  std::vector<pid_t> processes;
  unsigned number = 0, kills = 0;
  auto start = [&] {
    pid_t child = fork();
    if (child == 0)
      work(folder, (path + "/log" + std::to_string(number)).str(), number);
    ++number;
    return child;
  };
  for (unsigned i = 0; i < kProcesses; ++i)
    processes.push_back(start());
  std::mt19937 random(1);
  auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    usleep(10000 + random() % 60000);
    pid_t &one = processes[random() % kProcesses];
    kill(one, SIGKILL);
    waitpid(one, nullptr, 0);
    ++kills;
    one = start();
  }
  for (pid_t one : processes) {
    kill(one, SIGKILL);
    waitpid(one, nullptr, 0);
  }
  Store store = llvm::cantFail(Store::open(folder, kNoLimit));
  store.warn = [](const std::string &what) { ADD_FAILURE() << what; };
  unsigned saves = 0;
  std::set<std::string> keys;
  for (unsigned i = 0; i < number; ++i) {
    auto log = llvm::MemoryBuffer::getFile(path + "/log" + std::to_string(i));
    if (!log)
      continue; // killed before its first line
    llvm::SmallVector<llvm::StringRef> lines;
    // A last line without its end was cut by a kill.
    (*log)->getBuffer().rsplit('\n').first.split(lines, '\n', -1, false);
    for (llvm::StringRef line : lines) {
      EXPECT_FALSE(line.starts_with("!")) << line.str();
      ++saves;
      keys.insert(line.str());
    }
  }
  for (const std::string &key : keys) {
    std::optional<json::Value> answer = store.load("stress", key);
    ASSERT_TRUE(answer) << "lost: " << key;
    EXPECT_TRUE(*answer == answerOf(key)) << "wrong: " << key;
  }
  for (const Entry &entry : store.list())
    EXPECT_EQ(entry.damage, "");
  EXPECT_GT(keys.size(), 10u);
  printf("%u processes, %u kills, %u saves of %zu entries: none lost, none "
         "wrong\n",
         number, kills, saves, keys.size());
  fs::remove_directories(path);
}
} // namespace
