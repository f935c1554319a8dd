"""torch.compile(model, backend="mirage"): inductor, with fragments by Mirage.

Inductor compiles the graph; a pass of ours, which it calls after its own graph
passes, replaces fragments by the operator mirage::call. Guards, aliasing,
strides, CUDA graphs and everything that is not replaced are inductor's.
"""
from __future__ import annotations

import hashlib
import logging
import operator
import warnings
from typing import Any, Callable, Sequence

import torch
from torch._inductor.compile_fx import compile_fx, compile_fx_inner
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch._inductor.pattern_matcher import stable_topological_sort
from torch.fx import Graph, Node

from .. import search
from .._native import Module
from ..errors import MirageError, MirageWarning
from . import measure, ops
from .fragments import Finder, Fragment, why_no_product
from .importer import MATMULS, Importer, value_of
from .report import FragmentReport, GraphReport, Report

log = logging.getLogger("mirage")

# Between two kernels of one CUDA graph, and what a small elementwise kernel takes at least on the targets.
KERNEL_MICROS = 2.0

# Nominal memory bandwidth of each target's device, and the share of it that libraries attain on a product of few rows.
_BYTES_PER_MICRO = {"sm_80": 1.94e6, "sm_86": 0.77e6, "sm_89": 1.0e6, "sm_90a": 4.8e6, "sm_100a": 8.0e6,
                    "sm_120a": 1.8e6}
LIBRARY_SHARE = 0.8

_OPTIONS = {
    "device": None,  # "cpu": fragments run in the interpreter
    "target": None,  # as "sm_90a"; that of the GPU if not given
    "threads": 0,  # of the search
    "measure": True,  # on a GPU: keep a fragment only if it is faster there
    "always": False,  # take every fragment that was improved, whatever is predicted or measured
    "dependent_launch": False,  # weights are not written while kernels run
    "cache": True,
    "search": {},  # options of the pass mirage-superopt
    "report": None,  # a Report that is added to
}


