"""Small programs that between them use every path of the lowering.

Each case is MLIR text; what it must compute is what the interpreter says.
"""
from __future__ import annotations


def tensor(shape, dtype) -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}{dtype}>"


def unary(op, shape, dtype, extra="", result=None) -> str:
    t, r = tensor(shape, dtype), tensor(shape, result or dtype)
    return (f"func.func @f(%x: {t}) -> {r} {{\n"
            f"  %0 = mgraph_kernel.{op} %x{extra} : {t} -> {r}\n  return %0 : {r}\n}}\n")


def binary(op, a, b, out, dtype, predicate="", result=None) -> str:
    ta, tb, to = tensor(a, dtype), tensor(b, dtype), tensor(out, result or dtype)
    return (f"func.func @f(%x: {ta}, %y: {tb}) -> {to} {{\n"
            f"  %0 = mgraph_kernel.{op} {predicate}%x, %y : ({ta}, {tb}) -> {to}\n  return %0 : {to}\n}}\n")


def moved(op, a, out, dtype, extra) -> str:
    ta, to = tensor(a, dtype), tensor(out, dtype)
    return (f"func.func @f(%x: {ta}) -> {to} {{\n"
            f"  %0 = mgraph_kernel.{op} %x{extra} : {ta} -> {to}\n  return %0 : {to}\n}}\n")


def reduce(kind, a, dims, dtype) -> str:
    out = [1 if d in dims else n for d, n in enumerate(a)]
    ta, to = tensor(a, dtype), tensor(out, dtype)
    return (f"func.func @f(%x: {ta}) -> {to} {{\n"
            f"  %0 = mgraph_kernel.reduce {kind} %x dims {list(dims)} : {ta} -> {to}\n  return %0 : {to}\n}}\n")


def matmul(a, b, out, dtype, transposed=False) -> str:
    return binary("matmul", a, b, out, dtype).replace(
        "%y : (", "%y transpose_rhs : (" if transposed else "%y : (")


SELECT = """func.func @f(%x: tensor<5x33xf32>, %y: tensor<5x1xf32>) -> tensor<5x33xf32> {
  %c = mgraph_kernel.compare lt %x, %y : (tensor<5x33xf32>, tensor<5x1xf32>) -> tensor<5x33xi1>
  %0 = mgraph_kernel.select %c, %x, %y : (tensor<5x33xi1>, tensor<5x33xf32>, tensor<5x1xf32>) -> tensor<5x33xf32>
  return %0 : tensor<5x33xf32>
}
"""

CAUSAL = """func.func @f(%s: tensor<2x24x24xf16>) -> tensor<2x24x24xf16> {
  %r = mgraph_kernel.iota dim 1 : tensor<1x24x1xf32>
  %c = mgraph_kernel.iota dim 2 : tensor<1x1x24xf32>
  %m = mgraph_kernel.compare ge %r, %c : (tensor<1x24x1xf32>, tensor<1x1x24xf32>) -> tensor<1x24x24xi1>
  %n = mgraph_kernel.constant neg_inf : tensor<1x1x1xf16>
  %0 = mgraph_kernel.select %m, %s, %n : (tensor<1x24x24xi1>, tensor<2x24x24xf16>, tensor<1x1x1xf16>) -> tensor<2x24x24xf16>
  %1 = mgraph_kernel.softmax %0 dim 2 : tensor<2x24x24xf16> -> tensor<2x24x24xf16>
  return %1 : tensor<2x24x24xf16>
}
"""

CONCAT = """func.func @f(%x: tensor<3x8x5xf16>, %y: tensor<3x2x5xf16>, %z: tensor<3x7x5xf16>) -> tensor<3x17x5xf16> {
  %0 = mgraph_kernel.concat %x, %y, %z dim 1 : (tensor<3x8x5xf16>, tensor<3x2x5xf16>, tensor<3x7x5xf16>) -> tensor<3x17x5xf16>
  return %0 : tensor<3x17x5xf16>
}
"""


