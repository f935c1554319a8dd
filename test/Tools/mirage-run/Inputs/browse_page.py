#!/usr/bin/env python3
"""browse_page.py PAGE: opens the page at a phone's and a desk's width, light and dark.

It asks for nothing else, opens in under a second, is no wider than the window, and
writes no error. Needs playwright and Chromium.
"""

import pathlib
import shutil
import sys

from playwright.sync_api import sync_playwright

page_url = pathlib.Path(sys.argv[1]).resolve().as_uri()
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    for width in (360, 1280):
        for scheme in ("light", "dark"):
            page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
            requests, errors = [], []
            page.on("request", lambda request: requests.append(request.url))
            page.on("console", lambda message: errors.append(message.text))
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.goto(page_url)
            page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
            times = "performance.timing.loadEventEnd - performance.timing.navigationStart"
            assert requests == [page_url], f"expected one request, but got {requests}"
            assert not errors, f"expected no error, but got {errors}"
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"expected at most {width} pixels, but got {wide}"
            milliseconds = page.evaluate(times)
            assert milliseconds < 1000, f"expected under 1000 ms, but got {milliseconds}"
            print(f"{width} {scheme}: opened")
            page.close()
    browser.close()