class _Compiler:
    """One call of the backend: the options, the report, and what inductor told about the graph at hand."""

    def __init__(self, options: dict[str, Any], report: Report) -> None:
        self.options, self.report = options, report
        self.static: set[int] = set()
        self.inference = False
        self.graphs = 0
        self.whole: ops.WholeGraph | None = None  # where the only graph is one fragment

    def replace(self, graph: Graph) -> None:
        self.graphs += 1
        entry = GraphReport(nodes=sum(n.op == "call_function" for n in graph.nodes))
        self.report.graphs.append(entry)
        if not self.inference:
            entry.note = "it is compiled for training; use torch.no_grad()"
            return
        devices = {v.device.type for n in graph.nodes for v in [value_of(n)] if v is not None}
        if devices == {"cpu"} and self.options["device"] != "cpu":
            entry.note = "its tensors are in host memory, and device=\"cpu\" was not asked for"
            return
        if not devices <= {"cpu"} and not devices <= {"cuda"}:
            entry.note = f"its tensors are on {' and '.join(sorted(devices))}"
            return
        for node in graph.nodes:
            if node.op == "call_function" and node.target in MATMULS:
                reason = why_no_product(node)
                if reason is not None:
                    entry.left[reason] += 1
        self._replace_fragments(graph, entry)
        self.whole = _whole_graph(graph) if entry.note == "" else None

    def _replace_fragments(self, graph: Graph, entry: GraphReport) -> None:
        tried: set[frozenset[Node]] = set()
        while self._replace_one(graph, entry, tried):
            stable_topological_sort(graph)
            graph.eliminate_dead_code()
            graph.lint()

    def _replace_one(self, graph: Graph, entry: GraphReport, tried: set[frozenset[Node]]) -> bool:
        """Replaces the first fragment that is worth it among those not tried. Each is sought in the graph as it is, for
        two fragments that are fine by themselves may wait for each other."""
        finder = Finder(graph)
        placeholders = {n: i for i, n in enumerate(n for n in graph.nodes if n.op == "placeholder")}
        for group in finder.groups():
            # Together first: one kernel reads the left operand once. Then each product alone.
            for products in [group] + ([[p] for p in group] if len(group) > 1 else []):
                if frozenset(products) in tried:
                    continue
                tried.add(frozenset(products))
                fragment = finder.grow(products)
                if fragment is None:
                    continue
                outcome = self._try(graph, fragment, placeholders)
                entry.fragments.append(outcome)
                if outcome.fused:
                    return True
        return False

    def _try(self, graph: Graph, fragment: Fragment, placeholders: dict[Node, int]) -> FragmentReport:
        report = FragmentReport(fragment.describe(), "")
        for node in fragment.outputs:
            value = value_of(node)
            if value is not None and not value.is_contiguous():
                report.outcome = f"left: its output {node.name} is not row-major: strides {list(value.stride())}"
                return report
        try:
            self._search(graph, fragment, placeholders, report)
        except MirageError as error:
            report.outcome = f"left: {str(error).splitlines()[0]}"
        return report

    def _search(self, graph: Graph, fragment: Fragment, placeholders: dict[Node, int],
                report: FragmentReport) -> None:
        constants = [placeholders.get(n, -1) in self.static for n in fragment.inputs]
        importer = Importer(fragment.inputs, constants, fragment.flat)
        text = importer.text(fragment.outputs)
        target = self.options["target"] or search.default_target()
        options = dict(self.options["search"])
        if self.options["threads"]:
            options["threads"] = self.options["threads"]
        found = search.superoptimize(text, target, options, self.options["cache"])
        report.from_cache, report.predicted = found.from_cache, found.micros
        report.inductor_predicted = self._products_micros(fragment, target) + self._allowance(fragment)
        if not found.improved:
            reasons = [f["outcome"] for f in found.fragments] or ["nothing was raised"]
            report.outcome = f"left: {reasons[0]}"
            return
        value = value_of(fragment.inputs[0])
        assert value is not None
        measures = value.device.type == "cuda" and self.options["measure"]
        if report.predicted >= report.inductor_predicted and not self.options["always"] and not measures:
            report.outcome = "left: inductor is predicted to be faster"
            return
        outputs = []
        for node in fragment.outputs:
            value = value_of(node)
            assert value is not None
            outputs.append((tuple(value.shape), importer.value(node).dtype))
        entry = ops.Entry(found, importer.specs, outputs, self.options["dependent_launch"])
        if value.device.type == "cuda":
            found.lowered()
            if measures:
                with measure.real_tensors():
                    self._measure(fragment, entry, value.device, report)
                if report.measured >= report.inductor_measured and not self.options["always"]:  # type: ignore[operator]
                    report.outcome = "left: inductor is faster"
                    return
        key = hashlib.sha256(f"{text}\0{target}\0{found.text}\0{entry.dependent}".encode()).hexdigest()[:32]
        ops.register(key, entry)
        self._insert(graph, fragment, key, entry)
        report.outcome = "fused"

    @staticmethod
    def _allowance(fragment: Fragment) -> float:
        return KERNEL_MICROS * (bool(fragment.prologue) + bool(fragment.epilogue))

    @staticmethod
    def _products_micros(fragment: Fragment, target: str) -> float:
        """Predicted time of the matrix products alone: of our own kernels, or the time that a library takes to read
        what they read, if that is less."""
        total = 0.0
        for product in fragment.products:
            operands = list(dict.fromkeys(product.all_input_nodes))
            ours = Module(Importer(operands, [False] * len(operands)).text([product])).predict(target)
            tensors = [v for v in map(value_of, operands + [product]) if v is not None]
            size = sum(t.numel() * t.element_size() for t in tensors)
            library = KERNEL_MICROS + size / (LIBRARY_SHARE * _BYTES_PER_MICRO.get(target, 4.8e6))
            total += min(ours, library)
        return total

    def _measure(self, fragment: Fragment, entry: ops.Entry, device: torch.device, report: FragmentReport) -> None:
        shapes = [(spec.storage_shape, getattr(torch, spec.dtype.torch_name)) for spec in entry.inputs]
        launcher = entry.launcher(device.index or 0)
        report.measured = measure.graph_micros(launcher, measure.random_inputs(shapes, device))
        products = 0.0
        for product in fragment.products:
            nodes = [n for n in product.args if isinstance(n, Node)]
            values = [value_of(n) for n in nodes]
            stored = measure.random_inputs([(tuple(v.shape), v.dtype) for v in values if v is not None], device)
            # As they lie in memory: a transposed weight takes another kernel of the library.
            inputs = [t if v is None or v.is_contiguous() else
                      torch.empty_strided(v.shape, v.stride(), dtype=v.dtype, device=device).copy_(t)
                      for t, v in zip(stored, values)]
            products += measure.graph_micros(lambda tensors, op=product.target: op(*tensors), inputs)
        report.inductor_measured = products + self._allowance(fragment)

    @staticmethod
    def _insert(graph: Graph, fragment: Fragment, key: str, entry: ops.Entry) -> None:
        """Puts the call after the last of its inputs; users that stand before it are moved by the sort that follows."""
        order = {n: i for i, n in enumerate(graph.nodes)}
        last_placeholder = [n for n in graph.nodes if n.op == "placeholder"][-1:]
        place = max(fragment.inputs + last_placeholder, key=order.__getitem__)
        values = [value_of(n) for n in fragment.outputs]
        with graph.inserting_after(place):
            called = graph.call_function(ops.call, (list(fragment.inputs), key))
        called.meta["val"] = [v.new_empty(v.shape) if v is not None else None for v in values]
        after = called
        for i, node in enumerate(fragment.outputs):
            with graph.inserting_after(after):
                part = graph.call_function(operator.getitem, (called, i))
            part.meta["val"] = node.meta["val"]
            after = part
            inside = set(fragment.nodes)
            node.replace_all_uses_with(part, delete_user_cb=lambda user, inside=inside: user not in inside)