def gather(data, dim, count, index) -> str:
    out = list(data)
    out[dim] = count
    td, ti, to = tensor(data, "f32"), tensor([count], index), tensor(out, "f32")
    return (f"func.func @f(%x: {td}, %i: {ti}) -> {to} {{\n"
            f"  %0 = mgraph_kernel.gather %x, %i dim {dim} : ({td}, {ti}) -> {to}\n  return %0 : {to}\n}}\n")


def rms_norm(rows, cols, dtype) -> str:
    t, w = tensor([rows, cols], dtype), tensor([1, cols], dtype)
    return (f"func.func @f(%x: {t}, %w: {w}) -> {t} {{\n"
            f"  %0 = mgraph_kernel.rms_norm %x scale %w eps 1.0e-05 : ({t}, {w}) -> {t}\n  return %0 : {t}\n}}\n")


def layer_norm(rows, cols, dtype) -> str:
    t, w = tensor([rows, cols], dtype), tensor([1, cols], dtype)
    return (f"func.func @f(%x: {t}, %w: {w}, %b: {w}) -> {t} {{\n"
            f"  %0 = mgraph_kernel.layer_norm %x scale %w bias %b eps 1.0e-05 : ({t}, {w}, {w}) -> {t}\n"
            f"  return %0 : {t}\n}}\n")


def attention(batch, heads, queries, keys, depth, dtype) -> str:
    q, k = tensor([batch, heads, queries, depth], dtype), tensor([batch, heads, keys, depth], dtype)
    s, c = tensor([batch, heads, queries, keys], dtype), tensor([1, 1, 1, 1], dtype)
    return f"""func.func @f(%q: {q}, %k: {k}, %v: {k}) -> {q} {{
  %0 = mgraph_kernel.matmul %q, %k transpose_rhs : ({q}, {k}) -> {s}
  %1 = mgraph_kernel.constant rsqrt_extent {depth} : {c}
  %2 = mgraph_kernel.mul %0, %1 : ({s}, {c}) -> {s}
  %3 = mgraph_kernel.softmax %2 dim 3 : {s} -> {s}
  %4 = mgraph_kernel.matmul %3, %v : ({s}, {k}) -> {q}
  return %4 : {q}
}}
"""


HEADS = """func.func @f(%x: tensor<24x64xf16>, %w: tensor<64x64xf16>) -> (tensor<4x24x16xf16>, tensor<24x64xf16>) {
  %0 = mgraph_kernel.matmul %x, %w : (tensor<24x64xf16>, tensor<64x64xf16>) -> tensor<24x64xf16>
  %1 = mgraph_kernel.reshape %0 : tensor<24x64xf16> -> tensor<24x4x16xf16>
  %2 = mgraph_kernel.transpose %1 perm [1, 0, 2] : tensor<24x4x16xf16> -> tensor<4x24x16xf16>
  %3 = mgraph_kernel.relu %0 : tensor<24x64xf16> -> tensor<24x64xf16>
  return %2, %3 : tensor<4x24x16xf16>, tensor<24x64xf16>
}
"""

OUTPUTS = """func.func @f(%x: tensor<8x24xf32>) -> (tensor<8x24xf32>, tensor<192xf32>, tensor<192xf32>, tensor<2x3xf32>) {
  %0 = mgraph_kernel.exp %x : tensor<8x24xf32> -> tensor<8x24xf32>
  %1 = mgraph_kernel.reshape %0 : tensor<8x24xf32> -> tensor<192xf32>
  %2 = mgraph_kernel.constant 0.1 : tensor<2x3xf32>
  return %x, %1, %1, %2 : tensor<8x24xf32>, tensor<192xf32>, tensor<192xf32>, tensor<2x3xf32>
}
"""


