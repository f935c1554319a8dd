//===- BridgeTest.cpp - Dialects to programs and back ---------------------===//

#include "Mirage/Bridge/Bridge.h"

#include "Mirage/Dialect/Block/IR/Block.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mirage;

namespace {
constexpr StringLiteral kRmsLinear = R"(
func.func @rms_linear(%x: tensor<16x4096xf16>, %w: tensor<4096x6144xf16>)
    -> tensor<16x6144xf16> {
  %o = mgraph_kernel.graph (%a = %x, %b = %w) grid [96, 1, 4]
      cluster [1, 1, 4] threads 128 stages 4
      : (tensor<16x4096xf16>, tensor<4096x6144xf16>) -> tensor<16x6144xf16> {
    %acc, %ss = for %i = 16 -> <16x64xf32>, <16x1xf32> {
      %0 = load %a[%i] imap [-1, -1, 1] fmap 1
          : tensor<16x4096xf16> -> <16x64xf16>
      %1 = load %b[%i] imap [1, -1, 0] fmap 0 interleaved
          : tensor<4096x6144xf16> -> <64x64xf16>
      %2 = matmul %0, %1 : (<16x64xf16>, <64x64xf16>) -> <16x64xf32>
      %3 = square %0 : <16x64xf16> -> <16x64xf32>
      yield sum %2, sum(1) %3 : <16x64xf32>, <16x64xf32>
    }
    %r = reduce_blocks sum %acc dim 2 : <16x64xf32>
    %rs = reduce_blocks sum %ss dim 2 : <16x1xf32>
    %n = constant inv_extent 4096 : <1x1xf32>
    %m = mul %rs, %n : (<16x1xf32>, <1x1xf32>) -> <16x1xf32>
    %q = rsqrt %m : <16x1xf32> -> <16x1xf32>
    %t = mul %r, %q : (<16x64xf32>, <16x1xf32>) -> <16x64xf32>
    %s = store %t omap [1, -1, -1] : <16x64xf32> -> tensor<16x6144xf16>
    yield %s : tensor<16x6144xf16>
  }
  return %o : tensor<16x6144xf16>
})";

constexpr StringLiteral kGatedMlp = R"(
func.func @gated_mlp(%x: tensor<8x4096xf16>, %v: tensor<4096x4096xf16>,
                     %w: tensor<4096x4096xf16>) -> tensor<8x4096xf16> {
  %o = mgraph_kernel.graph (%a = %x, %b = %v, %c = %w) grid [64, 1, 1]
      : (tensor<8x4096xf16>, tensor<4096x4096xf16>, tensor<4096x4096xf16>)
        -> tensor<8x4096xf16> {
    %g, %u = for %i = 64 -> <8x64xf32>, <8x64xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] fmap 1
          : tensor<8x4096xf16> -> <8x64xf16>
      %1 = load %b[%i] imap [1, -1, -1] fmap 0
          : tensor<4096x4096xf16> -> <64x64xf16>
      %2 = load %c[%i] imap [1, -1, -1] fmap 0
          : tensor<4096x4096xf16> -> <64x64xf16>
      %3 = matmul %0, %1 : (<8x64xf16>, <64x64xf16>) -> <8x64xf32>
      %4 = matmul %0, %2 : (<8x64xf16>, <64x64xf16>) -> <8x64xf32>
      yield sum %3, sum %4 : <8x64xf32>, <8x64xf32>
    }
    %5 = silu %g : <8x64xf32> -> <8x64xf32>
    %6 = mul %5, %u : (<8x64xf32>, <8x64xf32>) -> <8x64xf32>
    %s = store %6 omap [1, -1, -1] : <8x64xf32> -> tensor<8x4096xf16>
    yield %s : tensor<8x4096xf16>
  }
  return %o : tensor<8x4096xf16>
})";

