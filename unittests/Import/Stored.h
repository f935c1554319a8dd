//===- Stored.h - Small stored graphs to spoil ------------------*- C++ -*-===//

#ifndef MIRAGE_UNITTESTS_IMPORT_STORED_H
#define MIRAGE_UNITTESTS_IMPORT_STORED_H

#include "llvm/Support/JSON.h"
#include <vector>

namespace mirage::import::test {

namespace json = llvm::json;
using Sizes = std::vector<int64_t>;
// JSON's own constructors from braces are explicit.
using List = std::vector<json::Value>;
using Pairs = std::vector<std::pair<std::string, json::Value>>;

inline json::Object xyz(int64_t x, int64_t y, int64_t z) {
  return json::Object{{"x", x}, {"y", y}, {"z", z}};
}

/// A tensor of f16, in the first numbering.
inline json::Object tensor(int64_t guid, Sizes dims) {
  int64_t rank = dims.size();
  dims.resize(4, 0);
  return json::Object{{"guid", guid},
                      {"dim", json::Array(dims)},
                      {"num_dims", rank},
                      {"data_type", 921},
                      {"layout", "DmemRowMajor"}};
}

inline json::Object tile(int64_t guid, Sizes dims, bool after = false) {
  json::Object object = tensor(guid, std::move(dims));
  object["layout"] = "SmemRowMajor";
  object["after_accum"] = after;
  object["smem_offset"] = 0;
  return object;
}

inline json::Object op(const std::string &type, const List &inputs,
                       const List &outputs, const Pairs &fields = {}) {
  json::Object object{{"op_type", type},
                      {"input_tensors", json::Array(inputs)},
                      {"output_tensors", json::Array(outputs)}};
  for (const auto &[name, value] : fields)
    object[name] = value;
  return object;
}

inline json::Object input(int64_t guid, Sizes dims) {
  return op("kn_input_op", {}, {tensor(guid, std::move(dims))});
}

inline json::Object output(int64_t guid, Sizes dims) {
  return op("kn_output_op", {tensor(guid, std::move(dims))}, {});
}

inline json::Object load(json::Object tensor, json::Object tile,
                         json::Object map, int64_t forloopDim) {
  return op("tb_input_op", {}, {std::move(tile)},
            {{"dtensor", std::move(tensor)},
             {"input_map", std::move(map)},
             {"forloop_dim", forloopDim}});
}

inline json::Object store(json::Object tile, json::Object tensor,
                          json::Object map) {
  return op("tb_output_op", {std::move(tile)}, {},
            {{"dtensor", std::move(tensor)}, {"output_map", std::move(map)}});
}

inline json::Object customized(const List &inputs, const List &outputs,
                               json::Object grid, int64_t range,
                               const List &operators, int64_t dimX = 64) {
  return op("kn_customized_op", inputs, outputs,
            {{"bgraph", json::Object{{"graph_level", "thread_block_graph"},
                                     {"grid_dim", std::move(grid)},
                                     {"block_dim", xyz(128, 1, 1)},
                                     {"forloop_range", range},
                                     {"reduction_dimx", dimX},
                                     {"smem_offset", 0},
                                     {"operators", json::Array(operators)}}}});
}

/// rms_norm(x) w, split over 4 blocks and 2 iterations.
inline json::Value sample() {
  return json::Array{json::Array{
      input(1, {8, 64}), input(2, {64, 32}),
      customized(
          {tensor(1, {8, 64}), tensor(2, {64, 32})}, {tensor(3, {8, 32})},
          xyz(4, 1, 1), 2,
          {load(tensor(1, {8, 64}), tile(11, {8, 32}), xyz(-1, -1, -1), 1),
           load(tensor(2, {64, 32}), tile(12, {32, 8}), xyz(1, -1, -1), 0),
           op("tb_matmul_op", {tile(11, {8, 32}), tile(12, {32, 8})},
              {tile(13, {8, 8})}),
           op("tb_accum_nored_op", {tile(13, {8, 8})},
              {tile(14, {8, 8}, true)}),
           op("tb_accum_red_ld_rms_op", {tile(11, {8, 32})},
              {tile(15, {8, 1}, true)}),
           op("tb_div_op", {tile(14, {8, 8}, true), tile(15, {8, 1}, true)},
              {tile(16, {8, 8}, true)}),
           store(tile(16, {8, 8}, true), tensor(3, {8, 32}), xyz(1, -1, -1))}),
      output(3, {8, 32})}};
}

inline std::string text(const json::Value &value) {
  std::string result;
  llvm::raw_string_ostream(result) << value;
  return result;
}

} // namespace mirage::import::test

#endif // MIRAGE_UNITTESTS_IMPORT_STORED_H
