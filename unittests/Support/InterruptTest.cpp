#include "Mirage/Support/Interrupt.h"
#include "gtest/gtest.h"
#include <csignal>

using namespace mirage;

namespace {
// Outside a scope, and in a process that allows none, SIGINT is not ours.
TEST(InterruptTest, ScopeWithoutPermissionTakesNothing) {
  InterruptScope scope;
  struct sigaction current = {};
  sigaction(SIGINT, nullptr, &current);
  EXPECT_EQ(current.sa_handler, SIG_DFL);
}

// `timeout -s INT` sends two signals at once: both are one request.
TEST(InterruptTest, TwoSignalsAtOnceSetTheFlagAndEndNothing) {
  allowInterruptScopes();
  EXPECT_FALSE(interruptFlag());
  {
    InterruptScope scope;
    testing::internal::CaptureStderr();
    raise(SIGINT);
    raise(SIGINT);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "interrupted: ending with the best found so far; interrupt "
              "again, two seconds from now, to end at once\n");
    EXPECT_TRUE(interruptFlag());
  }
  struct sigaction current = {};
  sigaction(SIGINT, nullptr, &current);
  EXPECT_EQ(current.sa_handler, SIG_DFL);
}
} // namespace