/// Running states, rescaling and every attribute of a compute op.
constexpr StringLiteral kEverything = R"(
func.func @everything(%x: tensor<16x64xf32>, %w: tensor<1x64xf32>,
                      %n: tensor<8xi32>)
    -> (tensor<16x1xf32>, tensor<64x64xf32>, tensor<16x64xf32>) {
  %c = mgraph_kernel.constant 0.1 : tensor<1x1xf32>
  %d = mgraph_kernel.constant rsqrt_extent 64 : tensor<1x1xf32>
  %e = mgraph_kernel.constant neg_inf : tensor<1x1xf32>
  %0 = mgraph_kernel.rms_norm %x scale %w eps 1.0e-6
      : (tensor<16x64xf32>, tensor<1x64xf32>) -> tensor<16x64xf32>
  %1 = mgraph_kernel.layer_norm %0 bias %w eps 1.0e-5
      : (tensor<16x64xf32>, tensor<1x64xf32>) -> tensor<16x64xf32>
  %2 = mgraph_kernel.softmax %1 dim 1 : tensor<16x64xf32> -> tensor<16x64xf32>
  %3 = mgraph_kernel.clamp %2 lo -1.0 hi 6.0
      : tensor<16x64xf32> -> tensor<16x64xf32>
  %4 = mgraph_kernel.compare le %3, %c
      : (tensor<16x64xf32>, tensor<1x1xf32>) -> tensor<16x64xi1>
  %5 = mgraph_kernel.select %4, %3, %e
      : (tensor<16x64xi1>, tensor<16x64xf32>, tensor<1x1xf32>)
        -> tensor<16x64xf32>
  %6 = mgraph_kernel.transpose %5 perm [1, 0]
      : tensor<16x64xf32> -> tensor<64x16xf32>
  %7 = mgraph_kernel.matmul %6, %6 transpose_rhs
      : (tensor<64x16xf32>, tensor<64x16xf32>) -> tensor<64x64xf32>
  %8 = mgraph_kernel.iota dim 0 : tensor<64x64xf32>
  %9 = mgraph_kernel.concat %7, %8 dim 0
      : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %10 = mgraph_kernel.slice %9 offsets [1, 0] sizes [64, 64] strides [1, 1]
      : tensor<128x64xf32> -> tensor<64x64xf32>
  %11 = mgraph_kernel.gather %10, %n dim 0
      : (tensor<64x64xf32>, tensor<8xi32>) -> tensor<8x64xf32>
  %12 = mgraph_kernel.reduce mean %11 dims [0, 1]
      : tensor<8x64xf32> -> tensor<1x1xf32>
  %13 = mgraph_kernel.cast %12 : tensor<1x1xf32> -> tensor<1x1xf16>
  %14 = mgraph_kernel.reshape %13 : tensor<1x1xf16> -> tensor<1x1x1xf16>
  %15 = mgraph_kernel.broadcast %d : tensor<1x1xf32> -> tensor<64x64xf32>
  %16 = mgraph_kernel.graph (%a = %x) grid [1, 1, 1]
      : (tensor<16x64xf32>) -> tensor<16x1xf32> {
    %mm, %ss = for %i = 4 -> <16x1xf32>, <16x1xf32> {
      %20 = load %a[%i] imap [-1, -1, -1] fmap 1
          : tensor<16x64xf32> -> <16x16xf32>
      %21 = running current 0[%i] : <16x1xf32>
      %22 = running previous 0[%i] : <16x1xf32>
      %23 = sub %22, %21 : (<16x1xf32>, <16x1xf32>) -> <16x1xf32>
      %24 = exp %23 : <16x1xf32> -> <16x1xf32>
      %25 = sub %20, %21 : (<16x16xf32>, <16x1xf32>) -> <16x16xf32>
      %26 = exp %25 : <16x16xf32> -> <16x16xf32>
      yield max(1) %20, rescale(%24, 1) %26
          : <16x16xf32>, <16x1xf32>, <16x16xf32>
    }
    %s = store %ss omap [-1, -1, -1] : <16x1xf32> -> tensor<16x1xf32>
    yield %s : tensor<16x1xf32>
  }
  return %16, %15, %x : tensor<16x1xf32>, tensor<64x64xf32>, tensor<16x64xf32>
})";

class BridgeTest : public ::testing::Test {
protected:
  BridgeTest() {
    context.loadDialect<func::FuncDialect, kernel::KernelDialect,
                        block::BlockDialect>();
    context.allowUnregisteredDialects();
  }