def _whole_graph(graph: Graph) -> ops.WholeGraph | None:
    """The direct callable of a graph that holds one call of ours, the parts of its result, and nothing else."""
    calls = [n for n in graph.nodes if n.op not in ("placeholder", "output") and n.target is not operator.getitem]
    if len(calls) != 1 or calls[0].target is not ops.call:
        return None
    placeholders = [n for n in graph.nodes if n.op == "placeholder"]
    (results,) = next(n for n in graph.nodes if n.op == "output").args
    if any(value_of(n) is None for n in placeholders) or any(
            not isinstance(r, Node) or r.target is not operator.getitem for r in results):
        return None
    inputs, key = calls[0].args
    value = value_of(inputs[0])
    assert value is not None
    return ops.WholeGraph(ops.entry_of(key), [placeholders.index(n) for n in inputs],
                          [r.args[1] for r in results], value.device.type == "cuda",
                          len(placeholders))


def _interface(graph: Graph) -> tuple[int, int] | None:
    """How many inputs and outputs Dynamo's graph has, if they can be those of the graph that inductor compiles, with no
    layer in between that adds, drops or aliases any. Parameters are inputs already."""
    (results,) = next(n for n in graph.nodes if n.op == "output").args
    if not isinstance(results, (tuple, list)) or any(n.op == "get_attr" for n in graph.nodes):
        return None
    if any(not isinstance(r, Node) or r.op == "placeholder" for r in results) or len(set(results)) != len(results):
        return None
    return sum(n.op == "placeholder" for n in graph.nodes), len(results)


