//===- ChildProcessTest.cpp - Children that answer, end and hang ----------===//

#include "ChildProcess.h"
#include <gtest/gtest.h>

using namespace mirage::tune;

namespace {
std::unique_ptr<ChildProcess> shell(const std::string &script) {
  auto child = ChildProcess::start({"/bin/sh", "-c", script}, "/dev/null");
  EXPECT_TRUE(static_cast<bool>(child)) << llvm::toString(child.takeError());
  return std::move(*child);
}
} // namespace

TEST(ChildProcessTest, AnswersLineByLine) {
  auto child = shell("while read line; do echo $line; echo again; done");
  std::string line;
  ASSERT_TRUE(child->send("first"));
  ASSERT_EQ(child->receive(line, 10), Wait::Line);
  EXPECT_EQ(line, "first");
  ASSERT_EQ(child->receive(line, 10), Wait::Line);
  EXPECT_EQ(line, "again");
}

TEST(ChildProcessTest, SaysHowItEnded) {
  auto exits = shell("exit 3");
  std::string line;
  EXPECT_EQ(exits->receive(line, 10), Wait::Ended);
  EXPECT_EQ(exits->end(), "exit status 3");
  auto dies = shell("kill -SEGV $$");
  EXPECT_EQ(dies->receive(line, 10), Wait::Ended);
  EXPECT_EQ(dies->end(), "signal 11 (Segmentation fault)");
}

TEST(ChildProcessTest, EndsOneThatHangs) {
  auto child = shell("exec sleep 600");
  std::string line;
  EXPECT_EQ(child->receive(line, 0.05), Wait::TimedOut);
  EXPECT_EQ(child->end(), "signal 9 (Killed)");
}

// Writing to a child that is gone must not end the parent.
TEST(ChildProcessTest, SendsToOneThatIsGone) {
  auto child = shell("exit 0");
  std::string line;
  EXPECT_EQ(child->receive(line, 10), Wait::Ended);
  EXPECT_FALSE(child->send("anything"));
}

TEST(ChildProcessTest, SaysWhatDoesNotStart) {
  auto child = ChildProcess::start({"/no/such/program"}, "/dev/null");
  ASSERT_FALSE(static_cast<bool>(child));
  EXPECT_EQ(llvm::toString(child.takeError()),
            "expected to start /no/such/program, but got No such file or "
            "directory");
}
