// What was kept is found whole or not at all.

#include "Mirage/Cache/Store.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mirage::cache;
namespace fs = llvm::sys::fs;
namespace json = llvm::json;

namespace {
class StoreTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("mirage-store", path));
    folder = (path + "/cache").str();
  }
  void TearDown() override { fs::remove_directories(path); }

  Store open(uint64_t limit = kDefaultLimit) {
    Store store = llvm::cantFail(Store::open(folder, limit));
    store.warn = [this](const std::string &what) { warnings.push_back(what); };
    return store;
  }

  std::vector<std::string> files(llvm::StringRef ending) {
    std::vector<std::string> result;
    std::error_code code;
    for (fs::directory_iterator it(folder, code), end; it != end && !code;
         it.increment(code))
      if (llvm::StringRef(it->path()).ends_with(ending))
        result.push_back(it->path());
    return result;
  }

  static std::string read(const std::string &file) {
    return llvm::cantFail(
               llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(file)))
        ->getBuffer()
        .str();
  }
  static void write(const std::string &file, llvm::StringRef text) {
    std::error_code code;
    llvm::raw_fd_ostream(file, code) << text;
  }
  static void setAge(const std::string &file, int64_t seconds) {
    int descriptor;
    ASSERT_FALSE(fs::openFileForReadWrite(file, descriptor, fs::CD_OpenExisting,
                                          fs::OF_None));
    fs::setLastAccessAndModificationTime(descriptor,
                                         std::chrono::system_clock::now() -
                                             std::chrono::seconds(seconds));
    llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
  }

  llvm::SmallString<128> path;
  std::string folder;
  std::vector<std::string> warnings;
};

TEST_F(StoreTest, FindsWhatWasKept) {
  {
    Store store = open();
    EXPECT_FALSE(store.load("search", "a"));
    store.save("search", "a", json::Object{{"x", 1}});
    store.save("search", "b\nof two lines", "text");
    store.save("search", "a", json::Object{{"x", 2}});
  }
  Store store = open();
  EXPECT_EQ(store.load("search", "a"), json::Value(json::Object{{"x", 2}}));
  EXPECT_EQ(store.load("search", "b\nof two lines"), json::Value("text"));
  EXPECT_FALSE(store.load("verdict", "a"));
  EXPECT_EQ(store.list().size(), 2u);
  EXPECT_TRUE(warnings.empty());
}

TEST_F(StoreTest, SetsDamagedFilesAside) {
  Store store = open();
  std::string good;
  auto damage = [&](llvm::StringRef text, llvm::StringRef why) {
    write(files(".entry").front(), text);
    Store other = open();
    EXPECT_FALSE(other.load("search", "a")) << why.str();
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_NE(warnings[0].find(why.str()), std::string::npos) << warnings[0];
    EXPECT_TRUE(files(".entry").empty());
    EXPECT_EQ(files(".damaged").size(), 1u);
    warnings.clear();
    // Rebuilt under its name.
    other.save("search", "a", "answer");
    EXPECT_EQ(other.load("search", "a"), json::Value("answer"));
  };
  store.save("search", "a", "answer");
  good = read(files(".entry").front());
  damage("", "expected the first line of an entry, but got 0 other bytes");
  damage(llvm::StringRef(good).drop_back(3), "bytes, but got");
  damage(good + "more", "bytes, but got");
  std::string flipped = good;
  flipped[good.size() - 5] ^= 1;
  damage(flipped, "expected the hash");
  damage("#!/bin/sh\n", "expected the first line of an entry");
  // Whole, and of another key.
  store.save("search", "b", "answer of b");
  std::string b;
  for (const std::string &file : files(".entry"))
    if (read(file).find("answer of b") != std::string::npos) {
      b = read(file);
      fs::remove(file);
    }
  damage(b, "expected the entry that the name says, but got another");
}

TEST_F(StoreTest, LeavesAnotherFormatAlone) {
  {
    Store store = open();
  }
  write(folder + "/format", "mirage-cache 2\n");
  llvm::Expected<Store> store = Store::open(folder);
  ASSERT_FALSE(store);
  EXPECT_EQ(llvm::toString(store.takeError()),
            "expected a cache of format 1 in " + folder +
                ", but got 'mirage-cache 2'");
}

TEST_F(StoreTest, SaysWhyThereIsNoCache) {
  write((path + "/file").str(), "");
  for (std::string where :
       {(path + "/file").str(), std::string("/proc/none")}) {
    llvm::Expected<Store> store = Store::open(where);
    ASSERT_FALSE(store);
    EXPECT_NE(llvm::toString(store.takeError()).find(where), std::string::npos);
  }
}

// A limit on file sizes stands for a full disk: the writes fail half way.
TEST_F(StoreTest, LeavesNothingWhereThereIsNoRoom) {
  {
    Store store = open();
  }
  pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    Store store = open();
    store.save("search", "a", std::string(10000, 'x'));
    store.save("search", "b", std::string(10000, 'x'));
    bool told = warnings.size() == 1 &&
                warnings[0].find("expected to write to the cache in") == 0;
    _exit(told && !store.load("search", "a") ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(files("").size(), 1u); // the format
}

TEST_F(StoreTest, KeepsWhatWasUsedLast) {
  Store store = open();
  for (std::string key : {"a", "b", "c", "d"})
    store.save("search", key, std::string(1000, 'x'));
  for (const std::string &file : files(".entry"))
    setAge(file, 1000);
  // `a` is used, `d` comes from a clock that was ahead.
  EXPECT_TRUE(store.load("search", "a"));
  for (const std::string &file : files(".entry"))
    if (read(file).find("\"key\":\"d\"") != std::string::npos)
      setAge(file, -100000);
  PruneResult result = store.prune(3 * 1400);
  EXPECT_EQ(result.removed, 1u);
  EXPECT_FALSE(store.load("search", "d"));
  result = store.prune(1400);
  EXPECT_EQ(result.kept, 1u);
  EXPECT_TRUE(store.load("search", "a"));
  EXPECT_EQ(store.prune(0).kept, 0u);
}

TEST_F(StoreTest, FitsItsLimitByItself) {
  {
    Store store = open(/*limit=*/5000);
    for (int i = 0; i < 20; ++i)
      store.save("search", std::to_string(i), std::string(1000, 'x'));
  }
  EXPECT_LE(open().list().size(), 4u);
}

TEST_F(StoreTest, RemovesWhatKillsLeft) {
  Store store = open();
  store.save("search", "a", "answer");
  std::string entry = files(".entry").front();
  write(entry + "-0123456789ab.tmp", "half");
  write(entry + "-fresh.tmp", "half");
  write(entry + ".damaged", "half");
  write(folder + "/a file of someone else.tmp", "");
  setAge(entry + "-0123456789ab.tmp", 10000);
  PruneResult result = store.prune(kDefaultLimit);
  EXPECT_EQ(result.removed, 2u);
  EXPECT_EQ(result.kept, 1u);
  EXPECT_EQ(files("").size(), 4u); // format, entry, fresh, someone else's
}
} // namespace
