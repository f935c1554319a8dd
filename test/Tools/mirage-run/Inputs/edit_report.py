#!/usr/bin/env python3
"""edit_report.py REPORT OUT HOW: a report that is another one, or none any more."""

import json
import sys

source, target, how = sys.argv[1:]
report = json.load(open(source))
fragment = report["fragments"][0]
if how == "left":
    del fragment["winner_program"], fragment["certificate"]
    fragment["outcome"] = "no <b>graph</b> & nothing else"
    fragment["verdicts"] = []
elif how == "rank":
    fragment["verdicts"][0]["candidate"] = 99
elif how == "program":
    fragment["winner_program"]["outputs"] = [99]
elif how == "times":
    def one(rank, verdict, cold=None):
        entry = {"rank": rank, "predicted_us": 3.0 + rank, "summary": "grid 8", "verdict": verdict}
        if cold:
            entry["plain"] = {"cold_us": cold, "warm_us": cold / 2, "cold_spread_us": 0.1}
        return entry
    report = {"schema": 1, "device": "a test device", "target": report["target"],
              "program": fragment["function"],
              "candidates": [one(0, "pass", 4.0), one(1, "pass", 3.5), one(2, "wrong")]}
json.dump(report, open(target, "w"), indent=2)
