//===- ReadBody.cpp - From the region of a structured op to expressions ---===//
//
// Ops of the region are read in order. One that has no meaning in the table
// keeps the reason, which becomes the op's refusal only if a live result
// depends on it: the index of a maximum that nobody reads may be computed in
// any way. So may asserts, which yield nothing.
//
//===----------------------------------------------------------------------===//

#include "Structured.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace mirage;
using namespace mirage::raising;
using semantics::DType;
using semantics::OpKind;
using TablePredicate = semantics::Predicate;

std::optional<double> Raiser::splat(Value value) const {
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    value = fill.getInputs()[0];
  Attribute attribute;
  if (!matchPattern(value, m_Constant(&attribute)))
    return std::nullopt;
  if (auto elements = dyn_cast<SplatElementsAttr>(attribute))
    attribute = elements.getSplatValue<Attribute>();
  double number;
  if (auto floating = dyn_cast<FloatAttr>(attribute))
    number = floating.getValueAsDouble();
  else if (auto integer = dyn_cast<IntegerAttr>(attribute))
    number = integer.getType().isSignlessInteger(1)
                 ? double(integer.getValue().getZExtValue())
                 : integer.getValue().roundToDouble(/*isSigned=*/true);
  else
    return std::nullopt;
  // The dialect's constants are finite, or minus infinity.
  if (std::isnan(number) || (std::isinf(number) && number > 0))
    return std::nullopt;
  return number;
}

namespace {

/// How the dialect names the type of a scalar; index counts as i64.
std::optional<DType> scalarType(Type type) {
  if (type.isIndex())
    return DType::I64;
  auto dtype = toSemanticsDType(type);
  return dtype == DType::F64 ? DType::F32 : dtype;
}

struct FloatPredicate {
  TablePredicate predicate;
  bool unordered;
};

std::optional<FloatPredicate> translate(arith::CmpFPredicate predicate) {
  switch (predicate) {
  case arith::CmpFPredicate::OEQ:
    return FloatPredicate{TablePredicate::Eq, false};
  case arith::CmpFPredicate::OGT:
    return FloatPredicate{TablePredicate::Gt, false};
  case arith::CmpFPredicate::OGE:
    return FloatPredicate{TablePredicate::Ge, false};
  case arith::CmpFPredicate::OLT:
    return FloatPredicate{TablePredicate::Lt, false};
  case arith::CmpFPredicate::OLE:
    return FloatPredicate{TablePredicate::Le, false};
  // `ne` of the table is true for a NaN.
  case arith::CmpFPredicate::UNE:
    return FloatPredicate{TablePredicate::Ne, false};
  case arith::CmpFPredicate::UGT:
    return FloatPredicate{TablePredicate::Gt, true};
  case arith::CmpFPredicate::UGE:
    return FloatPredicate{TablePredicate::Ge, true};
  case arith::CmpFPredicate::ULT:
    return FloatPredicate{TablePredicate::Lt, true};
  case arith::CmpFPredicate::ULE:
    return FloatPredicate{TablePredicate::Le, true};
  default:
    return std::nullopt;
  }
}

std::optional<TablePredicate> translate(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return TablePredicate::Eq;
  case arith::CmpIPredicate::ne:
    return TablePredicate::Ne;
  case arith::CmpIPredicate::slt:
    return TablePredicate::Lt;
  case arith::CmpIPredicate::sle:
    return TablePredicate::Le;
  case arith::CmpIPredicate::sgt:
    return TablePredicate::Gt;
  case arith::CmpIPredicate::sge:
    return TablePredicate::Ge;
  default:
    return std::nullopt;
  }
}

/// The predicate that holds for -x and -y where `predicate` does for x and y.
TablePredicate mirror(TablePredicate predicate) {
  switch (predicate) {
  case TablePredicate::Eq:
  case TablePredicate::Ne:
    return predicate;
  case TablePredicate::Lt:
    return TablePredicate::Gt;
  case TablePredicate::Le:
    return TablePredicate::Ge;
  case TablePredicate::Gt:
    return TablePredicate::Lt;
  case TablePredicate::Ge:
    return TablePredicate::Le;
  }
  llvm_unreachable("every predicate is listed");
}

/// The operator of the table that a float op is, all of one type.
std::optional<OpKind> floatKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<OpKind>>(op)
      .Case<arith::AddFOp>([](auto) { return OpKind::Add; })
      .Case<arith::SubFOp>([](auto) { return OpKind::Sub; })
      .Case<arith::MulFOp>([](auto) { return OpKind::Mul; })
      .Case<arith::DivFOp>([](auto) { return OpKind::Div; })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>(
          [](auto) { return OpKind::Max; })
      .Case<arith::MinimumFOp, arith::MinNumFOp>(
          [](auto) { return OpKind::Min; })
      .Case<arith::NegFOp>([](auto) { return OpKind::Neg; })
      .Case<math::AbsFOp>([](auto) { return OpKind::Abs; })
      .Case<math::ErfOp>([](auto) { return OpKind::Erf; })
      .Case<math::ExpOp>([](auto) { return OpKind::Exp; })
      .Case<math::LogOp>([](auto) { return OpKind::Log; })
      .Case<math::PowFOp>([](auto) { return OpKind::Pow; })
      .Case<math::RsqrtOp>([](auto) { return OpKind::Rsqrt; })
      .Case<math::SqrtOp>([](auto) { return OpKind::Sqrt; })
      .Case<math::TanhOp>([](auto) { return OpKind::Tanh; })
      .Default([](Operation *) { return std::nullopt; });
}

