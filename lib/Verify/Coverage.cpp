//===- Coverage.cpp - What the blocks of a graph read and write -----------===//

#include "Mirage/Verify/Coverage.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace mirage;
using namespace mirage::verify;
using namespace mirage::semantics;

namespace {
/// Far above what these questions take; a deterministic stop.
constexpr unsigned kRlimit = 2000000;

std::string num(int64_t value) {
  return value < 0 ? "(- " + std::to_string(-value) + ")"
                   : std::to_string(value);
}

std::string times(int64_t factor, const std::string &term) {
  return "(* " + num(factor) + " " + term + ")";
}

std::string sum(llvm::ArrayRef<std::string> terms) {
  return terms.empty() ? "0" : "(+ 0 " + llvm::join(terms, " ") + ")";
}

/// An SMT-LIB script in the making.
class Script {
public:
  /// An integer of [0, bound).
  std::string range(const std::string &name, int64_t bound) {
    declare(name);
    require(within(name, bound));
    return name;
  }
  std::string declare(const std::string &name) {
    text += "(declare-const " + name + " Int)\n";
    return name;
  }
  void require(const std::string &claim) { text += "(assert " + claim + ")\n"; }
  static std::string within(const std::string &term, int64_t bound) {
    return "(and (<= 0 " + term + ") (< " + term + " " + num(bound) + "))";
  }
  const std::string &str() const { return text; }

private:
  std::string text;
};

/// One load or store.
struct Access {
  std::string name;
  const TensorType &tensor, &tile;
  GridMap map;
  int fmap = -1;
  bool interleaved = false;
  int64_t range = 1; ///< iterations, for a dim that fmap splits
};

class Prover {
public:
  Prover(const Program &program, solver::Solver &solver)
      : program(program), solver(solver) {}

  CoverageReport run() {
    for (const Op &op : program.ops)
      if (op.kind == OpKind::Graph && !proveGraph(op))
        break;
    return report;
  }

private:
  bool proveGraph(const Op &graph) {
    grid = graph.attrs.grid;
    size_t stores = 0;
    for (const Op &op : graph.body) {
      if (op.kind == OpKind::Load && !proveLoad(op, 1))
        return false;
      if (op.kind == OpKind::Loop)
        for (const Op &nested : op.body)
          if (nested.kind == OpKind::Load && !proveLoad(nested, op.attrs.range))
            return false;
      if (op.kind == OpKind::Store && !proveStore(op, graph.results[stores++]))
        return false;
    }
    return true;
  }

  bool proveLoad(const Op &op, int64_t range) {
    ++report.loads;
    Access access{"load of value " + std::to_string(op.operands[0]),
                  program.type(op.operands[0]),
                  program.type(op.results[0]),
                  op.attrs.imap,
                  op.attrs.fmap,
                  op.attrs.interleaved,
                  range};
    return checkRanks(access) && proveBounds(access);
  }

  bool proveStore(const Op &op, ValueId result) {
    ++report.stores;
    Access access{"store to value " + std::to_string(result),
                  program.type(result), program.type(op.operands[0]),
                  op.attrs.omap};
    return checkRanks(access) && proveBounds(access) && proveDisjoint(access) &&
           proveComplete(access);
  }

  bool checkRanks(const Access &access) {
    int64_t rank = access.tensor.rank();
    bool fits = access.tile.rank() == rank && access.fmap < rank;
    for (int dim : access.map)
      fits &= dim < rank;
    return fits || refute(access, "expected a tile and maps of rank " +
                                      llvm::Twine(rank));
  }

  /// The grid axes that split `dim`, x first.
  llvm::SmallVector<unsigned, 3> axesOf(const Access &access, int dim) const {
    llvm::SmallVector<unsigned, 3> axes;
    for (unsigned g = 0; g < 3; ++g)
      if (access.map[g] == dim)
        axes.push_back(g);
    return axes;
  }

  /// The number of the block among those that split `dim`.
  std::string blockIndex(llvm::ArrayRef<unsigned> axes,
                         const std::string &prefix) const {
    std::vector<std::string> terms;
    int64_t stride = 1;
    for (unsigned g : llvm::reverse(axes)) {
      terms.push_back(times(stride, prefix + std::to_string(g)));
      stride *= grid[g];
    }
    return sum(terms);
  }

  /// Declares the blocks, and gives the place of an element along `dim`. A
  /// store with an axis that it does not concatenate is done by block 0 there.
  std::string place(const Access &access, int dim, const std::string &block,
                    const std::string &element) const {
    auto axes = axesOf(access, dim);
    int64_t count = 1;
    for (unsigned g : axes)
      count *= grid[g];
    int64_t size = access.tile.shape[dim];
    std::string index = blockIndex(axes, block);
    bool split = access.fmap == dim;
    // (G * R + i) * t, or (i * N + G) * t.
    std::string first =
        !split ? times(size, index)
        : access.interleaved
            ? sum({times(count * size, "i"), times(size, index)})
            : sum({times(access.range * size, index), times(size, "i")});
    return sum({first, element});
  }

