"""How well does the cost model rank what was measured?

    python3 benchmarks/model.py [--tools build/bin] [--shapes FILE]

FILE (benchmarks/results/h200-shapes.json) holds cold microseconds of hand-written
block graphs. A name says what was measured, PROGRAM_SIZES, as in
gated_mlp_m64_n64_k64_z2_s4_t128: m rows (h heads of an attention), n column tile (q
query tile), k step of the loop, z blocks of a cluster that share the sum, s stages, t
threads. This writes each graph again, asks `mirage-opt --mirage-predict` for its time,
and prints for each program and size: the rank agreement (Spearman), and how much slower
the instance that the model ranks first is than the best measured one. Instances that the
model takes for too large are left out of the ranking, and counted.
"""
from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from lower_cases import rmsnorm_linear, tensor

HERE = Path(__file__).resolve().parent
NAME = re.compile(r"(\w+?)_(?:m|h)(\d+)_(?:n|q)(\d+)_k(\d+)_z(\d+)_s(\d+)_t(\d+)")
PREDICTION = re.compile(r"remark: (?:predicted ([\d.]+) us|no prediction)")


def kernel(operands: list[str], types: list[str], out: str, grid: list[int], stages: int, threads: int,
           body: str) -> str:
    """A function of one graph-defined kernel, whose last grid dimension is a cluster."""
    arguments = ", ".join(f"%{name}: {type_}" for name, type_ in zip(operands, types))
    bound = ", ".join(f"%{name}t = %{name}" for name in operands)
    return f"""func.func @f({arguments}) -> {out} {{
  %o = mgraph_kernel.graph ({bound}) grid {grid} cluster [1, 1, {grid[2]}] attributes {{threads = {threads} : i64, stages = {stages} : i64}} : ({", ".join(types)}) -> {out} {{
{body}
    yield %s : {out}
  }}
  return %o : {out}
}}
"""


def combined(name: str, tile: str, z: int, kind: str = "sum") -> tuple[str, str]:
    """The line that combines a tile over z blocks, and the name to go on with."""
    return ("", f"%{name}") if z == 1 else (f"    %{name}r = reduce_blocks {kind} %{name} dim 2 : {tile}\n", f"%{name}r")