class BodyReader {
public:
  BodyReader(Raiser &raiser, Structured &structured)
      : raiser(raiser), structured(structured), body(structured.body) {}

  LogicalResult run() {
    linalg::LinalgOp op = structured.op;
    Block *block = op.getBlock();
    unsigned numInputs = op.getNumDpsInputs();
    for (unsigned i = 0; i < numInputs; ++i)
      readInput(i, block->getArgument(i));
    for (auto [i, argument] :
         llvm::enumerate(block->getArguments().drop_front(numInputs)))
      if (auto dtype = scalarType(argument.getType()))
        nodes[argument] = body.init(i, *dtype);
    for (Operation &inner : block->without_terminator())
      readOp(&inner);
    for (auto [i, yielded] :
         llvm::enumerate(block->getTerminator()->getOperands())) {
      structured.roots.emplace_back();
      if (op->getResult(i).use_empty())
        continue;
      auto root = node(yielded);
      if (!root)
        return raiser.refuse(why);
      structured.roots.back() = *root;
    }
    return success();
  }

private:
  void readInput(unsigned number, BlockArgument argument) {
    Value value = structured.op.getDpsInputOperand(number)->get();
    auto dtype = scalarType(argument.getType());
    if (!dtype)
      return;
    if (auto literal = raiser.splat(value)) {
      nodes[argument] = body.literal(*literal, *dtype);
      return;
    }
    if (!isa<RankedTensorType>(value.getType()))
      return;
    // One value that is read alike twice is one input.
    AffineMap map = structured.op.getIndexingMapsArray()[number];
    unsigned same = 0;
    while (structured.op.getDpsInputOperand(same)->get() != value ||
           structured.op.getIndexingMapsArray()[same] != map)
      ++same;
    nodes[argument] = body.input(same, *dtype, raiser.integerBound(value));
  }

  /// The node of a value of the region, or of a constant outside; else `why`
  /// is set.
  std::optional<NodeId> node(Value value) {
    auto found = nodes.find(value);
    if (found != nodes.end())
      return found->second;
    auto reason = reasons.find(value);
    if (reason != reasons.end()) {
      why = reason->second;
      return std::nullopt;
    }
    auto dtype = scalarType(value.getType());
    if (auto literal = dtype ? raiser.splat(value) : std::nullopt)
      return nodes[value] = body.literal(*literal, *dtype);
    why = "expected a body that computes with its inputs and with finite "
          "constants, but got " +
          describe(value);
    return std::nullopt;
  }

  std::optional<NodeId> refuse(const llvm::Twine &reason) {
    why = reason.str();
    return std::nullopt;
  }

  void readOp(Operation *op) {
    if (op->getNumResults() != 1)
      return;
    if (auto result = translateOp(op))
      nodes[op->getResult(0)] = *result;
    else
      reasons[op->getResult(0)] = why;
  }

