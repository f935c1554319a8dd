#!/usr/bin/env python3
"""check_page.py PAGE REPORT [TIMES]: checks the structure of a report's page.

Well formed, nothing from the network, no script, and everything in the report is
drawn: each fragment, each candidate, each replaced fragment's graph with its loops,
certificate and code. Prints one line of counts.
"""

import json
import re
import sys
import xml.etree.ElementTree as xml

NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'


def by_class(root, tag, name):
    return [e for e in root.iter(tag) if name in e.get("class", "").split()]


def count_ops(program):
    """Nodes that a diagram of the program has, boxes included."""
    def ops(body):
        return sum(1 + len(op.get("accumulators", [])) + ops(op.get("body", [])) for op in body)
    return program["inputs"] + len(program["outputs"]) + ops(program["ops"])


def main():
    page, report = sys.argv[1:3]
    text = open(page, encoding="utf-8").read()
    data = json.load(open(report))
    times = json.load(open(sys.argv[3])) if len(sys.argv) > 3 else None
    text = text.replace(NAMESPACE, "")
    root = xml.fromstring(text)
    assert len(text.encode()) < 2 << 20, f"expected under 2 MiB, but got {len(text.encode())}"
    assert not list(root.iter("script")), "expected no script"
    outside = re.findall(r"https?://[^\s\"']*", text)
    assert not outside, f"expected no links, but got {outside}"
    assert not re.search(r"url\(|@import", text), "expected no files that a style sheet loads"
    ids = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(set(ids)) == len(ids), "expected each id once"
    for element in root.iter():
        for name in ("href", "src"):
            target = element.get(name)
            assert target is None or target[1:] in ids, f"expected {target} on the page"
    articles = list(root.iter("article"))
    assert len(articles) == len(data["fragments"])
    drawn = 0
    for article, fragment in zip(articles, data["fragments"]):
        marks = [mark for chart in by_class(article, "svg", "chart")
                 for mark in by_class(chart, "g", "candidate")]
        candidates = len(fragment["candidates"])
        timed = times and fragment["function"] == times["program"]
        more = len(times["candidates"]) if timed and "winner_program" in fragment else 0
        assert len(marks) == candidates + more, f"expected {candidates + more} marks, but got {len(marks)}"
        taken = [m for m in marks if by_class(m, "path", "taken")]
        assert len(taken) == ("winner_program" in fragment) + bool(more)
        drawn += len(marks)
        diagrams = by_class(article, "svg", "diagram")
        programs = [fragment["original_program"]] + ([fragment["winner_program"]] if "winner_program" in fragment else [])
        for diagram, program in zip(diagrams, programs):
            nodes = by_class(diagram, "g", "node")
            assert len(nodes) == count_ops(program), f"expected {count_ops(program)} nodes, but got {len(nodes)}"
        words = "".join(article.itertext())
        if "winner_program" in fragment:
            assert "Why it computes the same" in words and "probability of at most" in words
        assert fragment["outcome"] in words or "winner_program" in fragment
    print(f"{len(articles)} fragments, {drawn} candidates drawn")


main()