def gated_mlp(m, width, n, k, z, stages, threads) -> str:
    x, w, out = tensor([m, width], "f16"), tensor([width, width], "f16"), tensor([m, width], "f16")
    acc, left, right = f"<{m}x{n}xf32>", f"<{m}x{k}xf16>", f"<{k}x{n}xf16>"
    gate_line, gate = combined("a", acc, z)
    up_line, up = combined("c", acc, z)
    return kernel(["x", "w", "v"], [x, w, w], out, [width // n, 1, z], stages, threads, f"""\
    %a, %c = for %i = {width // z // k} -> {acc}, {acc} {{
      %0 = load %xt[%i] imap [-1, -1, 1] fmap 1 : {x} -> {left}
      %1 = load %wt[%i] imap [1, -1, 0] fmap 0 : {w} -> {right}
      %2 = load %vt[%i] imap [1, -1, 0] fmap 0 : {w} -> {right}
      %3 = matmul %0, %1 : ({left}, {right}) -> {acc}
      %4 = matmul %0, %2 : ({left}, {right}) -> {acc}
      yield sum %3, sum %4 : {acc}, {acc}
    }}
{gate_line}{up_line}    %g = silu {gate} : {acc} -> {acc}
    %t = mul %g, {up} : ({acc}, {acc}) -> {acc}
    %s = store %t omap [1, -1, -1] : {acc} -> {out}""")


def attention(heads, rows, depth, context, q, k, z, stages, threads) -> str:
    """Online softmax; with z > 1 the blocks of a cluster share the context."""
    query, key = tensor([heads, rows, depth], "f16"), tensor([heads, depth, context], "f16")
    value = tensor([heads, context, depth], "f16")
    tile, scores, one = f"<1x{q}x{depth}xf16>", f"<1x{q}x{k}xf32>", f"<1x{q}x1xf32>"
    total, half = f"<1x{q}x{depth}xf32>", f"<1x{q}x{k}xf16>"
    tail = f"    %t = div %acc, %l : ({total}, {one}) -> {total}\n"
    if z > 1:
        tail = f"""\
    %mr = reduce_blocks max %m dim 2 : {one}
    %d = sub %m, %mr : ({one}, {one}) -> {one}
    %f = exp %d : {one} -> {one}
    %lf = mul %l, %f : ({one}, {one}) -> {one}
    %lr = reduce_blocks sum %lf dim 2 : {one}
    %af = mul %acc, %f : ({total}, {one}) -> {total}
    %ar = reduce_blocks sum %af dim 2 : {total}
    %t = div %ar, %lr : ({total}, {one}) -> {total}
"""
    return kernel(["q", "k", "v"], [query, key, value], query, [heads, rows // q, z], stages, threads, f"""\
    %0 = load %qt imap [0, 1, -1] : {query} -> {tile}
    %m, %l, %acc = for %i = {context // z // k} -> {one}, {one}, {total} {{
      %1 = load %kt[%i] imap [0, -1, 2] fmap 2 : {key} -> <1x{depth}x{k}xf16>
      %2 = load %vt[%i] imap [0, -1, 1] fmap 1 : {value} -> <1x{k}x{depth}xf16>
      %3 = matmul %0, %1 : ({tile}, <1x{depth}x{k}xf16>) -> {scores}
      %now = running current 0[%i] : {one}
      %before = running previous 0[%i] : {one}
      %4 = sub %3, %now : ({scores}, {one}) -> {scores}
      %5 = exp %4 : {scores} -> {scores}
      %6 = sub %before, %now : ({one}, {one}) -> {one}
      %7 = exp %6 : {one} -> {one}
      %8 = cast %5 : {scores} -> {half}
      %9 = matmul %8, %2 : ({half}, <1x{k}x{depth}xf16>) -> {total}
      yield max(2) %3, rescale(%7, 2) %5, rescale(%7) %9 : {scores}, {one}, {scores}, {one}, {total}
    }}
{tail}    %s = store %t omap [0, 1, -1] : {total} -> {query}""")


def graph_of(name: str) -> tuple[str, str]:
    """The group of a measured name, and its graph."""
    match = NAME.fullmatch(name)
    if not match:
        raise ValueError(f"expected a name such as gated_mlp_m64_n64_k64_z2_s4_t128, but got {name!r}")
    program, (size, n, k, z, stages, threads) = match[1], map(int, match.groups()[1:])
    graphs = {
        "rmsnorm_linear": lambda: rmsnorm_linear(size, 4096, 6144, n, k, z, stages, threads=threads),
        "gated_mlp": lambda: gated_mlp(size, 4096, n, k, z, stages, threads),
        "gqa": lambda: attention(size, 256, 64, 4096, n, k, z, stages, threads),
        "mha": lambda: attention(size, 16, 64, 4096, n, k, z, stages, threads),
    }
    if program not in graphs:
        raise ValueError(f"expected a program of {', '.join(graphs)}, but got {program!r} in {name!r}")
    return f"{program} {size}", graphs[program]()


def predict(texts: list[str], tools: Path, target: str) -> list[float | None]:
    """Microseconds of each graph, None where the model takes it for too large."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        for i, text in enumerate(texts):
            file.write(text.replace("@f(", f"@f{i}(", 1))
        file.flush()
        run = subprocess.run([tools / "mirage-opt", file.name, f"--mirage-predict=target={target}", "-o", "/dev/null"],
                             capture_output=True, text=True)
    found = [None if number == "" else float(number) for number in PREDICTION.findall(run.stderr)]
    if run.returncode or len(found) != len(texts):
        raise RuntimeError(f"expected {len(texts)} predictions, but got {len(found)}: {run.stderr[:400]}")
    return found


def spearman(pairs: list[tuple[float, float]]) -> float:
    def ranks(values):
        order = sorted(range(len(values)), key=values.__getitem__)
        return {at: rank for rank, at in enumerate(order)}

    first, second = (ranks([pair[side] for pair in pairs]) for side in (0, 1))
    n = len(pairs)
    return 1 - 6 * sum((first[i] - second[i]) ** 2 for i in range(n)) / (n * (n * n - 1))


def judge(measured: dict[str, float], tools: Path, target: str):
    """group -> (instances, left out, Spearman, first choice, best), microseconds."""
    groups = defaultdict(list)
    graphs = {name: graph_of(name) for name in measured}
    predicted = predict([text for _, text in graphs.values()], tools, target)
    for (name, (group, _)), micros in zip(graphs.items(), predicted):
        groups[group].append((micros, measured[name]))
    result = {}
    for group, pairs in groups.items():
        ranked = [pair for pair in pairs if pair[0] is not None]
        if len(ranked) > 1:
            result[group] = (len(ranked), len(pairs) - len(ranked), spearman(ranked), min(ranked)[1],
                             min(time for _, time in pairs))
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, default=HERE.parent / "build" / "bin")
    parser.add_argument("--shapes", type=Path, default=HERE / "results" / "h200-shapes.json")
    parser.add_argument("--target", default="sm_90a")
    arguments = parser.parse_args()
    try:
        groups = judge(json.loads(arguments.shapes.read_text())["cold_us"], arguments.tools, arguments.target)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        print(f"model.py: {error}", file=sys.stderr)
        return 1
    print(f"{'program':20} {'n':>4} {'out':>4} {'rank':>5} {'first':>7} {'best':>7} slower")
    for group, (count, out, rank, first, best) in sorted(groups.items()):
        print(f"{group:20} {count:4} {out:4} {rank:5.2f} {first:7.2f} {best:7.2f} {100 * (first / best - 1):5.0f}%")
    agreements = [row[2] for row in groups.values()]
    print(f"rank agreement: median {statistics.median(agreements):.2f}, least {min(agreements):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