  func::FuncOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return {};
    return *module->getOps<func::FuncOp>().begin();
  }

  /// The diagnostic that toProgram gives, or "" when it succeeds.
  std::string diagnosticOf(StringRef text) {
    func::FuncOp func = parse(text);
    EXPECT_TRUE(func);
    std::string message;
    ScopedDiagnosticHandler handler(
        &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
    (void)toProgram(func);
    return message;
  }

  static std::string print(Operation *op) {
    std::string text;
    llvm::raw_string_ostream os(text);
    op->print(os);
    return text;
  }

  /// Checks text -> program -> text -> program: both texts and both programs
  /// are equal.
  void roundTrip(StringRef text) {
    func::FuncOp func = parse(text);
    ASSERT_TRUE(func);
    auto program = toProgram(func);
    ASSERT_TRUE(succeeded(program));

    OwningOpRef<ModuleOp> copy = ModuleOp::create(func.getLoc());
    OpBuilder builder(copy->getBodyRegion());
    auto rebuilt = func::FuncOp::create(builder, func.getLoc(), program->name,
                                        func.getFunctionType());
    builder.setInsertionPointToStart(rebuilt.addEntryBlock());
    SmallVector<Value> outputs =
        fromProgram(builder, func.getLoc(), *program, rebuilt.getArguments());
    func::ReturnOp::create(builder, func.getLoc(), outputs);
    ASSERT_TRUE(succeeded(verify(*copy)));
    EXPECT_EQ(print(rebuilt), print(func));

    auto again = toProgram(rebuilt);
    ASSERT_TRUE(succeeded(again));
    EXPECT_EQ(semantics::toString(*again), semantics::toString(*program));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(BridgeTest, RoundTripsRmsLinear) { roundTrip(kRmsLinear); }
TEST_F(BridgeTest, RoundTripsGatedMlp) { roundTrip(kGatedMlp); }
TEST_F(BridgeTest, RoundTripsEveryAttribute) { roundTrip(kEverything); }

TEST_F(BridgeTest, ProgramHasTheGraphsStructure) {
  auto program = toProgram(parse(kRmsLinear));
  ASSERT_TRUE(succeeded(program));
  EXPECT_EQ(program->name, "rms_linear");
  EXPECT_EQ(program->numInputs, 2u);
  ASSERT_EQ(program->ops.size(), 1u);
  const semantics::Op &graph = program->ops[0];
  EXPECT_EQ(graph.attrs.grid, (semantics::GridDims{96, 1, 4}));
  EXPECT_EQ(graph.attrs.cluster, (semantics::GridDims{1, 1, 4}));
  EXPECT_EQ(graph.attrs.threads, 128);
  EXPECT_EQ(graph.attrs.stages, 4);
  const semantics::Op &loop = graph.body[0];
  ASSERT_EQ(loop.kind, semantics::OpKind::Loop);
  EXPECT_EQ(loop.attrs.range, 16);
  ASSERT_EQ(loop.attrs.accumulators.size(), 2u);
  EXPECT_EQ(loop.attrs.accumulators[0].reduceDim, -1);
  EXPECT_EQ(loop.attrs.accumulators[1].reduceDim, 1);
  EXPECT_EQ(loop.body[0].attrs.imap, (semantics::GridMap{-1, -1, 1}));
  EXPECT_FALSE(loop.body[0].attrs.interleaved);
  EXPECT_TRUE(loop.body[1].attrs.interleaved);
}

TEST_F(BridgeTest, AGraphAloneIsAProgram) {
  func::FuncOp func = parse(kGatedMlp);
  auto graph = *func.getBody().getOps<kernel::GraphOp>().begin();
  auto program = toProgram(graph);
  ASSERT_TRUE(succeeded(program));
  EXPECT_EQ(program->numInputs, 3u);
  EXPECT_EQ(program->outputs.size(), 1u);
}

TEST_F(BridgeTest, RefusesOtherOps) {
  EXPECT_EQ(diagnosticOf(R"(func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = "other.op"(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })"),
            "expected an op of mgraph_kernel that a program can hold, but got "
            "'other.op'");
}

TEST_F(BridgeTest, RefusesLaunches) {
  EXPECT_EQ(diagnosticOf(R"(func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = mgraph_kernel.launch @m::@k(%x) plan {}
        : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })"),
            "expected an op of mgraph_kernel that a program can hold, but got "
            "'mgraph_kernel.launch'");
}

TEST_F(BridgeTest, RefusesDynamicInputs) {
  EXPECT_EQ(diagnosticOf(R"(func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  })"),
            "expected inputs that are tensors of static shape and a supported "
            "element type, but got 'tensor<?xf32>'");
}

TEST_F(BridgeTest, RefusesDeclarations) {
  EXPECT_EQ(diagnosticOf("func.func private @f(tensor<4xf32>)"),
            "expected a body of 1 block, but got 0");
}

TEST_F(BridgeTest, RefusesValuesFromOutsideTheFragment) {
  func::FuncOp func = parse(R"(func.func @f(%x: tensor<4xf32>)
      -> tensor<4xf32> {
    %0 = mgraph_kernel.exp %x : tensor<4xf32> -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })");
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  Operation *exp = &func.getBody().front().front();
  EXPECT_TRUE(failed(toProgram({exp}, {}, exp->getResults())));
  EXPECT_EQ(message, "expected operands that are inputs or results of ops of "
                     "the program, but got another value of type "
                     "'tensor<4xf32>'");
}

TEST_F(BridgeTest, RefusesOutputsFromOutsideTheFragment) {
  func::FuncOp func = parse(R"(func.func @f(%x: tensor<4xf32>,
      %y: tensor<8xf32>) -> tensor<4xf32> {
    %0 = mgraph_kernel.exp %x : tensor<4xf32> -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })");
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  Block &body = func.getBody().front();
  EXPECT_TRUE(failed(toProgram({&body.front()}, {body.getArgument(0)},
                               {body.getArgument(1)})));
  EXPECT_EQ(message,
            "expected an output that is an input or the result of an op of the "
            "program, but got another value of type 'tensor<8xf32>'");
}

