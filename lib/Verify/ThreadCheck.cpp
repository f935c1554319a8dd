//===- ThreadCheck.cpp - Lowered functions against programs ---------------===//

#include "Mirage/Verify/ThreadCheck.h"
#include "Constants.h"
#include "Executor.h"
#include "FieldDomain.h"
#include "Normalise.h"
#include "RealProbe.h"
#include "Seeds.h"
#include "ThreadExecutor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <chrono>
#include <thread>

using namespace mirage::semantics;
using namespace mirage::verify;

namespace {
/// The most element operations of one evaluation: some minutes.
constexpr double kMaxThreadWork = 0x1p34;
/// Those at which real points are still tried.
constexpr double kMaxProbeWork = 0x1p28;
/// Interpretations draw apart from those of Verify.cpp.
constexpr uint32_t kInterpretation = 8;
constexpr unsigned kAttempts = 4;

llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

void visit(std::vector<ThreadOp> &ops,
           llvm::function_ref<void(ThreadOp &)> fn) {
  for (ThreadOp &op : ops) {
    fn(op);
    visit(op.body, fn);
  }
}

llvm::Error checkTypes(llvm::StringRef what,
                       llvm::ArrayRef<TensorType> expected,
                       llvm::ArrayRef<TensorType> actual) {
  if (expected.size() != actual.size())
    return error("expected " + llvm::Twine(expected.size()) + " " + what +
                 "s as in the reference, but got " +
                 llvm::Twine(actual.size()));
  for (size_t i = 0; i < expected.size(); ++i)
    if (expected[i] != actual[i])
      return error("expected " + what + " " + llvm::Twine(i) + " of type " +
                   toString(expected[i]) + " as in the reference, but got " +
                   toString(actual[i]));
  return llvm::Error::success();
}

class ThreadVerifier {
public:
  ThreadVerifier(const Program &f, const ThreadProgram &g,
                 const VerifyOptions &options, const Seed &seed)
      : threadForm(g), options(options), seed(seed) {
    threads = options.threads
                  ? options.threads
                  : std::max(1u, std::thread::hardware_concurrency());
    std::set<std::string> laws, constants;
    program = normalise(f, laws);
    shifted = normalise(f, laws, /*keepsShift=*/true);
    readConstants();
    recogniseConstants(shifted, shifted, constants);
  }

  llvm::Expected<VerifyResult> run() {
    auto start = std::chrono::steady_clock::now();
    VerifyResult result;
    if (llvm::Error e = decide(result))
      return std::move(e);
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
    return result;
  }

private:
  /// Literals of both sides are read alike. A splat does not say in which type
  /// its literal was rounded: any that fits will do.
  void readConstants() {
    Program literals;
    std::vector<ThreadOp *> splats;
    for (ThreadKernel &kernel : threadForm.kernels)
      visit(kernel.ops, [&](ThreadOp &op) {
        if (op.kind != ThreadOpKind::Splat)
          return;
        splats.push_back(&op);
        for (DType type : {DType::F64, DType::F32, DType::F16, DType::BF16}) {
          ValueId id = literals.addValue({{}, type});
          Op constant{OpKind::Constant, {}, {}, {id}, {}};
          constant.attrs.constant = ConstantValue::makeLiteral(op.literal);
          literals.ops.push_back(constant);
        }
      });
    std::set<std::string> constants;
    recogniseConstants(program, literals, constants);
    // An inverted one became two ops; the last of a splat's four suffices.
    std::map<ValueId, const Op *> definitions;
    for (const Op &op : literals.ops)
      definitions[op.results[0]] = &op;
    for (size_t i = 0; i < splats.size(); ++i) {
      const Op *op = definitions[static_cast<ValueId>(4 * i)];
      splats[i]->inverted = op->kind == OpKind::Reciprocal;
      splats[i]->meaning =
          (splats[i]->inverted ? definitions[op->operands[0]] : op)
              ->attrs.constant;
    }
  }

  bool contains(llvm::function_ref<bool(OpKind)> test) const {
    bool found =
        anyOp(program.ops, [&](const Op &op) { return test(op.kind); });
    for (const ThreadKernel &kernel : threadForm.kernels)
      visit(const_cast<std::vector<ThreadOp> &>(kernel.ops), [&](ThreadOp &op) {
        found |= op.kind == ThreadOpKind::Map && test(op.mapKind);
      });
    return found;
  }

