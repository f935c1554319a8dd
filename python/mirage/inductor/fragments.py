"""Which parts of an fx graph are handed to the search.

A fragment is grown around matrix products: one, or several that read the same
left operand (gate and up, or q, k and v), with the elementwise ops and norms
that lead to the left operand, and the elementwise ops that follow the results.
What leads to it may be computed twice, when others need it too; what follows
belongs to one fragment.
"""
from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import Iterable

import torch
from torch.fx import Graph, Node

from .importer import ELEMENTWISE, MATMULS, SHAPES, VIEWS, aten, is_row_view, value_of, why_no_tensor, why_not

# Ops besides elementwise ones that may lead to a left operand: norms.
_PROLOGUE = {aten.mean.dim, aten.sum.dim_IntList, aten.amax.default, aten.var_mean.correction}
MAX_OPS = 40
"""Largest fragment, in fx nodes that are no views."""


@dataclass
class Fragment:
    """Nodes in the graph's order, with what they read and what others read of them."""

    nodes: list[Node]
    inputs: list[Node] = field(default_factory=list)
    outputs: list[Node] = field(default_factory=list)
    prologue: int = 0  # nodes that are no views, before the products
    epilogue: int = 0

    @property
    def flat(self) -> bool:
        """Whether its program has rank 2 throughout: see importer.py."""
        return all(n.target is not aten.bmm.default for n in self.nodes)

    @property
    def products(self) -> list[Node]:
        return [n for n in self.nodes if n.target in MATMULS]

    def describe(self) -> str:
        names = [str(n.target).replace("aten.", "").replace("prims.", "").split(".")[0] for n in self.nodes
                 if n.target not in VIEWS]
        return ", ".join(names)


def _operands(node: Node) -> list[Node]:
    return list(node.all_input_nodes)


def _strip_views(node: Node) -> Node:
    while node.op == "call_function" and node.target in VIEWS and node.args and isinstance(node.args[0], Node):
        node = node.args[0]
    return node


def _left(product: Node) -> Node:
    return product.args[1 if product.target is aten.addmm.default else 0]  # type: ignore[return-value]


def why_no_product(node: Node) -> str | None:
    """Why a matrix product is not taken, or None."""
    reason = why_not(node)
    if reason is not None:
        return reason
    for operand in _operands(node):
        reason = why_no_tensor(operand)
        if reason is not None:
            return f"{operand.name}: {reason}"
    value = value_of(node)
    if value is not None and value.dtype == torch.float32:
        return "its element type is torch.float32, which tensor cores do not take"
    return None