// The type rule is asked by builders too, before any verifier has run.
TEST_F(BridgeTest, InfersNoTypeFromOperandsWithoutOne) {
  func::FuncOp func = parse(R"(func.func @f(%x: tensor<?xf32>) {
    return
  })");
  std::string message;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  SmallVector<Type> types;
  EmptyProperties none;
  auto infer = [&](StringRef name, ValueRange operands) {
    return RegisteredOperationName::lookup(name, &context)
        ->getInterface<InferTypeOpInterface>()
        ->inferReturnTypes(&context, func.getLoc(), operands,
                           DictionaryAttr::get(&context),
                           OpaqueProperties(&none), {}, types);
  };
  EXPECT_TRUE(failed(
      infer("mgraph_kernel.exp", func.getBody().front().getArguments())));
  EXPECT_EQ(message, "expected operands of static shape and a supported "
                     "element type, but got 'tensor<?xf32>'");
  EXPECT_TRUE(failed(infer("mgraph_kernel.add", {})));
  EXPECT_EQ(message, "expected at least one operand, but got none");
}

// The table of operators and the dialects list the same ops.
TEST_F(BridgeTest, EveryRowOfTheTableIsAnOpOfItsLevels) {
  auto registered = [&](StringRef dialect, StringRef mnemonic) {
    return RegisteredOperationName::lookup((dialect + "." + mnemonic).str(),
                                           &context)
        .has_value();
  };
#define MIRAGE_OP(Name, mnemonic, Class, arity)                                \
  {                                                                            \
    bool compute = semantics::opClass(semantics::OpKind::Name) !=              \
                   semantics::OpClass::Structure;                              \
    bool graph = semantics::OpKind::Name == semantics::OpKind::Graph;          \
    EXPECT_EQ(registered("mgraph_kernel", mnemonic), compute || graph)         \
        << mnemonic;                                                           \
    EXPECT_EQ(registered("mgraph_block", mnemonic), !graph) << mnemonic;       \
  }
#include "Mirage/Semantics/Ops.def"
}
} // namespace