def rmsnorm_linear(m, k, n, bn, bk, z, stages, dtype="f16", threads=128) -> str:
    steps, cols = k // z // bk, n // bn
    acc, total = ("%accr", "%ssr") if z > 1 else ("%acc", "%ss")
    combine = "" if z == 1 else f"""
    %accr = reduce_blocks sum %acc dim 2 : <{m}x{bn}xf32>
    %ssr = reduce_blocks sum %ss dim 2 : <{m}x1xf32>"""
    x, w, o = tensor([m, k], dtype), tensor([k, n], dtype), tensor([m, n], dtype)
    return f"""func.func @f(%x: {x}, %w: {w} {{mirage.constant}}) -> {o} {{
  %o = mgraph_kernel.graph (%a = %x, %b = %w) grid [{cols}, 1, {z}] cluster [1, 1, {z}] attributes {{threads = {threads} : i64, stages = {stages} : i64}} : ({x}, {w}) -> {o} {{
    %acc, %ss = for %i = {steps} -> <{m}x{bn}xf32>, <{m}x1xf32> {{
      %0 = load %a[%i] imap [-1, -1, 1] fmap 1 : {x} -> <{m}x{bk}x{dtype}>
      %1 = load %b[%i] imap [1, -1, 0] fmap 0 : {w} -> <{bk}x{bn}x{dtype}>
      %2 = matmul %0, %1 : (<{m}x{bk}x{dtype}>, <{bk}x{bn}x{dtype}>) -> <{m}x{bn}xf32>
      %3 = square %0 : <{m}x{bk}x{dtype}> -> <{m}x{bk}xf32>
      yield sum %2, sum(1) %3 : <{m}x{bn}xf32>, <{m}x{bk}xf32>
    }}{combine}
    %inv = constant inv_extent {k} : <1x1xf32>
    %mean = mul {total}, %inv : (<{m}x1xf32>, <1x1xf32>) -> <{m}x1xf32>
    %eps = constant 1.0e-06 : <1x1xf32>
    %v = add %mean, %eps : (<{m}x1xf32>, <1x1xf32>) -> <{m}x1xf32>
    %rs = rsqrt %v : <{m}x1xf32> -> <{m}x1xf32>
    %t = mul {acc}, %rs : (<{m}x{bn}xf32>, <{m}x1xf32>) -> <{m}x{bn}xf32>
    %s = store %t omap [1, -1, -1] : <{m}x{bn}xf32> -> {o}
    yield %s : {o}
  }}
  return %o : {o}
}}
"""


def softmax_graph(rows, cols, blocks, dtype) -> str:
    """No loop: a tile, its row maxima and sums, in registers."""
    t, b = tensor([rows, cols], dtype), rows // blocks
    tile, f, one = f"<{b}x{cols}x{dtype}>", f"<{b}x{cols}xf32>", f"<{b}x1xf32>"
    return f"""func.func @f(%x: {t}) -> {t} {{
  %o = mgraph_kernel.graph (%a = %x) grid [{blocks}, 1, 1] : ({t}) -> {t} {{
    %0 = load %a imap [0, -1, -1] : {t} -> {tile}
    %1 = reduce max %0 dims [1] : {tile} -> {one}
    %2 = sub %0, %1 : ({tile}, {one}) -> {f}
    %3 = exp %2 : {f} -> {f}
    %4 = reduce sum %3 dims [1] : {f} -> {one}
    %5 = div %3, %4 : ({f}, {one}) -> {f}
    %s = store %5 omap [0, -1, -1] : {f} -> {t}
    yield %s : {t}
  }}
  return %o : {t}
}}
"""


