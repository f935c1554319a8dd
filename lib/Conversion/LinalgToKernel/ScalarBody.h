//===- ScalarBody.h - What a structured op computes per element -*- C++ -*-===//
//
// The region of a structured linalg op as expressions over the table of
// operators (Mirage/Semantics). Reading a region either yields all of it or a
// reason why not, before anything is built.
//
// Nodes are unique: equal subexpressions have equal ids, so that "the same x
// twice" is a comparison of two numbers. A node comes after its arguments.
// Making a node simplifies it, from the spellings that front ends use to the
// operators of the table:
//
//   1 / (1 + exp(-x))                    sigmoid x
//   x * sigmoid x                        silu x
//   x * (0.5 * (1 + erf(x / sqrt 2)))    gelu_erf x
//   x * (0.5 * (1 + tanh(c (x + 0.044715 x^3))))   gelu_tanh x
//   x > y ? x : y                        max(x, y), and min, relu, clamp
//
// f64 is read as f32: a caller refuses f64 that is not between casts.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_CONVERSION_LINALGTOKERNEL_SCALARBODY_H
#define MIRAGE_CONVERSION_LINALGTOKERNEL_SCALARBODY_H

#include "Mirage/Semantics/Program.h"
#include <optional>
#include <vector>

namespace mirage::raising {

using NodeId = unsigned;

struct Node {
  enum class Form : uint8_t {
    Input,    ///< element of input `index`
    Init,     ///< element of output `index`: what a reduction has so far
    Position, ///< loop index of dim `index`
    Literal,  ///< `constant`
    Apply,    ///< `kind` on `args`
  };
  Form form = Form::Input;
  semantics::DType dtype = semantics::DType::F32;
  unsigned index = 0;
  semantics::ConstantValue constant;
  semantics::OpKind kind = semantics::OpKind::Add;
  semantics::Predicate predicate = semantics::Predicate::Eq; ///< Compare
  bool unordered = false;    ///< Compare: true if an operand is a NaN
  double lo = 0.0, hi = 0.0; ///< Clamp
  llvm::SmallVector<NodeId, 3> args;
  /// Integers: a bound of the magnitude, if one is known.
  std::optional<double> bound;

  bool isInteger() const {
    return dtype == semantics::DType::I32 || dtype == semantics::DType::I64;
  }
  bool operator==(const Node &o) const {
    return form == o.form && dtype == o.dtype && index == o.index &&
           constant == o.constant && kind == o.kind &&
           predicate == o.predicate && unordered == o.unordered && lo == o.lo &&
           hi == o.hi && args == o.args;
  }
};

/// Integers up to here are exact in f32, in which masks are computed.
constexpr double kExactIntegers = 16777216.0;

/// `value` rounded to `dtype`, to nearest even. Integers and f64 stay.
double roundTo(semantics::DType dtype, double value);

class ScalarBody {
public:
  const Node &operator[](NodeId id) const { return nodes[id]; }
  size_t size() const { return nodes.size(); }

  NodeId input(unsigned index, semantics::DType dtype,
               std::optional<double> bound);
  NodeId init(unsigned index, semantics::DType dtype);
  NodeId position(unsigned dim, int64_t extent);
  /// `value` must not be a NaN or plus infinity.
  NodeId literal(double value, semantics::DType dtype);
  /// An operator of the table with one type for arguments and result, which
  /// must be the right number of floats.
  NodeId apply(semantics::OpKind kind, llvm::ArrayRef<NodeId> args);
  NodeId cast(NodeId x, semantics::DType dtype);
  NodeId compare(semantics::Predicate predicate, bool unordered, NodeId x,
                 NodeId y);
  NodeId select(NodeId condition, NodeId x, NodeId y);
  NodeId logicalNot(NodeId x);
  /// Sum, difference or product of bounded integers.
  NodeId integerArithmetic(semantics::OpKind kind, NodeId x, NodeId y);

  bool isApply(NodeId id, semantics::OpKind kind) const {
    return nodes[id].form == Node::Form::Apply && nodes[id].kind == kind;
  }
  /// The value of a literal.
  std::optional<double> value(NodeId id) const;
  /// Whether `id` is the literal that `exact` becomes in its own type.
  bool isLiteral(NodeId id, double exact) const;
  /// Whether `id` depends on an init.
  bool readsInit(NodeId id) const;

private:
  NodeId add(Node node);
  NodeId make(semantics::OpKind kind, llvm::ArrayRef<NodeId> args,
              semantics::DType dtype);
  std::optional<NodeId> fold(semantics::OpKind kind,
                             llvm::ArrayRef<NodeId> args);
  std::optional<NodeId> matchSigmoid(llvm::ArrayRef<NodeId> args);
  std::optional<NodeId> matchProduct(NodeId x, NodeId y);
  std::optional<NodeId> matchExtremum(semantics::OpKind kind, NodeId x,
                                      NodeId y);
  /// The other argument if `id` is `kind` with a literal argument equal to
  /// `exact`; the kind must be commutative.
  std::optional<NodeId> without(NodeId id, semantics::OpKind kind,
                                double exact) const;
  bool isGeluErfFactor(NodeId factor, NodeId x) const;
  bool isGeluTanhFactor(NodeId factor, NodeId x) const;

  std::vector<Node> nodes;
};

} // namespace mirage::raising

#endif // MIRAGE_CONVERSION_LINALGTOKERNEL_SCALARBODY_H
