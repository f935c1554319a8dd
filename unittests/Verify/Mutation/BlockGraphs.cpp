//===- BlockGraphs.cpp - Hand-written block graphs at small sizes ---------===//

#include "../AttentionPrograms.h"
#include "../EpiloguePrograms.h"
#include "Corpus.h"

using namespace mirage::verify::mutation;
using namespace mirage::verify::test;
using mirage::verify::mutation::Base;

void mirage::verify::mutation::addBlockGraphs(std::vector<Base> &corpus) {
  auto named = [](const char *name, FusedShape s) {
    return std::string(name) + "." + std::to_string(s.colBlocks) + "x" +
           std::to_string(s.splitK) + "x" + std::to_string(s.range) +
           (s.interleaved ? "i" : "");
  };
  constexpr Sizes kSmallest = {3, 12, 4}, kEqual = {4, 4, 4};
  for (FusedShape s : {FusedShape{2, 1, 3}, {2, 2, 3}, {1, 2, 3, true}}) {
    corpus.push_back({named("rmsnorm_linear", s), rmsNormLinear(kSmallest),
                      fusedRmsNormLinear(kSmallest, s)});
    corpus.push_back({named("gated_mlp", s), gatedMlp(kSmallest),
                      fusedGatedMlp(kSmallest, s)});
  }
  for (FusedShape s : {FusedShape{2, 1, 2}, {2, 2, 1}, {4, 2, 2}}) {
    corpus.push_back({named("rmsnorm_linear.square", s), rmsNormLinear(kEqual),
                      fusedRmsNormLinear(kEqual, s)});
    corpus.push_back({named("gated_mlp.square", s), gatedMlp(kEqual),
                      fusedGatedMlp(kEqual, s)});
  }
  corpus.push_back({"layernorm_linear.fused", layerNormLinear(),
                    fusedLayerNormLinear(true)});
  for (OpKind gelu : {OpKind::GeluTanh, OpKind::GeluErf})
    corpus.push_back({"bias_" + mnemonic(gelu).str() + ".fused",
                      biasGelu(gelu, DType::F32),
                      fusedBiasGelu(gelu, DType::F32, false)});
  for (int64_t tiles : {2, 3, 6})
    corpus.push_back({"attention.online" + std::to_string(tiles), attention(),
                      online(true, true, tiles)});
  corpus.push_back(
      {"attention.no_shift", attention(), online(false, /*usesMax=*/false)});
  corpus.push_back({"attention.split_keys", attention(), splitKeys(true)});
}