def flash(heads, queries, keys, depth, block, dtype) -> str:
    """Online softmax: a running maximum, and two rescaled sums."""
    q, k = tensor([heads, queries, depth], dtype), tensor([heads, keys, depth], dtype)
    one, out, p = f"<1x{queries}x1xf32>", f"<1x{queries}x{depth}xf32>", f"<1x{queries}x{block}xf32>"
    half, tq, tk = f"<1x{queries}x{block}x{dtype}>", f"<1x{queries}x{depth}x{dtype}>", f"<1x{block}x{depth}x{dtype}>"
    return f"""func.func @f(%q: {q}, %k: {k}, %v: {k}) -> {q} {{
  %o = mgraph_kernel.graph (%a = %q, %b = %k, %c = %v) grid [{heads}, 1, 1] : ({q}, {k}, {k}) -> {q} {{
    %m, %l, %acc = for %i = {keys // block} -> {one}, {one}, {out} {{
      %0 = load %a imap [0, -1, -1] : {q} -> {tq}
      %1 = load %b[%i] imap [0, -1, -1] fmap 1 : {k} -> {tk}
      %2 = load %c[%i] imap [0, -1, -1] fmap 1 : {k} -> {tk}
      %3 = matmul %0, %1 transpose_rhs : ({tq}, {tk}) -> {p}
      %now = running current 0[%i] : {one}
      %before = running previous 0[%i] : {one}
      %4 = sub %3, %now : ({p}, {one}) -> {p}
      %5 = exp %4 : {p} -> {p}
      %6 = sub %before, %now : ({one}, {one}) -> {one}
      %7 = exp %6 : {one} -> {one}
      %8 = cast %5 : {p} -> {half}
      %9 = matmul %8, %2 : ({half}, {tk}) -> {out}
      yield max(2) %3, rescale(%7, 2) %5, rescale(%7) %9 : {p}, {one}, {p}, {one}, {out}
    }}
    %t = div %acc, %l : ({out}, {one}) -> {out}
    %s = store %t omap [0, -1, -1] : {out} -> {q}
    yield %s : {q}
  }}
  return %o : {q}
}}
"""


TWO_LOOPS = """func.func @f(%x: tensor<16x128xf16>, %w: tensor<128x64xf16>) -> (tensor<16x64xf16>, tensor<16x1xf32>) {
  %o:2 = mgraph_kernel.graph (%a = %x, %b = %w) grid [2, 1, 1] : (tensor<16x128xf16>, tensor<128x64xf16>) -> (tensor<16x64xf16>, tensor<16x1xf32>) {
    %ss = for %i = 4 -> <16x1xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] fmap 1 : tensor<16x128xf16> -> <16x32xf16>
      %1 = square %0 : <16x32xf16> -> <16x32xf32>
      yield sum(1) %1 : <16x32xf32>
    }
    %r = rsqrt %ss : <16x1xf32> -> <16x1xf32>
    %acc = for %i = 4 -> <16x32xf32> {
      %0 = load %a[%i] imap [-1, -1, -1] fmap 1 : tensor<16x128xf16> -> <16x32xf16>
      %1 = load %b[%i] imap [1, -1, -1] fmap 0 : tensor<128x64xf16> -> <32x32xf16>
      %2 = matmul %0, %1 : (<16x32xf16>, <32x32xf16>) -> <16x32xf32>
      yield sum %2 : <16x32xf32>
    }
    %t = mul %acc, %r : (<16x32xf32>, <16x1xf32>) -> <16x32xf32>
    %s = store %t omap [1, -1, -1] : <16x32xf32> -> tensor<16x64xf16>
    %u = store %ss omap [-1, -1, -1] : <16x1xf32> -> tensor<16x1xf32>
    yield %s, %u : tensor<16x64xf16>, tensor<16x1xf32>
  }
  return %o#0, %o#1 : tensor<16x64xf16>, tensor<16x1xf32>
}
"""

IOTAS = """func.func @f() -> (tensor<3x4xi64>, tensor<3x4xi32>, tensor<3x4xi1>, tensor<2x3xi64>) {
  %0 = mgraph_kernel.iota dim 1 : tensor<3x4xi64>
  %1 = mgraph_kernel.iota dim 0 : tensor<3x4xi32>
  %2 = mgraph_kernel.iota dim 0 : tensor<3x4xi1>
  %3 = mgraph_kernel.constant 3.0 : tensor<2x3xi64>
  return %0, %1, %2, %3 : tensor<3x4xi64>, tensor<3x4xi32>, tensor<3x4xi1>, tensor<2x3xi64>
}
"""