  void declareBlocks(Script &script, const std::string &prefix) const {
    for (unsigned g = 0; g < 3; ++g)
      script.range(prefix + std::to_string(g), grid[g]);
  }

  bool proveBounds(const Access &access) {
    for (int dim = 0; dim < access.tensor.rank(); ++dim) {
      Script script;
      declareBlocks(script, "b");
      script.range("i", access.range);
      script.range("e", access.tile.shape[dim]);
      script.require("(not " +
                     Script::within(place(access, dim, "b", "e"),
                                    access.tensor.shape[dim]) +
                     ")");
      if (!holds(script, access,
                 "an element lies outside of dimension " + llvm::Twine(dim) +
                     " of size " + llvm::Twine(access.tensor.shape[dim])))
        return false;
    }
    return true;
  }

  /// Two writes of one element are the same write.
  bool proveDisjoint(const Access &access) {
    Script script;
    declareBlocks(script, "b");
    declareBlocks(script, "c");
    std::vector<std::string> differences;
    for (unsigned g = 0; g < 3; ++g) {
      std::string axis = std::to_string(g);
      if (access.map[g] >= 0) {
        differences.push_back("(not (= b" + axis + " c" + axis + "))");
        continue;
      }
      script.require("(= b" + axis + " 0)");
      script.require("(= c" + axis + " 0)");
    }
    for (int dim = 0; dim < access.tensor.rank(); ++dim) {
      std::string e = "e" + std::to_string(dim), f = "f" + std::to_string(dim);
      script.range(e, access.tile.shape[dim]);
      script.range(f, access.tile.shape[dim]);
      script.require("(= " + place(access, dim, "b", e) + " " +
                     place(access, dim, "c", f) + ")");
      differences.push_back("(not (= " + e + " " + f + "))");
    }
    script.require("(or false " + llvm::join(differences, " ") + ")");
    return holds(script, access, "two writes meet in one element");
  }

  bool proveComplete(const Access &access) {
    for (int dim = 0; dim < access.tensor.rank(); ++dim) {
      int64_t size = access.tile.shape[dim];
      Script script;
      script.range("o", access.tensor.shape[dim]);
      auto axes = axesOf(access, dim);
      if (axes.empty()) {
        script.require("(not " + Script::within("o", size) + ")");
      } else if (size < 1) {
        // No quotient by a tile of no elements.
        return refute(access, "dimension " + llvm::Twine(dim) +
                                  " has tiles of no elements");
      } else {
        std::string first = "b" + std::to_string(axes.front());
        script.declare(first);
        for (unsigned g : llvm::ArrayRef(axes).drop_front())
          script.range("b" + std::to_string(g), grid[g]);
        script.range("e", size);
        script.require("(= o " + place(access, dim, "b", "e") + ")");
        script.require("(not " + Script::within(first, grid[axes.front()]) +
                       ")");
      }
      if (!holds(script, access,
                 "an element of dimension " + llvm::Twine(dim) + " of size " +
                     llvm::Twine(access.tensor.shape[dim]) + " is not written"))
        return false;
    }
    return true;
  }

  /// Whether nothing satisfies the negated claim.
  bool holds(const Script &script, const Access &access,
             const llvm::Twine &otherwise) {
    switch (solver.check(script.str(), kRlimit)) {
    case solver::Answer::Unsat:
      return true;
    case solver::Answer::Sat:
      return refute(access, otherwise);
    case solver::Answer::Unknown:
      report.outcome = CoverageReport::Outcome::CannotTell;
      report.reason =
          (access.name + ": cannot tell whether " + otherwise).str();
      return false;
    }
    return false;
  }

  bool refute(const Access &access, const llvm::Twine &reason) {
    report.outcome = CoverageReport::Outcome::Refuted;
    report.reason = (access.name + ": " + reason).str();
    return false;
  }

  const Program &program;
  solver::Solver &solver;
  GridDims grid = {1, 1, 1};
  CoverageReport report;
};
} // namespace

CoverageReport mirage::verify::proveCoverage(const Program &program,
                                             solver::Solver &solver) {
  return Prover(program, solver).run();
}

std::string mirage::verify::describe(const CoverageReport &report) {
  if (report.outcome != CoverageReport::Outcome::Proved)
    return report.reason;
  return ("loads in bounds, stores disjoint and complete (" +
          llvm::Twine(report.loads) + " and " + llvm::Twine(report.stores) +
          ")")
      .str();
}
