#!/usr/bin/env python3
"""forge_entry.py CACHE [cut]: changes the verdicts of a cache.

Certificates get another candidate's hash, under a file hash that is right again; with
`cut` the files lose their end.
"""

import hashlib
import json
import pathlib
import sys

for path in pathlib.Path(sys.argv[1]).glob("*.entry"):
    line, body = path.read_text().split("\n", 1)
    entry = json.loads(body)
    if entry["kind"] != "verdict":
        continue
    if len(sys.argv) > 2:
        path.write_text(path.read_text()[:-100])
        continue
    entry["answer"]["certificate"]["candidate"] = "0" * 64
    body = json.dumps(entry) + "\n"
    digest = hashlib.sha256(body.encode()).hexdigest()
    path.write_text(f"mirage-cache 1 {digest} {len(body)}\n{body}")