ALIASES = """func.func @f(%x: tensor<32xf16>) -> (tensor<4x8xf16>, tensor<8x4xf16>) {
  %r = mgraph_kernel.reshape %x : tensor<32xf16> -> tensor<4x8xf16>
  %o = mgraph_kernel.graph (%a = %r, %b = %r) grid [1, 1, 1] : (tensor<4x8xf16>, tensor<4x8xf16>) -> tensor<4x8xf16> {
    %0 = load %a imap [-1, -1, -1] : tensor<4x8xf16> -> <4x8xf16>
    %1 = load %b imap [-1, -1, -1] : tensor<4x8xf16> -> <4x8xf16>
    %2 = mul %0, %1 : (<4x8xf16>, <4x8xf16>) -> <4x8xf32>
    %s = store %2 omap [-1, -1, -1] : <4x8xf32> -> tensor<4x8xf16>
    yield %s : tensor<4x8xf16>
  }
  %q = mgraph_kernel.reshape %o : tensor<4x8xf16> -> tensor<8x4xf16>
  return %o, %q : tensor<4x8xf16>, tensor<8x4xf16>
}
"""

GRAPH_CONSTANT = """func.func @f(%x: tensor<4x8xf16>) -> tensor<4x8xf16> {
  %c = mgraph_kernel.constant 0.1 : tensor<1x1xf16>
  %o = mgraph_kernel.graph (%a = %x, %b = %c) grid [1, 1, 1] : (tensor<4x8xf16>, tensor<1x1xf16>) -> tensor<4x8xf16> {
    %0 = load %a imap [-1, -1, -1] : tensor<4x8xf16> -> <4x8xf16>
    %1 = load %b imap [-1, -1, -1] : tensor<1x1xf16> -> <1x1xf16>
    %2 = mul %0, %1 : (<4x8xf16>, <1x1xf16>) -> <4x8xf32>
    %s = store %2 omap [-1, -1, -1] : <4x8xf32> -> tensor<4x8xf16>
    yield %s : tensor<4x8xf16>
  }
  return %o : tensor<4x8xf16>
}
"""

MATMUL_CONSTANT = """func.func @f(%x: tensor<2x32xf16>) -> tensor<2x16xf16> {
  %c = mgraph_kernel.constant 3.0 : tensor<1x1xf16>
 %0 = mgraph_kernel.broadcast %c : tensor<1x1xf16> -> tensor<32x16xf16>
 %1 = mgraph_kernel.matmul %x, %0 : (tensor<2x32xf16>, tensor<32x16xf16>) -> tensor<2x16xf16>
  return %1 : tensor<2x16xf16>
}
"""

UNARY = ["exp", "log", "silu", "gelu_tanh", "gelu_erf", "relu", "sigmoid", "tanh", "erf", "sqrt", "rsqrt", "square",
         "abs", "neg", "reciprocal"]
SMALL = ["erf", "tanh", "gelu_erf", "gelu_tanh", "silu"]
POSITIVE = {"log", "sqrt", "rsqrt"}  # their inputs are made positive


