"""Check and time the Python package on the GPU at hand, beside PyTorch.

    PYTHONPATH=python MIRAGE_LIBRARY=.../libMirageC.so \\
        python3 benchmarks/torch_backend.py [--json FILE] [--quick] [--only PART ...]

needs Python, PyTorch and the native library (self-contained, as
utils/link-self-contained leaves it: then no LLVM), and a CUDA driver. Parts:

  graph     graphs of the Python interface on CUDA tensors: right on the current
            stream, on another one, in a captured graph, on views; what must be
            refused is refused
  overhead  host time of a launch: of Launcher, of mirage::call, of the callable
            handed to Dynamo; kernel time inside a CUDA graph
  programs  torch.compile with Mirage's backend on two small modules
  layers    decoder layers of three models, one token and 64 tokens on a cache of
            4,096: outputs against float64 and eager, time beside eager,
            torch.compile and max-autotune

`--dry-run` walks parts graph, programs and layers on the CPU with small shapes, in
the interpreter. Exit status 1 if a check failed.
"""
from __future__ import annotations

import argparse
import copy
import json
import statistics
import sys
import time
import traceback

import torch

import mirage as mi
from mirage.inductor import Report, backend
from torch_models import CONFIGS, GatedMLP, NormLinear, layer, layer_inputs

CALLS, BATCHES = 100, 30


class Run:
    def __init__(self, args):
        self.args = args
        self.device = torch.device("cpu" if args.dry_run else "cuda")
        self.result: dict = {"torch": torch.__version__, "checks": {}, "overhead": {}, "programs": {}, "layers": {}}
        if not args.dry_run:
            self.result["device"] = torch.cuda.get_device_name()
        self.failed = False
        self.options = {"threads": args.threads}
        if args.dry_run:
            self.options.update(device="cpu", target="sm_90a", always=True)

    def check(self, name: str, good, detail: str = "") -> None:
        good = bool(good)
        self.failed |= not good
        self.result["checks"][name] = "pass" if good else f"FAIL {detail}"
        print(f"{'pass' if good else 'FAIL'}  {name} {detail}", flush=True)

    def part(self, name: str, function) -> None:
        if self.args.only and name not in self.args.only:
            return
        print(f"== {name}", flush=True)
        start = time.perf_counter()
        try:
            function(self)
        except Exception:  # one part's failure must not hide the others' figures
            self.failed = True
            self.result["checks"][name] = traceback.format_exc()
            traceback.print_exc()
        self.result.setdefault("seconds", {})[name] = round(time.perf_counter() - start, 1)
        self.save()

    def save(self) -> None:
        if self.args.json:
            with open(self.args.json, "w") as file:
                json.dump(self.result, file, indent=1)


def error(got, reference) -> float:
    return float((got.double() - reference).norm() / reference.norm())


