//===- FoundGraphs.cpp - Graphs that a search found, made small -----------===//

#include "../../Search/Programs.h"
#include "Corpus.h"
#include "Mirage/Import/MugraphJSON.h"
#include "Mirage/Search/Search.h"
#include "Shrink.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mirage;
using namespace mirage::semantics;
using namespace mirage::verify::mutation;
using mirage::search::test::Builder;

namespace {
void addSmall(std::vector<Base> &corpus, const std::string &name,
              const Program &reference, const Program &found) {
  if (auto pair = verify::shrink(reference, found))
    corpus.push_back({name, pair->f, pair->g});
}

Program siluProduct() {
  Builder b;
  ValueId x = b.input({8, 4096}), w1 = b.input({4096, 4096}),
          w2 = b.input({4096, 4096});
  ValueId gate = b.op(OpKind::Silu, {b.matmul(x, w1)});
  return b.finish({b.op(OpKind::Mul, {gate, b.matmul(x, w2)})});
}
Program unshiftedAttention() {
  Builder b;
  ValueId q = b.input({2, 256, 64}), k = b.input({2, 64, 4096}),
          v = b.input({2, 4096, 64});
  ValueId e = b.op(OpKind::Exp, {b.matmul(q, k)});
  Attrs attrs;
  attrs.dims = {2};
  ValueId p = b.op(OpKind::Div, {e, b.op(OpKind::Reduce, {e}, attrs)});
  return b.finish({b.matmul(p, v)});
}
Program storedNTrans() {
  Builder b;
  ValueId h = b.input({8, 4096}), x = b.input({8, 4096}),
          alpha = b.input({8, 4096});
  ValueId sum = b.op(OpKind::Add, {b.rmsNorm(h, 0), x});
  ValueId step = b.op(OpKind::Mul, {alpha, sum});
  return b.finish({b.rmsNorm(b.op(OpKind::Add, {x, step}), 0)});
}
Program storedRmsNorm() {
  return search::test::rmsNormLinear(16, 4096, 6144, 0);
}

struct Stored {
  const char *file;
  Program (*reference)();
};
constexpr Stored kStored[] = {{"rmsnorm_bs8", storedRmsNorm},
                              {"gated_mlp", siluProduct},
                              {"lora", search::test::lora},
                              {"gqa_bs1", unshiftedAttention},
                              {"ntrans_bs1", storedNTrans}};

Program searchedRmsNorm() { return search::test::rmsNormLinear(); }
Program searchedLayerNorm() { return search::test::layerNormLinear(); }
Program searchedGelu() { return search::test::linearGelu(); }
Program searchedAttention() { return search::test::attention(); }

struct Searched {
  const char *name;
  Program (*build)();
};
/// Those that are found soonest come first.
constexpr Searched kSearched[] = {
    {"rmsnorm_linear", searchedRmsNorm},
    {"gated_mlp", siluProduct},
    {"lora", search::test::lora},
    {"gpt2_linear_gelu", searchedGelu},
    {"residual_norm_qkv", search::test::residualNormLinear},
    {"qwen_norm_gate_up", search::test::normGatedMlp},
    {"softmax", search::test::softmaxRows},
    {"layernorm_linear", searchedLayerNorm},
    {"attention", searchedAttention},
};
} // namespace

void mirage::verify::mutation::addSearchWinners(std::vector<Base> &corpus,
                                                unsigned count) {
  search::SearchOptions options(*cost::findTarget("sm_90a"));
  for (const Searched &one : llvm::ArrayRef(kSearched).take_front(count)) {
    Program program = one.build();
    auto found = search::search(program, options);
    if (!found) {
      llvm::consumeError(found.takeError());
      continue;
    }
    for (size_t i = 0; i < found->candidates.size(); ++i)
      addSmall(corpus, std::string("search.") + one.name + std::to_string(i),
               program, found->candidates[i].program);
  }
}

void mirage::verify::mutation::addStoredGraphs(std::vector<Base> &corpus,
                                               llvm::StringRef folder,
                                               unsigned perFile) {
  for (const Stored &one : kStored) {
    auto buffer =
        llvm::MemoryBuffer::getFile(folder + "/" + one.file + ".json");
    if (!buffer)
      continue;
    auto file = import::readMugraphs((*buffer)->getBuffer());
    if (!file) {
      llvm::consumeError(file.takeError());
      continue;
    }
    for (size_t i = 0; i < file->graphs.size() && i < perFile; ++i)
      addSmall(corpus, std::string("stored.") + one.file + std::to_string(i),
               one.reference(), file->graphs[i]);
  }
}
