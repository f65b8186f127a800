"""How quick the site of 10,000 runs of 300 rows is: to write, to bring up to date, to look at.

Prints figures; nothing is tested. The runs are made up, and lie with their site in a temporary
folder of about 2 GB that is removed afterwards. The pages are looked at in Chromium where that is
installed: how long the first page takes until it answers, a search until its runs are listed, and
the planner until its figures follow a packet size that is changed. Beside the time of the
clock stands what the page's thread worked, which other work on the machine does not lengthen.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from store import MACHINES, fill  # noqa: E402

from ciphermark.record.store import Store
from ciphermark.workload import rows_table
from planner_example import planner_rows, planner_run  # noqa: E402

if TYPE_CHECKING:
    from browser_fixture import Browser

FIRST_PAGE = ("index.html", "assets/report.css", "assets/site.css", "assets/site.js",
              "assets/figures.js", "assets/runs.js", "data/list.js")  # fmt: skip
"""What a browser needs to show the newest runs, beside the part of the list that has them."""

OF_SUITES = "20250101-000000-0000"
"""The run that the planner computes from."""

WORDS = ("aes-128-gcm", "machine-17", "20261122", "rustcrypto machine-3", "nothing at all")
TIMES = 5
LONGEST_S = 1800


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000, help="stored runs")
    parser.add_argument("--reports", default="50", help="as of `ciphermark site`")
    asked = parser.parse_args()
    with TemporaryDirectory(prefix="ciphermark-site-") as folder:
        store, out = Store(Path(folder) / "runs"), Path(folder) / "site"
        names = fill(store, asked.runs)
        run = planner_run()
        run.context = msgspec.structs.replace(run.context, run=OF_SUITES)
        store.save(run, rows_table(planner_rows(), "single"))
        kept = Path(folder) / names[-1]
        shutil.move(store.folder(names[-1]), kept)
        count = len(store.summaries())  # which writes its index, as a store in use has
        line = ("site", str(out), "--runs", str(store.root), "--reports", asked.reports)

        def write() -> None:
            subprocess.run(
                [sys.executable, "-m", "ciphermark", *line],
                check=True,
                stdout=subprocess.DEVNULL,
                timeout=LONGEST_S,
            )

        print(f"load of the machine: {' '.join(f'{it:.1f}' for it in os.getloadavg())}")
        print_seconds(f"from nothing, {count} runs, {MACHINES} machines", write)
        print_seconds("nothing new", write)
        shutil.move(kept, store.folder(names[-1]))
        print_seconds("one more run", write)
        files = [path for path in out.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        print(f"{len(files)} files, {size / 1e6:.0f} MB")
        parts = sorted((out / "data/list").glob("*.js"), key=lambda it: int(it.stem))
        first = [*(out / it for it in FIRST_PAGE), parts[-1]]
        print(f"first page: {sum(it.stat().st_size for it in first) / 1e3:.0f} kB")
        look(out)


def print_seconds(what: str, work: Callable[[], object]) -> None:
    began, before = time.perf_counter(), os.times()
    work()
    ended = os.times()
    processor = sum(ended[2:4]) - sum(before[2:4])
    print(f"{what:44} {time.perf_counter() - began:7.1f} s, {processor:7.1f} s of CPU", flush=True)


FIRST = """
const done = arguments[arguments.length - 1];
const look = () => document.querySelector("#runs tbody tr")
  ? done(performance.now()) : requestAnimationFrame(look);
look();
"""
READY = "return 'ready' in document.documentElement.dataset"
SEARCH = """
const words = document.getElementById("words");
words.value = arguments[0];
const began = performance.now();
words.dispatchEvent(new Event("input", { bubbles: true }));
document.body.offsetHeight;
return performance.now() - began;
"""
CHANGE = """
const size = document.querySelector("[name=size]");
size.value = String(arguments[0]);
const began = performance.now();
size.dispatchEvent(new Event("input", { bubbles: true }));
document.body.offsetHeight;
return performance.now() - began;
"""
CHANGED = (64, 100, 576, 1000, 1500)
"""Bytes of packets."""


def look(out: Path) -> None:
    """Opens the first page as a file and searches, then the planner and changes a size."""
    try:
        from browser_fixture import CHROMIUM, DRIVER, browser_with
    except ImportError as error:
        print(f"not looked at: {error}")
        return
    if not (CHROMIUM.exists() and DRIVER.exists()):
        print("not looked at: no browser (apt-get install chromium chromium-driver)")
        return
    with TemporaryDirectory() as profile, browser_with(Path(profile)) as browser:
        browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        times = []
        for _ in range(TIMES):
            browser.get((out / "index.html").as_uri())
            times.append(browser.execute_async_script(FIRST))
        print(f"first page answers after {statistics.median(times):.0f} ms")
        until_ready(browser)
        for words in WORDS:
            spent = timed(browser, SEARCH, [(words,)] * TIMES)
            shown = browser.execute_script("return document.getElementById('shown').value")
            print(f"search {words!r:28} {spent}: {shown}")
        browser.get((out / "planner.html").as_uri() + "?packets=one+size&protocol=all")
        until_ready(browser)
        print(f"planner {timed(browser, CHANGE, [(size,) for size in CHANGED])}")


def until_ready(browser: Browser) -> None:
    while not browser.execute_script(READY):
        time.sleep(0.05)


def timed(browser: Browser, script: str, inputs: Sequence[tuple[object, ...]]) -> str:
    """How long a script says that it took with each of these, and what the page's thread worked."""
    before = worked_s(browser)
    spent = [browser.execute_script(script, *given) for given in inputs]
    worked = 1e3 * (worked_s(browser) - before) / len(inputs)
    return (
        f"{statistics.median(spent):6.1f} ms, at most {max(spent):6.1f} ms, {worked:6.1f} ms of CPU"
    )


def worked_s(browser: Browser) -> float:
    metrics = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(next(it["value"] for it in metrics if it["name"] == "TaskDuration"))


if __name__ == "__main__":
    main()