  llvm::Error decide(VerifyResult &result) {
    for (const TensorType &type : threadForm.inputs)
      if (!isFloat(type.dtype)) {
        result.reason = "an input holds integers";
        return llvm::Error::success();
      }
    double work = workOf(threadForm);
    if (work > kMaxThreadWork) {
      result.reason = llvm::formatv("evaluation of all threads takes {0:E1} "
                                    "element operations, and the limit is "
                                    "{1:E1}",
                                    work, kMaxThreadWork)
                          .str();
      return llvm::Error::success();
    }
    bool hasExp = contains([](OpKind kind) { return kind == OpKind::Exp; });
    std::vector<Interpretation> ladder = {{hasExp, false}};
    if (contains(isSigmoidal))
      ladder.push_back({true, true});
    std::optional<Counterexample> where;
    for (const Interpretation &mode : ladder) {
      where.reset();
      for (unsigned t = 0; t < std::max(1u, options.minTests) && !where; ++t)
        if (llvm::Error e = test(mode, t, result, where))
          return e;
      if (!result.reason.empty())
        return llvm::Error::success();
      if (!where)
        break;
    }
    if (!where) {
      result.verdict = Verdict::Equivalent;
      result.reason =
          llvm::formatv("by {0} tests of every thread at full size, "
                        "without a proved bound",
                        std::max(1u, options.minTests))
              .str();
      return llvm::Error::success();
    }
    conclude(result, *where, work, ladder.back());
    return llvm::Error::success();
  }

  /// One test. A failure to decide leaves a reason in `result`.
  llvm::Error test(const Interpretation &mode, unsigned t, VerifyResult &result,
                   std::optional<Counterexample> &where) {
    Analysis facts = analyze(program, mode);
    for (unsigned attempt = 0; attempt < kAttempts; ++attempt) {
      if (options.cancelled && options.cancelled()) {
        result.reason = "interrupted";
        return llvm::Error::success();
      }
      Keys keys = deriveKeys(seed, kInterpretation + mode.sigmoidThroughExp, t,
                             attempt);
      FieldDraw draw = drawField(mode.withExp, keys.draw);
      FieldContext context(draw, mode, keys.input, keys.hash, threads);
      std::vector<TileRef> inputs;
      for (size_t i = 0; i < threadForm.inputs.size(); ++i)
        inputs.push_back(context.input(i, threadForm.inputs[i].shape,
                                       mode.withExp ? kP | kQ : kP));
      FailureLog log;
      FieldDomain domain(context, facts, log);
      std::vector<TileRef> expected = execute(program, domain, inputs, threads);
      std::vector<TileRef> actual;
      if (!log.worst())
        actual = runThreads(context, facts, log, inputs, keys.hash);
      if (log.worst()) {
        if (log.worst()->first == FailureKind::ZeroDivisor)
          continue;
        if (log.worst()->first == FailureKind::Malformed)
          return error(log.worst()->second);
        result.reason = log.worst()->second;
        return llvm::Error::success();
      }
      where = compare(expected, actual, context.fp, t, result);
      return llvm::Error::success();
    }
    result.reason = "division by zero in every attempt";
    return llvm::Error::success();
  }

  std::vector<TileRef> runThreads(const FieldContext &context,
                                  const Analysis &facts, FailureLog &log,
                                  llvm::ArrayRef<TileRef> inputs,
                                  Key key) const {
    Counter bits = philox({0, 0, 0, 7}, key);
    Junk junk{bits[0] >> 4 | 1, bits[1] >> 26 | 1};
    FailureLog first;
    FieldDomain domain(context, facts, first);
    std::vector<TileRef> outputs = executeThreads(
        threadForm, {domain, first, junk, threads, &options.cancelled}, inputs);
    if (!first.worst())
      return outputs;
    // Which cluster fails first is up to the threads: say it in their order.
    FieldDomain again(context, facts, log);
    return executeThreads(threadForm,
                          {again, log, junk, /*threads=*/1, &options.cancelled},
                          inputs);
  }

