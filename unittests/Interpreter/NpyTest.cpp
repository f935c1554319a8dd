//===- NpyTest.cpp --------------------------------------------------------===//

#include "Mirage/Interpreter/Npy.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <limits>

using namespace mirage::interpreter;
using mirage::semantics::DType;
using mirage::semantics::TensorType;

namespace {

std::string file(const std::string &header, const std::string &data) {
  std::string bytes = "\x93NUMPY";
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + data;
}

std::string errorOf(llvm::Expected<Tensor> tensor) {
  return tensor ? "" : llvm::toString(tensor.takeError());
}

TEST(NpyTest, RoundTripsEveryType) {
  for (DType type : {DType::F16, DType::BF16, DType::F32, DType::F64,
                     DType::I32, DType::I64})
    for (mirage::semantics::Shape shape :
         {mirage::semantics::Shape{}, {3}, {2, 3}, {1, 2, 3}}) {
      Tensor tensor{{shape, type}, {}};
      for (int64_t i = 0; i < tensor.type.numElements(); ++i)
        tensor.values.push_back(static_cast<double>(i * (i % 2 ? -3 : 5)));
      Tensor read = cantFail(parseNpy(formatNpy(tensor)));
      EXPECT_EQ(read.type, tensor.type);
      EXPECT_EQ(read.values, tensor.values);
    }
  Tensor flags{{{3}, DType::I1}, {1, 0, 1}};
  EXPECT_EQ(cantFail(parseNpy(formatNpy(flags))).values, flags.values);
}

TEST(NpyTest, DataStartsAtAMultipleOf64) {
  std::string bytes = formatNpy({{{1}, DType::F16}, {1.0}});
  EXPECT_EQ((bytes.size() - 2) % 64, 0u);
  EXPECT_EQ(bytes[bytes.size() - 3], '\n');
  EXPECT_NE(bytes.find("'shape': (1,), }"), std::string::npos);
}

TEST(NpyTest, RefusesWhatItDoesNotHold) {
  const std::string f4 = "'descr': '<f4', ", c = "'fortran_order': False, ";
  const std::string data(16, '\0');
  EXPECT_EQ(errorOf(parseNpy("PK")),
            "npy: expected the first bytes to be \\x93NUMPY, but got other "
            "ones");
  EXPECT_EQ(
      errorOf(parseNpy(file("{'descr': '>f4', " + c + "'shape': (4,)}", data))),
      "npy: expected an element type among <f2, <f4, <f8, <i4, <i8, |b1 "
      "and <V2 (bf16), but got >f4");
  EXPECT_EQ(errorOf(parseNpy(file("{" + f4 +
                                      "'fortran_order': True, "
                                      "'shape': (4,)}",
                                  data))),
            "npy: expected C order, but got fortran_order True");
  EXPECT_EQ(errorOf(parseNpy(file("{" + f4 + c + "'shape': (5,)}", data))),
            "npy: expected 20 bytes of data for 5xf32, but got 16");
  EXPECT_EQ(errorOf(parseNpy(file("{" + f4 + c + "'shape': (0, 4)}", ""))),
            "npy: header: expected a positive dimension, but got ', 4)}'");
  EXPECT_EQ(errorOf(parseNpy(file("{" + f4 + c +
                                      "'shape': (3000000000, "
                                      "3000000000)}",
                                  ""))),
            "npy: expected at most 2147483648 elements, but got more");
  EXPECT_EQ(errorOf(parseNpy(file("{" + f4 + c + "}", data))),
            "npy: expected the keys descr, fortran_order and shape, but one is "
            "missing");
  EXPECT_EQ(errorOf(parseNpy(file("{" + f4 + f4 + "}", data))),
            "npy: expected the keys descr, fortran_order and shape once each, "
            "but got descr");
  std::string cut = file("{" + f4 + c + "'shape': (4,)}", data).substr(0, 30);
  EXPECT_NE(errorOf(parseNpy(cut)).find("expected a header of"),
            std::string::npos);
}

TEST(NpyTest, RefusesBrokenPreambles) {
  const std::string magic = "\x93NUMPY";
  EXPECT_EQ(errorOf(parseNpy(magic + "\x01")),
            "npy: expected a header of at least 10 bytes, but got 7");
  EXPECT_EQ(errorOf(parseNpy(magic + "\x04" + std::string(9, '\0'))),
            "npy: expected format 1, 2 or 3, but got 4");
  EXPECT_EQ(errorOf(parseNpy(magic + "\x02" + std::string(4, '\0'))),
            "npy: expected the length of the header in 12 bytes, but got 11");
}

TEST(NpyTest, SaysWhyAFileIsNotWritten) {
  EXPECT_EQ(llvm::toString(
                writeNpy("/nonexistent/x.npy", {{{1}, DType::F32}, {1.0}})),
            "/nonexistent/x.npy: expected a file that can be written, but got "
            "No such file or directory");
}

// Every prefix of a good file is an error and no crash.
TEST(NpyTest, RefusesEveryPrefix) {
  std::string bytes = formatNpy({{{2, 2}, DType::F32}, {1, 2, 3, 4}});
  for (size_t n = 0; n < bytes.size(); ++n)
    EXPECT_NE(errorOf(parseNpy(bytes.substr(0, n))), "") << n;
}

TEST(NpyTest, ReadsFilesOfTheExpectedTypeOnly) {
  llvm::SmallString<64> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("mirage", "npy", path));
  TensorType f32{{2}, DType::F32}, bf16{{2}, DType::BF16};
  cantFail(writeNpy(path, {f32, {1.5, -2}}));
  EXPECT_EQ(cantFail(readNpy(path, f32)).values,
            (std::vector<double>{1.5, -2}));
  Tensor asBF16 = cantFail(readNpy(path, bf16));
  EXPECT_EQ(asBF16.type, bf16);
  EXPECT_EQ(errorOf(readNpy(path, {{3}, DType::F32})),
            path.str().str() + ": expected 3xf32, but got 2xf32");
  cantFail(writeNpy(path, {f32, {1.0009765625, 0}}));
  EXPECT_EQ(errorOf(readNpy(path, bf16)),
            path.str().str() + ": expected values that bf16 holds exactly, but "
                               "got 1.0009765625 at position 0");
  llvm::sys::fs::remove(path);
  EXPECT_NE(errorOf(readNpy(path, f32)).find("expected a readable file"),
            std::string::npos);
}

TEST(NpyTest, RefusesIntegersThatDoublesLose) {
  Tensor big{{{1}, DType::I64}, {9007199254740994.0}};
  EXPECT_NE(errorOf(parseNpy(formatNpy(big)))
                .find("expected i64 values of at most 2^53, but got"),
            std::string::npos);
}

} // namespace