class Finder:
    """Grows fragments in one graph, which it does not change."""

    def __init__(self, graph: Graph) -> None:
        self.nodes = [n for n in graph.nodes]
        self.order = {n: i for i, n in enumerate(self.nodes)}
        self.flat = False  # of the fragment that is grown

    def groups(self) -> Iterable[list[Node]]:
        """Products that are tried together, in the graph's order."""
        by_left: dict[Node, list[Node]] = {}
        for node in self.nodes:
            if node.op == "call_function" and node.target in MATMULS and why_no_product(node) is None:
                by_left.setdefault(_strip_views(_left(node)), []).append(node)
        yield from sorted(by_left.values(), key=lambda group: self.order[group[0]])

    def grow(self, products: list[Node]) -> Fragment | None:
        """The fragment around these products, or None where they cannot be one."""
        chosen: set[Node] = set(products)
        self.flat = all(p.target is not aten.bmm.default for p in products)
        prologue = self._prologue(products)
        weights = self._weights(products)
        chosen |= prologue | weights
        # One product's operand must not hang on another's result.
        shared = prologue | weights
        if self._path_through_outside(chosen, shared):
            return None
        epilogue = self._epilogue(chosen, shared, set(products))
        chosen |= epilogue
        fragment = Fragment(sorted(chosen, key=self.order.__getitem__))
        fragment.prologue = sum(n.target not in VIEWS for n in prologue)
        fragment.epilogue = sum(n.target not in VIEWS for n in epilogue)
        self._close(fragment, shared)
        if not fragment.outputs or self._mutates(fragment) or fragment.prologue + fragment.epilogue + len(products) > MAX_OPS:
            return None
        return fragment

    def _available(self, node: Node) -> bool:
        if node.target is operator.getitem:
            return isinstance(node.args[0], Node) and node.args[0].target is aten.var_mean.correction
        if node.target in SHAPES and self.flat and not is_row_view(node):
            return False
        return why_not(node) is None

    def _prologue(self, products: list[Node]) -> set[Node]:
        found: set[Node] = set()
        stack = [_left(p) for p in products]
        while stack:
            node = stack.pop()
            if node in found or node.op != "call_function" or not self._available(node):
                continue
            if node.target not in ELEMENTWISE | _PROLOGUE | VIEWS:
                continue
            found.add(node)
            stack += _operands(node)
        return self._worth(found, products)

    def _worth(self, found: set[Node], products: list[Node]) -> set[Node]:
        """Without nodes that only widen what is read: a prologue reads no more than it yields, twice over for a
        residual."""
        wide = max((_elements(_left(p)) for p in products), default=0)
        result = set(found)
        for node in sorted(found, key=self.order.__getitem__):
            if _elements(node) > wide:
                result = {n for n in result if not self._reaches(n, node, result)}
        return result

    def _reaches(self, node: Node, goal: Node, within: set[Node]) -> bool:
        stack, seen = [goal], set()
        while stack:
            current = stack.pop()
            if current is node:
                return True
            if current in seen:
                continue
            seen.add(current)
            stack += [o for o in _operands(current) if o in within]
        return False

    def _weights(self, products: list[Node]) -> set[Node]:
        """Views between a weight and its product."""
        found: set[Node] = set()
        for product in products:
            for operand in _operands(product):
                if operand is _left(product):
                    continue
                while operand.op == "call_function" and operand.target in VIEWS and self._is_weight_view(operand):
                    found.add(operand)
                    operand = operand.args[0]
        return found

    def _is_weight_view(self, node: Node) -> bool:
        """A transposed matrix is read where it lies."""
        source = value_of(node.args[0])
        if source is None or node.target is aten.expand.default or why_not(node) is not None:
            return False
        if node.target in (aten.permute.default, aten.t.default, aten.transpose.int):
            return not self.flat or source.dim() == 2
        return self._available(node)

    def _mutates(self, fragment: Fragment) -> bool:
        """Whether something between the fragment's first and last node writes into a tensor: then its place counts."""
        first, last = self.order[fragment.nodes[0]], self.order[fragment.nodes[-1]]
        return any(n.op == "call_function" and isinstance(n.target, torch._ops.OpOverload)
                   and n.target._schema.is_mutable for n in self.nodes[first:last])

    def _path_through_outside(self, chosen: set[Node], shared: set[Node]) -> bool:
        """Whether some value leaves the set and comes back, so that it is no single step of the program. What is
        `shared` is computed by others too, and they do not wait for the fragment."""
        first = min(self.order[n] for n in chosen)
        last = max(self.order[n] for n in chosen)
        tainted: set[Node] = set()
        for node in self.nodes[first:last + 1]:
            reads = _operands(node)
            if node in chosen:
                if any(o in tainted for o in reads):
                    return True
            elif any(o in tainted or (o in chosen and o not in shared) for o in reads):
                tainted.add(node)
        return False

    def _epilogue(self, chosen: set[Node], shared: set[Node], products: set[Node]) -> set[Node]:
        """Elementwise nodes that follow the products, without those that would only make more outputs, or wider ones."""
        found: set[Node] = set()
        tainted: set[Node] = set()  # what hangs on the fragment and is not in it
        for node in self.nodes[min(self.order[p] for p in products) + 1:]:
            if node in chosen:
                continue
            reads = _operands(node)
            hangs = [o for o in reads if o in found or o in products]
            if any(o in tainted for o in reads):
                tainted.add(node)
            elif hangs and self._follows(node, chosen | found):
                found.add(node)
            elif hangs:
                tainted.add(node)
        return self._pruned(found, chosen, shared, products)

    def _pruned(self, found: set[Node], chosen: set[Node], shared: set[Node], products: set[Node]) -> set[Node]:
        def cost(epilogue: set[Node]) -> tuple[int, int]:
            inside = chosen | epilogue
            outputs = [n for n in epilogue | products if any(u not in inside for u in n.users)]
            return len(outputs), sum(_bytes(n) for n in outputs)

        found = set(found)
        for node in sorted(found, key=self.order.__getitem__, reverse=True):
            if any(u in found for u in node.users):
                continue
            if node.target in SHAPES:  # whoever reads it makes the view
                found.remove(node)
                continue
            (count, size), (count_without, size_without) = cost(found), cost(found - {node})
            if count_without < count or (count_without == count and size_without < size):
                found.remove(node)
        return found

    def _follows(self, node: Node, inside: set[Node]) -> bool:
        if node.op != "call_function" or node.target in MATMULS or not self._available(node):
            return False
        if node.target not in ELEMENTWISE or node.target is aten.expand.default:
            return False
        return all(o in inside or why_no_tensor(o) is None for o in _operands(node))

    def _close(self, fragment: Fragment, shared: set[Node]) -> None:
        """Sets inputs and outputs. What leads to the products is never an output: others compute it themselves."""
        inside = set(fragment.nodes)
        seen: set[Node] = set()
        for node in fragment.nodes:
            for operand in _operands(node):
                if operand not in inside and operand not in seen:
                    seen.add(operand)
                    fragment.inputs.append(operand)
            if node not in shared and any(u not in inside for u in node.users):
                fragment.outputs.append(node)


def _elements(node: Node) -> int:
    value = value_of(node)
    return value.numel() if value is not None and all(isinstance(s, int) for s in value.shape) else 0


def _bytes(node: Node) -> int:
    value = value_of(node)
    return _elements(node) * value.element_size() if value is not None else 0