def cases() -> dict[str, str]:
    found = {}
    shapes = [([7, 13], "f32"), ([1, 1], "f16"), ([2, 3, 4, 8], "bf16"), ([300, 256], "f16"), ([129], "f32")]
    for i, op in enumerate(UNARY):
        shape, dtype = shapes[i % len(shapes)]
        found[f"unary_{op}"] = unary(op, shape, dtype)
    found["unary_exp_large"] = unary("exp", [300, 1032], "f16")
    # lower_check.py makes these cases' inputs small, or close to 1: there the plain formulas cancel.
    for op in SMALL:
        found[f"small_{op}"] = unary(op, [64, 33], "f32")
    found["near_one_log"] = unary("log", [64, 33], "f32")
    found["tail_gelu_erf"] = unary("gelu_erf", [64, 33], "f32")
    found["clamp"] = unary("clamp", [7, 13], "f16", " lo -0.5 hi 0.75")
    found["cast_f16_f32"] = unary("cast", [7, 16], "f16", result="f32")
    found["cast_f32_bf16"] = unary("cast", [7, 13], "f32", result="bf16")
    found["cast_i32_f32"] = unary("cast", [33], "i32", result="f32")
    found["cast_i1_f16"] = unary("cast", [33], "i1", result="f16")
    found["add_row"] = binary("add", [7, 13], [1, 13], [7, 13], "f32")
    found["sub_col"] = binary("sub", [64, 128], [64, 1], [64, 128], "f16")
    found["mul_both"] = binary("mul", [5, 1, 8], [1, 6, 1], [5, 6, 8], "bf16")
    found["div_scalar"] = binary("div", [3, 4, 5], [1, 1, 1], [3, 4, 5], "f32")
    found["max_same"] = binary("max", [16, 64], [16, 64], [16, 64], "f16")
    found["min_4d"] = binary("min", [2, 3, 4, 8], [2, 1, 4, 1], [2, 3, 4, 8], "f16")
    found["compare_ge"] = binary("compare", [7, 13], [7, 13], [7, 13], "f32", "ge ", "i1")
    found["select"] = SELECT
    found["causal_softmax"] = CAUSAL
    found["reduce_last"] = reduce("sum", [16, 4096], [1], "f16")
    found["reduce_last_odd"] = reduce("max", [7, 77], [1], "f32")
    found["reduce_short"] = reduce("mean", [7, 13], [1], "f32")
    found["reduce_first"] = reduce("sum", [300, 40], [0], "f32")
    found["reduce_two"] = reduce("sum", [4, 6, 50], [0, 2], "bf16")
    found["reduce_all"] = reduce("max", [9, 31], [0, 1], "f16")
    for m in (1, 2, 3, 7, 8, 16, 17, 33, 64, 128):
        found[f"matmul_m{m}"] = matmul([m, 128], [128, 96], [m, 96], "f16" if m % 2 else "bf16")
    found["matmul_k16_n8"] = matmul([5, 16], [16, 8], [5, 8], "f16")
    found["matmul_tall"] = matmul([1000, 64], [64, 64], [1000, 64], "f16")
    found["matmul_prime"] = matmul([131, 32], [32, 16], [131, 16], "bf16")
    # One tile of all rows, in as many columns and as deep as tiles of so many rows get.
    for m in (67, 131, 251):
        found[f"matmul_rows{m}"] = matmul([m, 128], [128, 160], [m, 160], "f16")
    found["matmul_transposed"] = matmul([24, 80], [40, 80], [24, 40], "f16", True)
    found["matmul_f32"] = matmul([33, 100], [100, 50], [33, 50], "f32")
    found["matmul_f32_transposed"] = matmul([9, 65], [31, 65], [9, 31], "f32", True)
    found["matmul_odd"] = matmul([5, 33], [33, 7], [5, 7], "f16")
    found["matmul_odd_depth24"] = matmul([4, 24], [24, 20], [4, 20], "f16")
    found["matmul_f32_depth16"] = matmul([5, 16], [16, 24], [5, 24], "f32")
    found["matmul_batched"] = matmul([6, 20, 32], [6, 32, 24], [6, 20, 24], "f16")
    found["matmul_batch_shared"] = matmul([2, 3, 8, 32], [1, 1, 32, 16], [2, 3, 8, 16], "bf16")
    found["matmul_batch_mixed"] = matmul([2, 1, 8, 32], [1, 3, 32, 16], [2, 3, 8, 16], "f16")
    # A product's columns over warps, some of them with padding only, some in part.
    for n in (8, 24, 40, 72, 104):
        found[f"matmul_n{n}"] = matmul([16, 48], [48, n], [16, n], "f16")
        found[f"matmul_n{n}_transposed"] = matmul([19, 48], [n, 48], [19, n], "bf16", True)
    found["transpose_2d"] = moved("transpose", [33, 65], [65, 33], "f16", " perm [1, 0]")
    found["transpose_4d"] = moved("transpose", [2, 5, 3, 16], [2, 3, 5, 16], "f16", " perm [0, 2, 1, 3]")
    found["reshape"] = moved("reshape", [6, 20], [5, 24], "f32", "")
    found["broadcast"] = moved("broadcast", [4, 1, 6], [4, 5, 6], "bf16", "")
    found["slice"] = moved("slice", [16, 64], [5, 12], "f16", " offsets [1, 8] sizes [5, 12] strides [3, 2]")
    found["slice_rows"] = moved("slice", [16, 64], [8, 32], "f16", " offsets [8, 32] sizes [8, 32] strides [1, 1]")
    found["concat"] = CONCAT
    found["gather_rows"] = gather([50, 24], 0, 9, "i64")
    found["gather_cols"] = gather([5, 24, 3], 1, 7, "i32")
    found["rms_norm"] = rms_norm(16, 1024, "f16")
    found["rms_norm_odd"] = rms_norm(3, 77, "f32")
    found["layer_norm"] = layer_norm(8, 768, "bf16")
    found["layer_norm_f32"] = layer_norm(5, 50, "f32")
    found["softmax_middle"] = unary("softmax", [4, 9, 6], "f32", " dim 1")
    found["attention"] = attention(2, 3, 32, 64, 16, "f16")
    found["attention_bf16"] = attention(1, 4, 7, 48, 32, "bf16")
    found["attention_f32"] = attention(1, 2, 5, 9, 8, "f32")
    found["heads"] = HEADS
    found["iotas"] = IOTAS
    found["aliases"] = ALIASES
    found["graph_constant"] = GRAPH_CONSTANT
    found["matmul_constant"] = MATMUL_CONSTANT
    found["outputs"] = OUTPUTS
    for m, z, stages, dtype in ((1, 1, 2, "f16"), (3, 2, 3, "bf16"), (7, 4, 4, "f16"), (17, 2, 5, "f16"),
                                (32, 8, 3, "bf16"), (64, 1, 4, "f16")):
        found[f"graph_rmsnorm_m{m}_z{z}"] = rmsnorm_linear(m, 512, 128, 64 if m != 7 else 32, 32, z, stages, dtype)
    # f32 on tensor cores: from buffers, columns that warps share, and a K stored either way.
    for m, z in ((5, 1), (16, 4), (64, 2)):
        found[f"graph_rmsnorm_f32_m{m}_z{z}"] = rmsnorm_linear(m, 512, 128, 32, 32, z, 3, "f32")
    found["graph_flash_f32"] = flash(2, 32, 128, 32, 32, "f32")
    found["graph_flash_odd_f32"] = flash(3, 7, 96, 16, 16, "f32")
    found["graph_rmsnorm_threads256"] = rmsnorm_linear(16, 512, 192, 96, 64, 2, 3, "f16", 256)
    found["graph_softmax"] = softmax_graph(12, 200, 4, "f16")
    found["graph_softmax_one_row"] = softmax_graph(3, 77, 3, "f32")
    found["graph_two_loops"] = TWO_LOOPS
    found["graph_flash"] = flash(2, 32, 128, 64, 32, "f16")
    found["graph_flash_rows"] = flash(2, 64, 256, 64, 64, "f16")
    found["graph_flash_rows_bf16"] = flash(1, 128, 96, 32, 32, "bf16")
    found["graph_flash_odd"] = flash(3, 7, 96, 16, 16, "bf16")
    return found
