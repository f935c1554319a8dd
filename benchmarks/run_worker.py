"""The child process of run.py: does the steps it reads from its input.

One line of JSON after each step. An exception is a result; when it may have
spoiled the CUDA context the line says `context_lost`, and the parent starts
another child for the rest.
"""
from __future__ import annotations

import json
import math
import statistics
import sys
import time
from pathlib import Path

import torch

import launch_plan
from programs import (DTYPES, PROGRAMS, VARIANTS, compare, default_epsilon, make_inputs, ratio, reference, sdpa,
                      sdpa_inputs)

MARK = "@@STEP "
ALLOWED_RATIO = 1.5
FENCE = 4096  # bytes before and after each output, filled with FENCE_BYTE
FENCE_BYTE = 0xA5
# (seed, kind of input); seeds beyond these two digits are as good as any.
CASES = [(0, "plain"), (1, "plain"), (7, "plain"), (123457, "plain"), (3, "large"), (5, "small"), (9, "zero_row")]


class Device:
    def __init__(self, dry_run: bool, rounds: int):
        self.dry, self.rounds = dry_run, rounds
        self.name = "cpu" if dry_run else "cuda"
        self.driver = None
        if dry_run:
            self.l2 = 1 << 20
            return
        torch.cuda.init()
        torch.zeros(1, device="cuda")  # makes the primary context current
        from cuda_driver import Driver
        self.driver = Driver()
        self.l2 = torch.cuda.get_device_properties(0).L2_cache_size

    def facts(self) -> dict:
        if self.dry:
            return {"name": "dry run: no figure here is a measurement", "torch": torch.__version__}
        return {"name": torch.cuda.get_device_name(0), "torch": torch.__version__, "cuda": torch.version.cuda,
                "l2": self.l2}

    def usable(self) -> bool:
        """Whether the context survived: errors such as a bad address never clear."""
        try:
            self.synchronize()
            torch.zeros(1, device=self.name).item()
            return True
        except Exception:
            return False

    def synchronize(self):
        if not self.dry:
            torch.cuda.synchronize()

    def time(self, fn, count: int) -> dict:
        """Median and spread, in microseconds, of fn(i) for i in [0, count), by graph replay."""
        inner = max(count, 20)
        if self.dry:
            start = time.perf_counter()
            for i in range(count):
                fn(i)
            return {"us": (time.perf_counter() - start) * 1e6 / count, "spread": 0.0}
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream), torch.no_grad():
            for i in range(min(count, 3)):
                fn(i)
        torch.cuda.current_stream().wait_stream(stream)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.no_grad(), torch.cuda.graph(graph):
            for i in range(inner):
                fn(i % count)
        for _ in range(3):
            graph.replay()
        times = []
        for _ in range(self.rounds):
            first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            first.record()
            graph.replay()
            last.record()
            torch.cuda.synchronize()
            times.append(first.elapsed_time(last) * 1e3 / inner)
        times.sort()
        return {"us": statistics.median(times), "spread": times[3 * len(times) // 4] - times[len(times) // 4]}


class Group:
    """A program on inputs of one shape: its input sets, references and PyTorch's errors."""

    def __init__(self, device: Device, job: dict):
        self.device, self.job = device, job
        self.program = PROGRAMS[job["program"]]
        first = DTYPES[job["dtypes"][0]]
        self.eps = job["eps"]
        # Without a stated epsilon the reference takes the one that eager uses.
        self.reference_eps = self.eps
        if self.eps is None and self.program.uses_norm:
            self.reference_eps = default_epsilon(first, device.name)
        self.cases = []
        for seed, variant in CASES:
            inputs = self.inputs(seed, variant)
            ref = self.reference(inputs, self.reference_eps)
            self.cases.append((f"{variant}/{seed}", inputs, ref, compare(self.eager(*inputs), ref)))
        nbytes = sum(t.numel() * t.element_size() for t in self.cases[0][1])
        nbytes += ref.numel() * self.cases[0][1][0].element_size()
        count = max(2, min(64, 2 * device.l2 // nbytes + 2))
        self.sets = [self.inputs(1000 + i) for i in range(count)]

    def inputs(self, seed, variant="plain"):
        return make_inputs(self.job["shapes"], self.job["dtypes"], self.device.name, seed, variant)

    def eager(self, *inputs):
        with torch.no_grad():
            return self.program.run(self.eps, *inputs)

    def reference(self, inputs, eps):
        with torch.no_grad():
            return reference(self.program, eps, inputs)

    def checked(self, fn, prepare=lambda *inputs: inputs) -> dict:
        """Figures of something of PyTorch's, with its verdict by the rule for kernels. Eager is the measure itself.
        `prepare` lays the inputs out as `fn` likes them, and is not timed."""
        worst, wrong = 0.0, []
        for name, inputs, ref, eager_error in self.cases:
            error = compare(fn(*prepare(*inputs)).view(ref.shape), ref)
            worst = max(worst, ratio(error, eager_error))
            if ratio(error, eager_error) > ALLOWED_RATIO or error["wrong_class"] > eager_error["wrong_class"]:
                wrong.append(name)
        result = {"worst_ratio": worst, "verdict": "FAIL" if wrong else "pass"}
        if wrong:
            result["error"] = f"{len(wrong)} of {len(self.cases)} checks failed, first {wrong[0]}: worst error ratio {worst:.3g}"
        return {**self.timed(fn, [prepare(*inputs) for inputs in self.sets]), **result}

    def timed(self, fn, sets) -> dict:
        cold = self.device.time(lambda i: fn(*sets[i]), len(sets))
        warm = self.device.time(lambda i: fn(*sets[0]), 1)
        return {"cold_us": cold["us"], "cold_spread": cold["spread"], "warm_us": warm["us"]}


class Output:
    """One output between two fences, poisoned with NaN (all bits set)."""

    def __init__(self, tensor: launch_plan.Tensor, device: str):
        self.bytes = torch.empty(FENCE * 2 + tensor.nbytes, dtype=torch.uint8, device=device)
        self.value = self.bytes[FENCE:FENCE + tensor.nbytes].view(DTYPES[tensor.dtype]).view(tensor.shape)

    def poison(self):
        self.bytes.fill_(FENCE_BYTE)
        self.value.view(torch.uint8).fill_(0xFF)

    def fences_intact(self) -> bool:
        return bool((self.bytes[:FENCE] == FENCE_BYTE).all() and (self.bytes[-FENCE:] == FENCE_BYTE).all())


class Runner:
    """A plan on the device; `launch` enqueues it on torch's current stream."""

    def __init__(self, device: Device, group: Group, folder: Path):
        self.device, self.group = device, group
        self.plan, image = launch_plan.load(folder)
        self.scratch = [torch.empty(s.bytes, dtype=torch.uint8, device=device.name) for s in self.plan.scratch]
        self.loaded = None
        if not device.dry:
            from cuda_driver import LoadedPlan
            self.loaded = LoadedPlan(device.driver, self.plan, image)

    def bind(self, inputs, outputs):
        """A function of `dependent` that enqueues one run."""
        for position, (tensor, want) in enumerate(zip(inputs, self.plan.inputs)):
            if tuple(tensor.shape) != want.shape or not tensor.is_contiguous():
                raise ValueError(f"expected input {position} to be dense of shape {list(want.shape)}, "
                                 f"but got {list(tensor.shape)} with strides {list(tensor.stride())}")
        if self.device.dry:
            return lambda dependent: outputs[0].value.copy_(self.group.eager(*inputs))
        bound = self.loaded.bind([t.data_ptr() for t in inputs], [o.value.data_ptr() for o in outputs],
                                 [t.data_ptr() for t in self.scratch])
        return lambda dependent: bound.launch(torch.cuda.current_stream().cuda_stream, dependent)

    def outputs(self):
        return [Output(tensor, self.device.name) for tensor in self.plan.outputs]


def check_case(runner: Runner, name, inputs, ref, eager_error, dependent: bool) -> dict:
    outputs, before = runner.outputs(), [t.clone() for t in inputs]
    for output in outputs:
        output.poison()
    for buffer in runner.scratch:
        buffer.fill_(0xFF)
    runner.bind(inputs, outputs)(dependent)
    runner.device.synchronize()
    result = compare(outputs[0].value.view(ref.shape), ref)
    result.update(case=name, dependent=dependent, ratio=ratio(result, eager_error), eager=eager_error["relative"])
    result["fences"] = all(output.fences_intact() for output in outputs)
    result["inputs_kept"] = all(torch.equal(a, b) for a, b in zip(before, inputs))
    result["ok"] = (result["ratio"] <= ALLOWED_RATIO and result["fences"] and result["inputs_kept"]
                    and result["wrong_class"] <= eager_error["wrong_class"])
    return result


def infer_epsilon(runner: Runner) -> float | None:
    """The likely epsilon of a kernel whose meta.json does not state it, for the report only."""
    group = runner.group
    name, inputs, _, error = group.cases[5]  # the small inputs, where it matters most
    candidates = [torch.finfo(torch.float16).eps, torch.finfo(torch.float32).eps, 1e-5, 1e-6]
    errors = [check_case(runner, name, inputs, group.reference(inputs, eps), error, False)["relative"]
              for eps in candidates]
    return candidates[min(range(len(errors)), key=errors.__getitem__)]


def check_after_timing(runner: Runner, bound_sets) -> int:
    """How many of the timed sets hold a wrong result: overlapping runs can race."""
    wrong = 0
    for (inputs, outputs, _), reference_inputs in zip(bound_sets, runner.group.sets):
        ref = runner.group.reference(reference_inputs, runner.group.reference_eps)
        eager = compare(runner.group.eager(*reference_inputs), ref)
        ours = compare(outputs[0].value.view(ref.shape), ref)
        wrong += ratio(ours, eager) > ALLOWED_RATIO or ours["wrong_class"] > eager["wrong_class"]
    return wrong


def run_kernel(device: Device, group: Group, folder: Path) -> dict:
    runner = Runner(device, group, folder)
    result: dict = {"facts": runner.loaded.facts() if runner.loaded else []}
    has_dependent = any(kernel.dependent_launch for kernel in runner.plan.kernels)
    modes = [False, True] if has_dependent else [False]
    checks = [check_case(runner, *case, dependent) for case in group.cases for dependent in modes]
    result["checks"] = checks
    result["worst_ratio"] = max(check["ratio"] for check in checks)
    result["max_abs"] = max(check["max_abs"] for check in checks)
    failed = [check for check in checks if not check["ok"]]
    problems = []
    if failed:
        first = failed[0]
        problems.append(f"{len(failed)} of {len(checks)} checks failed; first {first['case']}: error ratio "
                        f"{first['ratio']:.3g}, wrong class {first['wrong_class']}, fences {first['fences']}, "
                        f"inputs kept {first['inputs_kept']}")
        if group.program.uses_norm and group.eps is None:
            problems.append(f"reference eps {group.reference_eps:.3g}, the kernel's looks like {infer_epsilon(runner):.3g}")

    # Wrong kernels are timed too: the figure helps whoever mends them.
    bound_sets = []
    for inputs in group.sets:
        outputs = runner.outputs()
        bound_sets.append((inputs, outputs, runner.bind(inputs, outputs)))
    for dependent in modes:
        suffix = "_dependent" if dependent else ""
        for _, outputs, _ in bound_sets:
            for output in outputs:
                output.poison()
        cold = device.time(lambda i: bound_sets[i][2](dependent), len(bound_sets))
        wrong = check_after_timing(runner, bound_sets)
        if wrong and not failed:
            problems.append(f"{wrong} of {len(bound_sets)} sets were wrong after back-to-back runs"
                            f"{' with dependent launch' if dependent else ''}")
        warm = device.time(lambda i: bound_sets[0][2](dependent), 1)
        result.update({f"cold{suffix}_us": cold["us"], f"cold{suffix}_spread": cold["spread"],
                       f"warm{suffix}_us": warm["us"]})
    result["verdict"] = "FAIL" if problems else "pass"
    if problems:
        result["error"] = "; ".join(problems)
    return result


def run_step(device: Device, groups: dict, jobs: dict, step: dict) -> dict:
    job = jobs[step["names"][0]]
    if step["group"] not in groups:
        groups.clear()  # the sets of one group fill gigabytes
        groups[step["group"]] = Group(device, job)
    group = groups[step["group"]]
    if step["kind"] == "eager":
        return {**group.checked(group.eager), "device": device.facts(), "reference_eps": group.reference_eps,
                "sets": len(group.sets)}
    if step["kind"] == "kernel":
        return run_kernel(device, group, Path(job["folder"]))
    if step["kind"] == "sdpa":
        return group.checked(sdpa, sdpa_inputs)
    torch._dynamo.reset()
    options = {"mode": "max-autotune-no-cudagraphs"} if step["kind"] == "max_autotune" else {}
    if device.dry:
        return group.checked(group.eager)
    eps, run = group.eps, group.program.run
    compiled = torch.compile(lambda *inputs: run(eps, *inputs), fullgraph=True, dynamic=False, **options)
    return group.checked(compiled)


def main() -> None:
    request = json.loads(sys.stdin.read())
    # Whatever a library prints must not be read as a result.
    answers, sys.stdout = sys.stdout, sys.stderr
    device, groups = Device(request["dry_run"], request["rounds"]), {}
    for step in request["steps"]:
        try:
            result = run_step(device, groups, request["jobs"], step)
        except Exception as error:
            result = {"error": f"{type(error).__name__}: {str(error)[:500]}", "context_lost": not device.usable()}
        result = {k: (None if isinstance(v, float) and not math.isfinite(v) else v) for k, v in result.items()}
        answers.write(MARK + json.dumps(result) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