def graph_micros(function, *args, calls: int = 10) -> float:
    """Microseconds of one call inside a CUDA graph, median of replays."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream), torch.no_grad():
        for _ in range(3):
            function(*args)
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for _ in range(calls):
                function(*args)
    times = []
    for _ in range(23):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1e3 / calls)
    return statistics.median(times[3:])


def host_micros(function) -> float:
    """Microseconds of one call on the host, median of batches that do not fill the queue."""
    function()
    times = []
    for _ in range(BATCHES):
        torch.cuda.synchronize()
        start = time.perf_counter_ns()
        for _ in range(CALLS):
            function()
        times.append((time.perf_counter_ns() - start) / 1e3 / CALLS)
    torch.cuda.synchronize()
    return statistics.median(times)


def norm_linear_graph(k=4096, n=6144, rows=16):
    graph = mi.new_kernel_graph()
    x = graph.new_input(dims=(rows, k), dtype=mi.float16)
    w = graph.new_input(dims=(k, n), dtype=mi.float16, constant=True)
    graph.mark_output(graph.matmul(graph.rms_norm(x, normalized_shape=(k,)), w))
    return graph, (rows, k, n)


def part_graph(run: Run) -> None:
    graph, (rows, k, n) = norm_linear_graph() if not run.args.dry_run else norm_linear_graph(256, 128)
    start = time.perf_counter()
    found = graph.superoptimize(target="sm_90a", threads=run.args.threads, cache=False,
                                device="cpu" if run.args.dry_run else None)
    run.result["superoptimize_seconds"] = round(time.perf_counter() - start, 2)
    print(f"superoptimize took {run.result['superoptimize_seconds']} s, predicted {found.found.micros:.1f} us", flush=True)
    x = torch.randn(rows, k, device=run.device).half()
    w = (torch.randn(k, n, device=run.device) / k**0.5).half()
    wide = x.double()
    reference = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-5) @ w.double()
    eager = error(torch.nn.functional.rms_norm(x, (k,), None, 1e-5) @ w, reference)

    def right(y):
        return error(y, reference) <= 1.5 * eager, f"error {error(y, reference):.2e}, eager {eager:.2e}"

    run.check("graph: current stream", *right(found(inputs=[x, w])[0]))
    spaced = torch.randn(rows, 2 * k, device=run.device).half()
    spaced[:, ::2] = x
    with_warning = []
    import warnings
    with warnings.catch_warnings(record=True) as with_warning:
        warnings.simplefilter("always")
        run.check("graph: strided input", *right(found(inputs=[spaced[:, ::2], w])[0]))
    run.check("graph: strided input warns", any("is copied" in str(m.message) for m in with_warning))
    askew = torch.zeros(rows * k + 1, device=run.device).half()
    askew[1:] = x.flatten()
    run.check("graph: askew address", *right(found(inputs=[askew[1:].view(rows, k), w])[0]))
    unsearched, shape = graph.compile(target="sm_90a"), (rows, k)
    run.check("graph: as written", *right(unsearched(inputs=[x, w], device="cpu" if run.args.dry_run else None)[0]))
    for name, inputs, kind in [("wrong shape", [x[:1], w], mi.ShapeError), ("wrong type", [x.float(), w], mi.DTypeError),
                               ("one input", [x], mi.MirageError)] + (
            [] if run.args.dry_run else [("host tensor", [x.cpu(), w], mi.MirageError),
                                         ("all on the host", [x.cpu(), w.cpu()], mi.MirageError)]):
        try:
            found(inputs=inputs)
            run.check(f"graph: refuses {name}", False, "nothing was raised")
        except kind as e:
            run.check(f"graph: refuses {name}", True, str(e)[:100])
    if run.args.dry_run:
        return
    other = torch.cuda.Stream()
    other.wait_stream(torch.cuda.current_stream())
    y = found(inputs=[x, w], stream=other)[0]
    other.synchronize()
    run.check("graph: another stream", *right(y))
    captured = torch.cuda.CUDAGraph()
    static = x.clone()
    with torch.cuda.graph(captured):
        y = found(inputs=[static, w])[0]
    static.copy_(x * 2)
    captured.replay()
    static.copy_(x)
    captured.replay()
    torch.cuda.synchronize()
    run.check("graph: captured and replayed", *right(y))
    import threading
    results = []
    worker = threading.Thread(target=lambda: results.append(found(inputs=[x, w])[0]))
    worker.start()
    worker.join()
    torch.cuda.synchronize()
    run.check("graph: another thread", *(right(results[0]) if results else (False, "no result")))
    try:
        wrong = graph.compile(target="sm_80")
        wrong(inputs=[x, w])
        run.check("graph: code for an older architecture runs", True)
    except mi.MirageError as e:
        run.check("graph: code for an older architecture runs", False, str(e)[:200])
    try:
        graph.compile(target="sm_100a")(inputs=[x, w])
        run.check("graph: refuses another architecture's code", False, "nothing was raised")
    except mi.MirageError as e:
        run.check("graph: refuses another architecture's code", "expected a device of sm_100" in str(e), str(e)[:100])


def part_overhead(run: Run) -> None:
    if run.args.dry_run:
        return
    from mirage.inductor import ops
    from mirage.launch import Launcher

    graph, (rows, k, n) = norm_linear_graph(512, 512)
    found = graph.superoptimize(target="sm_90a", threads=run.args.threads)
    x = torch.randn(rows, k, device="cuda").half()
    w = torch.randn(k, n, device="cuda").half()
    out = run.result["overhead"]
    launcher = Launcher(found.plan, found.ptx, 0)
    inputs = [x, w]
    out["extension"] = launcher._launch is not None
    out["launcher_us"] = host_micros(lambda: launcher(inputs))
    launcher._launch = None
    out["launcher_ctypes_us"] = host_micros(lambda: launcher(inputs))
    launcher = Launcher(found.plan, found.ptx, 0)
    out["compiled_graph_us"] = host_micros(lambda: found(inputs=inputs))
    entry = ops.Entry(found.found, found._inputs, found._outputs)
    ops.register("overhead", entry)
    out["entry_us"] = host_micros(lambda: entry.run_cuda(inputs))
    out["mirage_call_us"] = host_micros(lambda: ops.call(inputs, "overhead"))
    out["torch_empty_us"] = host_micros(lambda: torch.empty((rows, n), dtype=torch.float16, device="cuda"))
    out["torch_mm_us"] = host_micros(lambda: torch.mm(x, w))
    # The callable that Dynamo gets.
    model = NormLinear(CONFIGS["gpt2"]).half().cuda()
    held = []

    def holding(gm, example):
        compiled = backend(gm, example, options={**run.options, "always": True})

        def callable_(*args):
            held.append((compiled, args))
            return compiled(*args)
        return callable_

    with torch.no_grad():
        torch._dynamo.reset()
        function = torch.compile(model, backend=holding)
        small = torch.randn(1, 768, device="cuda").half()
        function(small)
        compiled, args = held[0]
        out["dynamo_callable_us"] = host_micros(lambda: compiled(*args))
        torch._dynamo.reset()
        held.clear()

        def plain(gm, example):
            from torch._inductor.compile_fx import compile_fx
            compiled = compile_fx(gm, example)

            def callable_(*args):
                held.append((compiled, args))
                return compiled(*args)
            return callable_

        torch.compile(model, backend=plain)(small)
        compiled, args = held[0]
        out["inductor_callable_us"] = host_micros(lambda: compiled(*args))
    out["kernel_in_graph_us"] = graph_micros(launcher, inputs)
    for name, value in out.items():
        print(f"{name:28} {value if isinstance(value, bool) else round(value, 2)}", flush=True)
    run.check("overhead: launcher under 6 us", out["launcher_us"] < 6, f"{out['launcher_us']:.2f}")


def compare(run: Run, name: str, model, inputs, rows: dict, tolerance: float = 1.5) -> None:
    """Outputs of `model` through the backend against float64 and eager, and times of all. Layers write into their
    inputs, so each run gets copies."""
    def fresh():
        return [t.clone() for t in inputs]

    with torch.no_grad():
        reference = copy.deepcopy(model).double()(*[t.double() for t in inputs])
        eager = error(model(*fresh()), reference)
        row: dict = {"error_eager": eager}
        rows[name] = row
        report = Report()
        torch._dynamo.reset()
        start = time.perf_counter()
        function = torch.compile(model, backend=backend, dynamic=False, options={**run.options, "report": report})
        got = function(*fresh())
        row["compile_seconds"] = round(time.perf_counter() - start, 1)
        row["report"] = str(report).splitlines()
        row["fused"] = report.fused
        row["error_mirage"] = error(got, reference)
        print(report, flush=True)
        run.check(f"{name}: error", row["error_mirage"] <= tolerance * eager + 1e-5,
                  f"{row['error_mirage']:.2e}, eager {eager:.2e}, {report.fused} fused")
        again = function(*fresh())
        run.check(f"{name}: twice the same", torch.equal(got, again))
        if run.args.dry_run:
            return
        row["mirage_us"] = graph_micros(function, *fresh())
        row["eager_us"] = graph_micros(model, *fresh())
        torch._dynamo.reset()
        row["inductor_us"] = graph_micros(torch.compile(model, dynamic=False), *fresh())
        if not run.args.quick:
            torch._dynamo.reset()
            row["max_autotune_us"] = graph_micros(
                torch.compile(model, dynamic=False, mode="max-autotune-no-cudagraphs"), *fresh())
        print(name, {k: round(v, 2) for k, v in row.items() if k.endswith("_us")}, flush=True)
        run.save()


def part_programs(run: Run) -> None:
    scale = 16 if run.args.dry_run else 1
    for name, make in [("norm_linear", NormLinear), ("gated_mlp", GatedMLP)]:
        for tokens in (1, 16):
            c = CONFIGS["llama3_8b"].scaled(scale)
            torch.manual_seed(1)
            model = make(c).to(run.device, torch.float16)
            compare(run, f"{name}_{tokens}", model, [torch.randn(tokens, c.hidden, device=run.device).half()],
                    run.result["programs"])


def part_layers(run: Run) -> None:
    scale, context = (16, 128) if run.args.dry_run else (1, 4096)
    names = run.args.model or (["llama3_8b"] if run.args.dry_run else list(CONFIGS))
    for name in names:
        for tokens in (1,) if run.args.dry_run or run.args.quick else (1, 64):
            for dtype in (torch.float16,) if run.args.dry_run or run.args.quick else (torch.float16, torch.bfloat16):
                torch.manual_seed(1)
                model, c = layer(name, scale)
                model = model.to(run.device, dtype)
                inputs = layer_inputs(c, tokens, context, dtype, run.device)
                kind = "f16" if dtype == torch.float16 else "bf16"
                compare(run, f"{name}_{tokens}_{kind}", model, inputs, run.result["layers"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", help="file for the figures")
    parser.add_argument("--only", nargs="*", choices=["graph", "overhead", "programs", "layers"])
    parser.add_argument("--model", nargs="*", choices=list(CONFIGS), help="of part layers; all if not given")
    parser.add_argument("--quick", action="store_true", help="no max-autotune; layers in f16 with one token only")
    parser.add_argument("--dry-run", action="store_true", help="on the CPU, small shapes, no times")
    parser.add_argument("--threads", type=int, default=0, help="of the search; 0 for all cores")
    run = Run(parser.parse_args())
    start = time.perf_counter()
    import subprocess
    code = "import time; t = time.perf_counter(); import mirage; print(time.perf_counter() - t)"
    run.result["import_seconds"] = float(subprocess.check_output([sys.executable, "-c", code], text=True))
    run.check("import under 0.3 s", run.result["import_seconds"] < 0.3, f"{run.result['import_seconds']:.3f}")
    for name, function in [("graph", part_graph), ("overhead", part_overhead), ("programs", part_programs),
                           ("layers", part_layers)]:
        run.part(name, function)
    print(f"{'FAILED' if run.failed else 'passed'} in {time.perf_counter() - start:.0f} s")
    run.save()
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