  static std::optional<Counterexample>
  compare(const std::vector<TileRef> &a, const std::vector<TileRef> &b,
          const PrimeField &field, unsigned t, VerifyResult &result) {
    auto text = [&](uint64_t v) {
      return v == kNegInf ? "-inf" : std::to_string(field.toInteger(v));
    };
    for (size_t o = 0; o < a.size(); ++o) {
      size_t count = a[o]->numElements();
      if (a[o]->p.size() != count || b[o]->p.size() != count) {
        result.reason = "output " + std::to_string(o) + " has no value in Z_p";
        return std::nullopt;
      }
      for (size_t i = 0; i < count; ++i) {
        if (a[o]->p[i] == b[o]->p[i])
          continue;
        Counterexample where;
        where.output = o;
        int64_t rest = i;
        for (int64_t stride : rowMajor(a[o]->shape)) {
          where.index.push_back(rest / stride);
          rest %= stride;
        }
        where.reference = text(a[o]->p[i]);
        where.candidate = text(b[o]->p[i]);
        where.domain = "field";
        where.test = t;
        return where;
      }
    }
    return std::nullopt;
  }

  /// Field values differ: a proof where no function without a field law is
  /// near, else a matter of real points.
  void conclude(VerifyResult &result, const Counterexample &where, double work,
                const Interpretation &mode) {
    unsigned soft = 0;
    Analysis facts = analyze(program, mode);
    for (unsigned bits : facts.soft)
      soft |= bits;
    bool softMap = contains([&](OpKind kind) {
      switch (kind) {
      case OpKind::Add:
      case OpKind::Sub:
      case OpKind::Mul:
      case OpKind::Div:
      case OpKind::Neg:
      case OpKind::Square:
      case OpKind::Reciprocal:
      case OpKind::Cast:
        return false;
      case OpKind::Exp:
        return false;
      default:
        return !isKernelShape(kind);
      }
    });
    if (!soft && !softMap) {
      result.verdict = Verdict::NotEquivalent;
      result.reason = "field values differ with no soft symbol";
      result.counterexample = where;
      return;
    }
    if (work > kMaxProbeWork) {
      result.reason = "field values differ, and the kernels are too large to "
                      "try real points";
      result.counterexample = where;
      return;
    }
    Key key = deriveKeys(seed, kInterpretation + 2, 0, 0).input;
    auto difference = probeReals(
        threadForm.inputs,
        [&](TileDomain &domain, FailureLog &, llvm::ArrayRef<TileRef> inputs) {
          return execute(shifted, domain, inputs, threads);
        },
        [&](TileDomain &domain, FailureLog &log,
            llvm::ArrayRef<TileRef> inputs) {
          return executeThreads(threadForm,
                                {domain, log, {}, threads, &options.cancelled},
                                inputs);
        },
        key, threads);
    if (!difference) {
      result.reason = "field values differ, and real points agree";
      result.counterexample = where;
      return;
    }
    result.verdict = Verdict::NotEquivalent;
    result.reason = "values at a real point differ";
    Counterexample real;
    real.output = difference->output;
    real.index = difference->index;
    real.reference =
        toString(ConstantValue::makeLiteral(difference->reference));
    real.candidate =
        toString(ConstantValue::makeLiteral(difference->candidate));
    real.domain = "real";
    real.test = difference->point;
    result.counterexample = real;
  }

  /// Ops that only the reference has: the analysis of it speaks for them.
  static bool isKernelShape(OpKind kind) {
    return opClass(kind) > OpClass::Select;
  }

  ThreadProgram threadForm;
  VerifyOptions options;
  Seed seed;
  unsigned threads;
  Program program, shifted;
};
} // namespace

llvm::Expected<VerifyResult>
mirage::verify::verifyThreads(const Program &reference,
                              const ThreadProgram &candidate,
                              const VerifyOptions &options) {
  if (llvm::Error e = verifyProgram(reference))
    return error("reference: " + llvm::toString(std::move(e)));
  std::vector<TensorType> outputs;
  for (ValueId id : reference.outputs)
    outputs.push_back(reference.type(id));
  if (llvm::Error e = checkTypes(
          "input",
          llvm::ArrayRef(reference.values).take_front(reference.numInputs),
          candidate.inputs))
    return std::move(e);
  if (llvm::Error e = checkTypes("output", outputs, candidate.outputs))
    return std::move(e);
  Seed seed;
  if (options.seed) {
    seed = *options.seed;
  } else {
    llvm::Expected<Seed> fresh = systemSeed();
    if (!fresh)
      return fresh.takeError();
    seed = *fresh;
  }
  return ThreadVerifier(reference, candidate, options, seed).run();
}
