"""Runs a command with its standard error on a terminal and prints what it wrote
there, each rewriting of a line on a line of its own."""

import os
import pty
import subprocess
import sys

parent, child = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=child)
os.close(child)
written = b""
while True:
    try:
        block = os.read(parent, 4096)
    except OSError:  # the other end was closed
        break
    if not block:
        break
    written += block
print(written.decode().replace("\r\x1b[K", "\n[rewritten]"))
print("exit status", process.wait())
