//===- ReadReport.cpp - Reports from JSON ---------------------------------===//

#include "Mirage/Report/Report.h"
#include "Mirage/Semantics/ProgramJSON.h"
#include "Mirage/Support/JSONDepth.h"
#include <algorithm>

namespace json = llvm::json;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

int64_t mirage::report::Fragment::winnerIndex() const {
  for (const Verdict &verdict : verdicts)
    if (verdict.judgement == "accepted")
      return verdict.candidate;
  return -1;
}

double mirage::report::Fragment::micros() const {
  int64_t winner = winnerIndex();
  return isReplaced() && winner >= 0 ? candidates[winner].predictedMicros
                                     : originalMicros;
}

namespace mirage::report {
// json::ObjectMapper finds these through the namespace of the types.

static bool fromJSON(const json::Value &value, Candidate &to, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("predicted_us", to.predictedMicros) &&
         map.map("sizes", to.sizes);
}

static bool fromJSON(const json::Value &value, Verdict &to, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("candidate", to.candidate) &&
         map.map("judgement", to.judgement) && map.map("verdict", to.text) &&
         map.map("seconds", to.seconds);
}

static bool fromJSON(const json::Value &value, Statistics &to,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("repeated", to.repeated) &&
         map.mapOptional("cached", to.cached) &&
         map.map("stopped", to.stopped) &&
         map.map("structures", to.structures) &&
         map.map("visited", to.visited) &&
         map.map("pruned_shape", to.prunedShape) &&
         map.map("pruned_expression", to.prunedExpression) &&
         map.map("pruned_bound", to.prunedBound) &&
         map.map("pruned_range", to.prunedRange) &&
         map.map("pruned_resource", to.prunedResource) &&
         map.map("merged", to.merged) && map.map("values", to.values) &&
         map.map("graphs", to.graphs) && map.map("instances", to.instances) &&
         map.map("questions", to.questions) &&
         map.map("z3_queries", to.z3Queries) &&
         map.map("z3_unknown", to.z3Unknown) && map.map("seconds", to.seconds);
}

/// A program, whose own reader says what is wrong with it.
static bool mapProgram(const json::Value *value, semantics::Program &to,
                       json::Path path) {
  if (!value) {
    path.report("missing value");
    return false;
  }
  Expected<semantics::Program> program = semantics::programFromJSON(*value);
  if (!program) {
    llvm::consumeError(program.takeError());
    path.report("expected a program that obeys its own rules");
    return false;
  }
  to = std::move(*program);
  return true;
}

static bool fromJSON(const json::Value &value, Fragment &to, json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("function", to.function) ||
      !map.map("location", to.location) || !map.map("outcome", to.outcome) ||
      !map.map("original", to.original) || !map.map("winner", to.winner) ||
      !map.map("ops", to.ops) || !map.map("original_us", to.originalMicros) ||
      !map.map("candidates", to.candidates) ||
      !map.map("verdicts", to.verdicts) || !map.map("search", to.search))
    return false;
  const json::Object &object = *value.getAsObject();
  if (!mapProgram(object.get("original_program"), to.originalProgram,
                  path.field("original_program")))
    return false;
  if (const json::Value *winner = object.get("winner_program")) {
    to.winnerProgram.emplace();
    if (!mapProgram(winner, *to.winnerProgram, path.field("winner_program")))
      return false;
  }
  if (const json::Object *certificate = object.getObject("certificate"))
    to.certificate = *certificate;
  for (size_t i = 0; i < to.verdicts.size(); ++i)
    if (to.verdicts[i].candidate < 0 ||
        to.verdicts[i].candidate >=
            static_cast<int64_t>(to.candidates.size())) {
      path.field("verdicts")
          .index(i)
          .field("candidate")
          .report("expected the place of a candidate");
      return false;
    }
  return true;
}

static bool fromJSON(const json::Value &value, Timed &to, json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("rank", to.rank) ||
      !map.map("predicted_us", to.predictedMicros) ||
      !map.map("summary", to.sizes) || !map.map("verdict", to.verdict))
    return false;
  if (const json::Object *plain = value.getAsObject()->getObject("plain"))
    if (to.verdict == "pass") {
      to.coldMicros = plain->getNumber("cold_us");
      to.warmMicros = plain->getNumber("warm_us");
    }
  return true;
}

/// Parses text of a schema, and calls `read` on the object.
static Error
parse(StringRef text, StringRef what, int64_t schema,
      llvm::function_ref<bool(const json::Value &, json::Path)> read) {
  if (Error error = checkJSONDepth(text))
    return error;
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return llvm::createStringError("expected JSON, but got " +
                                   llvm::toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  std::optional<int64_t> got =
      object ? object->getInteger("schema") : std::nullopt;
  if (!got)
    return llvm::createStringError("expected " + what +
                                   " with its schema, but got JSON without");
  if (*got != schema)
    return llvm::createStringError("expected " + what + " of schema " +
                                   llvm::Twine(schema) + ", but got " +
                                   llvm::Twine(*got));
  json::Path::Root root(what);
  if (!read(*value, root))
    return root.getError();
  return Error::success();
}

Expected<Report> parseReport(StringRef text) {
  Report report;
  if (Error error = parse(text, "report", kSchema,
                          [&](const json::Value &v, json::Path path) {
                            json::ObjectMapper map(v, path);
                            return map && map.map("target", report.target) &&
                                   map.map("searches", report.searches) &&
                                   map.map("nodes", report.nodes) &&
                                   map.map("repeats", report.repeats) &&
                                   map.map("left_out", report.leftOut) &&
                                   map.map("fragments", report.fragments);
                          }))
    return std::move(error);
  return report;
}

Expected<TuneResults> parseTuneResults(StringRef text) {
  TuneResults results;
  if (Error error =
          parse(text, "results", 1, [&](const json::Value &v, json::Path path) {
            json::ObjectMapper map(v, path);
            return map && map.map("device", results.device) &&
                   map.map("target", results.target) &&
                   map.map("program", results.program) &&
                   map.map("candidates", results.candidates);
          }))
    return std::move(error);
  return results;
}
} // namespace mirage::report