  std::optional<NodeId> translateOp(Operation *op) {
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      return body.position(index.getDim(), structured.domain[index.getDim()]);
    auto dtype = scalarType(op->getResult(0).getType());
    if (!dtype)
      return refuse("expected element type f16, bf16, f32, i1, i32 or i64, but "
                    "got " +
                    describe(op->getResult(0)));
    if (op->hasTrait<OpTrait::ConstantLike>())
      return node(op->getResult(0));
    if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
            op->getDialect()))
      return refuseOp(op);
    if (auto compare = dyn_cast<arith::CmpFOp>(op))
      return readCompare(compare);
    SmallVector<NodeId> args;
    for (Value operand : op->getOperands()) {
      auto argument = node(operand);
      if (!argument)
        return std::nullopt;
      args.push_back(*argument);
    }
    if (auto kind = floatKind(op))
      return body.apply(*kind, args);
    if (isa<arith::ExtFOp, arith::TruncFOp>(op))
      return body.cast(args[0], *dtype);
    if (isa<arith::SelectOp>(op)) {
      if (body[args[1]].isInteger() && !exactInFloat({args[1], args[2]}))
        return std::nullopt;
      return body.select(args[0], args[1], args[2]);
    }
    if (auto power = dyn_cast<math::FPowIOp>(op))
      return readIntegerPower(args);
    return readInteger(op, args, *dtype);
  }

  std::optional<NodeId> refuseOp(Operation *op) {
    return refuse("expected ops of mgraph_kernel's table, but got '" +
                  op->getName().getStringRef() + "'");
  }

  std::optional<NodeId> readCompare(arith::CmpFOp op) {
    auto test = translate(op.getPredicate());
    if (!test)
      return refuse("expected a comparison eq, ne, lt, le, gt or ge, but got " +
                    arith::stringifyCmpFPredicate(op.getPredicate()));
    auto lhs = node(op.getLhs());
    if (!lhs)
      return std::nullopt;
    // The dialect has no plus infinity: x < inf is -x > -inf.
    if (isPlusInfinity(op.getRhs()))
      return body.compare(mirror(test->predicate), test->unordered,
                          body.apply(OpKind::Neg, {*lhs}),
                          body.literal(-HUGE_VAL, body[*lhs].dtype));
    auto rhs = node(op.getRhs());
    if (!rhs)
      return std::nullopt;
    return body.compare(test->predicate, test->unordered, *lhs, *rhs);
  }

  /// x^2 and x^3 as products; others stay powers.
  std::optional<NodeId> readIntegerPower(ArrayRef<NodeId> args) {
    auto exponent = body.value(args[1]);
    if (!exponent)
      return refuse("expected a constant exponent of 'math.fpowi', but got a "
                    "computed one");
    NodeId x = args[0];
    if (*exponent == 2.0)
      return body.apply(OpKind::Mul, {x, x});
    if (*exponent == 3.0)
      return body.apply(OpKind::Mul, {x, body.apply(OpKind::Mul, {x, x})});
    return body.apply(OpKind::Pow, {x, body.literal(*exponent, body[x].dtype)});
  }

  /// Integers of known range, and bits.
  std::optional<NodeId> readInteger(Operation *op, ArrayRef<NodeId> args,
                                    DType dtype) {
    bool bits = llvm::all_of(
        args, [&](NodeId arg) { return body[arg].dtype == DType::I1; });
    if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
      auto predicate = translate(compare.getPredicate());
      if (!predicate)
        return refuse("expected a signed comparison, but got " +
                      arith::stringifyCmpIPredicate(compare.getPredicate()));
      if (bits && *predicate != TablePredicate::Eq &&
          *predicate != TablePredicate::Ne)
        return refuse("expected bits that are compared by eq or ne, but got " +
                      arith::stringifyCmpIPredicate(compare.getPredicate()));
      if (bits)
        return compareBits(*predicate, args[0], args[1]);
      if (!exactInFloat(args))
        return std::nullopt;
      return body.compare(*predicate, false, args[0], args[1]);
    }
    NodeId no = body.literal(0.0, DType::I1);
    NodeId yes = body.literal(1.0, DType::I1);
    if (bits && isa<arith::AndIOp>(op))
      return body.select(args[0], args[1], no);
    if (bits && isa<arith::OrIOp>(op))
      return body.select(args[0], yes, args[1]);
    if (bits && isa<arith::XOrIOp>(op))
      return compareBits(TablePredicate::Ne, args[0], args[1]);
    if (isa<arith::UIToFPOp, arith::ExtUIOp>(op) && bits)
      return body.select(args[0], body.literal(1.0, dtype),
                         body.literal(0.0, dtype));
    if (isa<arith::IndexCastOp>(op) || (isa<arith::ExtSIOp>(op) && !bits))
      return args[0];
    if (isa<arith::SIToFPOp>(op) && !bits)
      return body.cast(args[0], dtype);
    std::optional<OpKind> kind;
    if (isa<arith::AddIOp>(op))
      kind = OpKind::Add;
    if (isa<arith::SubIOp>(op))
      kind = OpKind::Sub;
    if (isa<arith::MulIOp>(op))
      kind = OpKind::Mul;
    if (!kind || bits)
      return refuseOp(op);
    if (!exactInFloat(args))
      return std::nullopt;
    NodeId result = body.integerArithmetic(*kind, args[0], args[1]);
    if (!exactInFloat(result))
      return std::nullopt;
    return result;
  }

  bool exactInFloat(llvm::ArrayRef<NodeId> args) {
    for (NodeId arg : args)
      if (!body[arg].bound || *body[arg].bound > kExactIntegers) {
        why = "expected floats, or integers that stem from positions below "
              "2^24, but got integers of " +
              (body[arg].bound
                   ? llvm::formatv("up to {0:F0}", *body[arg].bound).str()
                   : std::string("unknown range"));
        return false;
      }
    return true;
  }

  /// Equality of bits, of which one is a constant.
  std::optional<NodeId> compareBits(TablePredicate predicate, NodeId x,
                                    NodeId y) {
    if (body.value(x))
      std::swap(x, y);
    auto known = body.value(y);
    if (!known)
      return refuse("expected bits that are compared with a constant, but got "
                    "two that are computed");
    bool keeps = (*known != 0.0) == (predicate == TablePredicate::Eq);
    return keeps ? x : body.logicalNot(x);
  }

  Raiser &raiser;
  Structured &structured;
  ScalarBody &body;
  llvm::DenseMap<Value, NodeId> nodes;
  llvm::DenseMap<Value, std::string> reasons;
  std::string why;
};

} // namespace

LogicalResult mirage::raising::readBody(Raiser &raiser,
                                        Structured &structured) {
  return BodyReader(raiser, structured).run();
}
