"""What was fused, what was left, and why."""
from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class FragmentReport:
    """One candidate of one graph. Times are microseconds; None where nothing was predicted or measured."""

    ops: str
    outcome: str  # "fused", or why not
    predicted: float | None = None  # of Mirage's kernels
    inductor_predicted: float | None = None  # its products, and a kernel each for what leads to them and follows
    measured: float | None = None
    inductor_measured: float | None = None  # its products measured, and the same allowance
    from_cache: bool = False

    @property
    def fused(self) -> bool:
        return self.outcome == "fused"


@dataclass
class GraphReport:
    """One graph that Dynamo handed over."""

    nodes: int = 0
    fragments: list[FragmentReport] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)  # reason -> number of products
    note: str = ""  # why the whole graph was left
    whole: bool = False  # it is one fragment, which is called without inductor's layers

    def lines(self) -> list[str]:
        text = [f"graph of {self.nodes} ops: {sum(f.fused for f in self.fragments)} fragments fused"
                + ("; nothing else is in it" if self.whole else "")
                + (f"; left to inductor: {self.note}" if self.note else "")]
        for f in self.fragments:
            times = [f"{name} {value:.1f} us" for name, value in
                     (("predicted", f.predicted), ("inductor predicted", f.inductor_predicted),
                      ("measured", f.measured), ("inductor measured", f.inductor_measured)) if value is not None]
            text.append(f"  [{f.ops}]: {f.outcome}" + (f" ({', '.join(times)})" if times else ""))
        text += [f"  {count} matrix product{'s' if count > 1 else ''} left: {reason}"
                 for reason, count in sorted(self.left.items())]
        return text


@dataclass
class Report:
    """All graphs of one model. `print(report)` shows it."""

    graphs: list[GraphReport] = field(default_factory=list)

    @property
    def fused(self) -> int:
        return sum(f.fused for g in self.graphs for f in g.fragments)

    def __str__(self) -> str:
        return "\n".join(line for g in self.graphs for line in g.lines()) or "no graph was compiled"
