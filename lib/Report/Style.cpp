//===- Style.cpp - The page's style sheet ---------------------------------===//

#include "Page.h"

// Meaning is never in colour alone: kinds of nodes have shapes and borders of
// their own, marks differ in shape, bars have their number beside them.
const char *const mirage::report::kStyle = R"css(
:root { color-scheme: light dark; --page: #fff; --text: #1a1a1a; --dim: #555;
  --line: #8a8a8a; --soft: #d9d9d9; --card: #f6f6f4; --node: #fff;
  --load: #e3edf7; --store: #e5f2e5; --accent: #0b57a4; --mark: #0b57a4; }
@media (prefers-color-scheme: dark) { :root { --page: #16181b; --text: #e8e8e6;
  --dim: #a9abae; --line: #7d8186; --soft: #3a3e44; --card: #1f2226;
  --node: #26292e; --load: #1f3347; --store: #21382a; --accent: #8fc1ff;
  --mark: #8fc1ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: .5rem 0; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 0 0 .5rem; }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
p, ul { margin: .5rem 0; } ul { padding-left: 1.2rem; }
a { color: var(--accent); }
small { color: var(--dim); font-size: .85rem; }
code, pre { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .8rem; }
pre { overflow-x: auto; max-height: 30rem; background: var(--page);
  border: 1px solid var(--soft); padding: .6rem; line-height: 1.35;
  overflow-wrap: normal; }
article { background: var(--card); border: 1px solid var(--soft);
  border-radius: 6px; padding: 1rem; margin: 1.2rem 0; }
figure { margin: .5rem 0; }
figcaption { color: var(--dim); font-size: .85rem; }
.scroll { overflow-x: auto; }
.figures { display: flex; flex-wrap: wrap; gap: .5rem 2rem; padding: 0;
  list-style: none; }
.figures strong { display: block; font-size: 1.4rem; line-height: 1.2; }
summary { cursor: pointer; padding: .35rem 0; color: var(--accent); }
table { border-collapse: collapse; font-size: .9rem; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; vertical-align: top;
  border-bottom: 1px solid var(--soft); font-weight: normal; }
tr:first-child > th:not([scope=row]) { font-weight: 600; }
th small { display: block; }
.number { text-align: right; white-space: nowrap;
  font-variant-numeric: tabular-nums; }
.overview, .bars { width: 100%; }
.overview th[scope=row] { width: 70%; }
.bars th { width: 50%; }
.bar { width: 30%; white-space: nowrap; font-size: .8rem; }
.bar span { display: inline-block; height: .7em; min-width: 1px;
  max-width: calc(100% - 4em); margin-right: .4em; background: var(--mark); }
svg { display: block; max-width: none; }
.diagram { width: max(min(100%, var(--w)), calc(var(--w) * .8)); height: auto; }
.scroll th, .scroll td { overflow-wrap: normal; }
svg text { font: 11px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono",
  monospace; fill: var(--text); }
.diagram .node > rect, .diagram .node > path { fill: var(--node);
  stroke: var(--line); stroke-width: 1; }
.diagram .node text { text-anchor: middle; }
.diagram .graph > rect { fill: none; stroke: var(--text); stroke-width: 1.5; }
.diagram .loop > rect { fill: none; stroke: var(--text); stroke-dasharray: 5 3; }
.diagram .graph text, .diagram .loop text { text-anchor: start; font-weight: 600; }
.diagram .load > path { fill: var(--load); }
.diagram .store > path { fill: var(--store); }
.diagram .constant > rect { stroke: none; fill: none; }
.diagram .sync > rect { stroke-dasharray: 2 2; }
.diagram .edge { fill: none; stroke: var(--line); stroke-width: 1.2; }
.diagram .order { stroke-dasharray: 2 3; }
.diagram .head { fill: var(--line); }
.chart .grid { stroke: var(--soft); fill: none; }
.chart .stem { stroke: var(--line); stroke-width: 1; }
.chart .before { stroke: var(--text); stroke-dasharray: 5 3; fill: none; }
.chart .taken { fill: var(--mark); stroke: var(--text); }
.chart .failed { stroke: var(--text); stroke-width: 2; fill: none; }
.chart .open { fill: var(--card); stroke: var(--text); stroke-width: 1.4; }
.chart .buffer { fill: var(--mark); }
.chart .track { fill: none; stroke: var(--soft); }
.chart text { text-anchor: middle; }
.chart text.end { text-anchor: end; } .chart text.start { text-anchor: start; }
.chart .tick { fill: var(--dim); }
@media print { article { break-inside: avoid-page; } pre { max-height: none; } }
@media (max-width: 30rem) { main { padding: .6rem; } article { padding: .6rem; }
  th, td { padding-right: .5rem; } }
)css";
