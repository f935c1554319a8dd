//===- Analysis.h - What the search reads off its input ---------*- C++ -*-===//
//
// Size classes of the dimensions, and the operators that the program is made
// of, as templates that the enumeration applies to values of its own.
//
//===----------------------------------------------------------------------===//

#ifndef MIRAGE_LIB_SEARCH_ANALYSIS_H
#define MIRAGE_LIB_SEARCH_ANALYSIS_H

#include "Mirage/Search/Expression.h"
#include "Mirage/Search/Field.h"
#include "Mirage/Semantics/Program.h"
#include <optional>
#include <string>

namespace mirage::search {

/// One elementwise op with one tensor operand: a unary op, or a binary op with
/// a constant on one side.
struct ScalarOp {
  semantics::OpKind kind;
  semantics::Attrs attrs;
  bool hasConstant = false;
  bool constantLeft = false;
  semantics::ConstantValue constant;
};

/// A map: elementwise ops from one tensor to one of its shape. Slot 0 is the
/// argument, step i yields slot i + 1.
struct MapTemplate {
  struct Step {
    ScalarOp op;
    int lhs = 0;
    int rhs = -1; ///< a second slot, of binary ops without a constant
  };
  std::vector<Step> steps;
  /// One function to the expressions, whose inside is not searched: maps that
  /// read their argument several times (silu, gelu however they are spelled).
  /// Expanded, their products of sums would fill the search with parts of them.
  bool opaque = false;
};

/// A change of shape that only inserts and removes dims of size 1.
struct ReshapeTemplate {
  llvm::SmallVector<int, 6> from, to; ///< size classes, -1 for size 1
};

/// A size class: dims that have one extent in every program of this shape.
struct SizeClass {
  int64_t extent = 1;
  bool contracted = false; ///< summed or maximised over somewhere
  bool output = false;     ///< a dim of some output
  bool batch = false; ///< ahead of the last two dims of some input or output
};

struct Analysis {
  /// Whether maps and squares of sums are one function to the expressions.
  bool opaqueMaps = true;
  const semantics::Program *program = nullptr;
  std::vector<SizeClass> classes;
  /// For each value the class of each dim; -1 for dims of size 1.
  std::vector<llvm::SmallVector<int, 6>> dims;
  /// The class that a size-tied constant of this extent follows.
  std::map<int64_t, int> extentClass;
  /// Values that are splat constants.
  std::vector<std::optional<semantics::ConstantValue>> constants;

  std::vector<MapTemplate> maps;
  /// For each map that only scales by a constant, the values that the program
  /// scales; empty for others.
  std::vector<std::vector<semantics::ValueId>> scaledValues;
  /// For each value that an opaque map yields, the map and its argument.
  std::map<semantics::ValueId, std::pair<int, semantics::ValueId>> opaqueValues;
  std::vector<ReshapeTemplate> reshapes;
  std::vector<llvm::SmallVector<int64_t, 6>> transposes;
  std::vector<semantics::OpKind> binaries;
  bool hasMatmul = false, hasMatmulTransposed = false;
  bool hasSum = false, hasMax = false;
  semantics::DType matmulType = semantics::DType::F32;
  /// For each map whether it has an exp, and the program takes that map's exp
  /// of x - max(x) only: then no candidate takes it of what may be positive.
  std::vector<bool> boundedMaps;
};

/// Why `program` cannot be searched, or what the search needs to know.
/// With `opaqueMaps` unset every map is searched inside.
llvm::Expected<Analysis> analyze(const semantics::Program &program,
                                 bool opaqueMaps = true);

/// The values of all of the program's tensors at shrunken sizes.
std::vector<FieldTensor> evaluateField(const Analysis &analysis,
                                       llvm::ArrayRef<int> classExtents,
                                       FieldDomain &domain, uint64_t seed);

/// The expressions of all of the program's tensors at shrunken sizes.
std::vector<PolyId> evaluateExpressions(const Analysis &analysis,
                                        llvm::ArrayRef<int> classExtents,
                                        ExpressionPool &pool);

/// Shape of a value at shrunken sizes.
llvm::SmallVector<int, 6> shrunkenShape(const Analysis &analysis,
                                        semantics::ValueId value,
                                        llvm::ArrayRef<int> classExtents);

/// The expression of map number `index` on an argument.
PolyId mapExpression(const Analysis &analysis, int index, PolyId argument,
                     ExpressionPool &pool);

/// Applies a map's steps in a domain.
template <class D>
typename D::Value applyMap(D &domain, const MapTemplate &map,
                           typename D::Value argument);

} // namespace mirage::search

#include "Mirage/Semantics/Evaluate.h"

template <class D>
typename D::Value mirage::search::applyMap(D &domain, const MapTemplate &map,
                                           typename D::Value argument) {
  llvm::SmallVector<typename D::Value, 8> slots{argument};
  for (const MapTemplate::Step &step : map.steps) {
    llvm::SmallVector<typename D::Value, 2> args{slots[step.lhs]};
    if (step.rhs >= 0)
      args.push_back(slots[step.rhs]);
    if (step.op.hasConstant) {
      auto c = domain.constant(step.op.constant);
      args.insert(step.op.constantLeft ? args.begin() : args.end(), c);
    }
    slots.push_back(semantics::evalElementwise(
        domain, step.op.kind, step.op.attrs, args, semantics::DType::F32));
  }
  return slots.back();
}

#endif // MIRAGE_LIB_SEARCH_ANALYSIS_H
