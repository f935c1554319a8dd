//===- Z3Solver.cpp - Questions as Z3 terms -------------------------------===//
//
// The scaled-subset question in QF_LIA (no quantifier, so practically never
// unknown): integers f_c >= 0, one for each coordinate; booleans m_jk, "row j
// of the part lands on row k of the whole".
//
//   for each j     some m_jk
//   m_jk implies   f_c + part[j][c] = whole[k][c] for every c
//                  the signs of j and k differ exactly if f flips
//                  f_c = 0 for the columns that j landing on k forbids
//   for each k     at most one j has m_jk
//
// Terms are built and not parsed: parsing takes most of a short query's time.
//
//===----------------------------------------------------------------------===//

#include "Mirage/Solver/Solver.h"
#include "llvm/ADT/SmallVector.h"
#include <z3.h>

using namespace mirage::solver;

llvm::StringRef mirage::solver::stringify(Answer answer) {
  switch (answer) {
  case Answer::Sat:
    return "sat";
  case Answer::Unsat:
    return "unsat";
  case Answer::Unknown:
    return "unknown";
  }
  llvm_unreachable("covered switch");
}

namespace {
// Z3 calls this in place of exit(); the code is read with Z3_get_error_code.
void ignoreError(Z3_context, Z3_error_code) {}

Answer toAnswer(Z3_lbool value) {
  if (value == Z3_L_TRUE)
    return Answer::Sat;
  return value == Z3_L_FALSE ? Answer::Unsat : Answer::Unknown;
}

/// Making one takes longer than most questions; a solver object of its own for
/// each question keeps the answers independent of one another.
class Context {
public:
  Context() {
    Z3_config config = Z3_mk_config();
    context = Z3_mk_context(config);
    Z3_del_config(config);
    Z3_set_error_handler(context, ignoreError);
  }
  ~Context() { Z3_del_context(context); }
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  operator Z3_context() const { return context; }
  bool failed() const { return Z3_get_error_code(context) != Z3_OK; }

private:
  Z3_context context;
};

class SolverHandle {
public:
  SolverHandle(Context &context, unsigned rlimit)
      : context(context),
        solver(Z3_mk_solver_for_logic(context,
                                      Z3_mk_string_symbol(context, "QF_LIA"))) {
    Z3_solver_inc_ref(context, solver);
    Z3_params params = Z3_mk_params(context);
    Z3_params_inc_ref(context, params);
    Z3_params_set_uint(context, params, Z3_mk_string_symbol(context, "rlimit"),
                       rlimit);
    Z3_solver_set_params(context, solver, params);
    Z3_params_dec_ref(context, params);
  }
  ~SolverHandle() { Z3_solver_dec_ref(context, solver); }
  SolverHandle(const SolverHandle &) = delete;
  SolverHandle &operator=(const SolverHandle &) = delete;

  void require(Z3_ast term) { Z3_solver_assert(context, solver, term); }
  void parse(const char *text) { Z3_solver_from_string(context, solver, text); }
  Answer check() {
    if (context.failed())
      return Answer::Unknown;
    Answer answer = toAnswer(Z3_solver_check(context, solver));
    return context.failed() ? Answer::Unknown : answer;
  }

private:
  Context &context;
  Z3_solver solver;
};

class Z3Solver : public Solver {
public:
  Answer isScaledSubset(const SubsetQuestion &question,
                        unsigned rlimit) override {
    const ExponentRows &part = question.part, &whole = question.whole;
    if (part.empty())
      return Answer::Sat;
    if (whole.empty())
      return Answer::Unsat;
    SolverHandle solver(context, rlimit);
    Z3_sort intSort = Z3_mk_int_sort(context);
    Z3_sort boolSort = Z3_mk_bool_sort(context);
    auto number = [&](int value) { return Z3_mk_int(context, value, intSort); };

    unsigned coordinates = part[0].size();
    llvm::SmallVector<Z3_ast, 16> factor;
    for (unsigned c = 0; c < coordinates; ++c) {
      factor.push_back(
          Z3_mk_const(context, Z3_mk_int_symbol(context, c), intSort));
      solver.require(Z3_mk_ge(context, factor.back(), number(0)));
    }
    std::vector<std::vector<Z3_ast>> lands(part.size());
    int next = coordinates;
    auto sign = [](const std::vector<bool> &signs, size_t row) {
      return !signs.empty() && signs[row];
    };
    Z3_ast flip =
        Z3_mk_const(context, Z3_mk_int_symbol(context, next++), boolSort);
    for (size_t j = 0; j < part.size(); ++j) {
      for (size_t k = 0; k < whole.size(); ++k) {
        Z3_ast match =
            Z3_mk_const(context, Z3_mk_int_symbol(context, next++), boolSort);
        lands[j].push_back(match);
        llvm::SmallVector<Z3_ast, 16> equal;
        for (unsigned c = 0; c < coordinates; ++c) {
          Z3_ast terms[] = {factor[c], number(part[j][c])};
          equal.push_back(Z3_mk_eq(context, Z3_mk_add(context, 2, terms),
                                   number(whole[k][c])));
        }
        if (!question.zero.empty())
          for (unsigned c : question.zero[j][k])
            equal.push_back(Z3_mk_eq(context, factor[c], number(0)));
        bool differ =
            sign(question.partNegative, j) != sign(question.wholeNegative, k);
        equal.push_back(differ ? flip : Z3_mk_not(context, flip));
        solver.require(Z3_mk_implies(
            context, match, Z3_mk_and(context, equal.size(), equal.data())));
      }
      solver.require(Z3_mk_or(context, lands[j].size(), lands[j].data()));
    }
    for (size_t k = 0; k < whole.size(); ++k)
      for (size_t j = 0; j < part.size(); ++j)
        for (size_t l = 0; l < j; ++l) {
          Z3_ast both[] = {lands[j][k], lands[l][k]};
          solver.require(Z3_mk_not(context, Z3_mk_and(context, 2, both)));
        }
    return solver.check();
  }

  Answer check(llvm::StringRef smtlib, unsigned rlimit) override {
    SolverHandle solver(context, rlimit);
    solver.parse(smtlib.str().c_str());
    return solver.check();
  }

  std::string version() const override {
    unsigned major, minor, build, revision;
    Z3_get_version(&major, &minor, &build, &revision);
    return "z3 " + std::to_string(major) + "." + std::to_string(minor) + "." +
           std::to_string(build);
  }

private:
  Context context;
};
} // namespace

std::unique_ptr<Solver> mirage::solver::createZ3Solver() {
  return std::make_unique<Z3Solver>();
}