class _Pass(CustomGraphPass):
    def __init__(self, compiler: _Compiler) -> None:
        self.compiler = compiler

    def __call__(self, graph: Graph) -> None:
        self.compiler.replace(graph)

    def uuid(self) -> None:
        """No key: a graph that names fragments of this process must not reach another through inductor's cache."""
        return None


def _read_options(options: dict[str, Any] | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Ours, and inductor's."""
    ours, theirs = dict(_OPTIONS), {}
    for name, value in (options or {}).items():
        key = name.replace("-", "_")
        if key in ours:
            ours[key] = value
        elif key in torch._inductor.config.get_config_copy():
            theirs[key] = value
        else:
            warnings.warn(f"torch.compile(backend=\"mirage\"): unknown option {name}: without effect", MirageWarning,
                          stacklevel=4)
    if ours["device"] not in (None, "cpu", "cuda"):
        raise MirageError(f"expected device to be cpu or cuda, but got {ours['device']!r}")
    return ours, theirs


def backend(gm: torch.fx.GraphModule, example_inputs: Sequence[Any], *, options: dict[str, Any] | None = None,
            mode: str | None = None, **unknown: Any) -> Callable[..., Any]:
    """The Dynamo backend. `options` are the keys of this table, or inductor's own; `mode` is one of inductor's, such as
    "reduce-overhead" for CUDA graphs.

    device: "cpu" runs fragments of tensors in host memory in the interpreter (slow; for tests).
    target: as "sm_90a".
    threads: of the search.
    cache: keep searches on disk.
    search: options of mirage-superopt.
    measure: on a GPU, time each fragment and keep it only if it is faster than its matrix products by the library and
        a kernel each for what leads to them and follows.
    always: keep whatever was improved.
    dependent_launch: kernels may begin to read weights before the kernel before them ends. Only where no kernel
        writes weights.
    report: a mirage.inductor.Report that is added to.

    Source: python/mirage/inductor/__init__.py.
    """
    if unknown:
        warnings.warn(f"torch.compile(backend=\"mirage\"): unknown arguments {', '.join(sorted(unknown))}: without "
                      "effect", MirageWarning, stacklevel=2)
    ours, patches = _read_options(options)
    if mode is not None and mode != "default":
        patches = {**torch._inductor.list_mode_options(mode), **patches}
    report = ours["report"] if ours["report"] is not None else Report()
    compiler = _Compiler(ours, report)

    def inner(graph_module: torch.fx.GraphModule, inputs: Sequence[Any], **kwargs: Any) -> Any:
        compiler.static = set(kwargs.get("static_input_idxs") or ())
        compiler.inference = bool(kwargs.get("is_inference"))
        return compile_fx_inner(graph_module, inputs, **kwargs)

    patches["post_grad_custom_pre_pass"] = _Pass(compiler)
    interface = _interface(gm.graph)  # before compile_fx, which may change it
    compiled = compile_fx(gm, list(example_inputs), inner_compile=inner, config_patches=patches)
    for graph in report.graphs:
        log.info("%s", "\n".join(graph.lines()))
    if compiler.graphs == 1 and compiler.whole is not None and not patches.get("triton.cudagraphs") \
            and interface == (compiler.whole.num_arguments, compiler.whole.num_results):
        report.graphs[-1].whole = True
        return compiler.whole
    return compiled


def explain(model: Callable[..., Any], *args: Any, options: dict[str, Any] | None = None, mode: str | None = None,
            quiet: bool = False, **kwargs: Any) -> Report:
    """Compiles `model` for these arguments, runs it once, and prints what was fused, what was left and why, with
    predicted and measured times. Returns the Report. What was compiled for `model` before is compiled anew."""
    report = Report()
    torch._dynamo.reset()

    def reporting(gm: torch.fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
        return backend(gm, inputs, options={**(options or {}), "report": report}, mode=mode)

    compiled = torch.compile(model, backend=reporting)
    with torch.no_grad():
        compiled(*args, **kwargs)
    torch._dynamo.reset()
    if not quiet:
        print(report)
    return report
