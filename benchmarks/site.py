"""How quick the site of 10,000 runs of 300 rows is: to write, to bring up to date, to look at.

Prints figures; nothing is tested. The runs are made up, and lie with their site in a temporary
folder of about 2 GB that is removed afterwards. The pages are looked at in Chromium where that is
installed; it is asked how long the first page takes until it answers, and how long a search does.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from store import MACHINES, fill  # noqa: E402

from ciphermark.record.store import Store

FIRST_PAGE = ("index.html", "assets/report.css", "assets/site.css", "assets/site.js",
              "assets/figures.js", "assets/runs.js", "data/list.js")  # fmt: skip
"""What a browser needs to show the newest runs, beside the part of the list that has them."""

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
        kept = Path(folder) / names[-1]
        shutil.move(store.folder(names[-1]), kept)
        store.summaries()  # as a store that is in use has its index
        line = ("site", str(out), "--runs", str(store.root), "--reports", asked.reports)

        def write() -> None:
            subprocess.run(
                [sys.executable, "-m", "ciphermark", *line],
                check=True,
                stdout=subprocess.DEVNULL,
                timeout=LONGEST_S,
            )

        print(f"load of the machine: {' '.join(f'{it:.1f}' for it in os.getloadavg())}")
        print_seconds(f"from nothing, {asked.runs - 1} runs, {MACHINES} machines", write)
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


def look(out: Path) -> None:
    """Opens the first page as a file, and searches."""
    try:
        from browser_fixture import CHROMIUM, DRIVER, browser_with
    except ImportError as error:
        print(f"not looked at: {error}")
        return
    if not (CHROMIUM.exists() and DRIVER.exists()):
        print("not looked at: no browser (apt-get install chromium chromium-driver)")
        return
    ready = """
        const done = arguments[arguments.length - 1];
        const look = () => document.querySelector('#runs tbody tr')
          ? done(performance.now()) : requestAnimationFrame(look);
        look();
    """
    search = """
        const words = document.getElementById('words');
        words.value = arguments[0];
        const began = performance.now();
        words.dispatchEvent(new Event('input', {bubbles: true}));
        document.body.offsetHeight;
        return performance.now() - began;
    """
    with TemporaryDirectory() as profile, browser_with(Path(profile)) as browser:
        times = []
        for _ in range(TIMES):
            browser.get((out / "index.html").as_uri())
            times.append(browser.execute_async_script(ready))
        print(f"first page answers after {statistics.median(times):.0f} ms")
        browser.execute_async_script(
            "const done = arguments[0]; const look = () => 'ready' in "
            "document.documentElement.dataset ? done() : setTimeout(look, 10); look();"
        )
        for words in WORDS:
            spent = [browser.execute_script(search, words) for _ in range(TIMES)]
            shown = browser.execute_script("return document.getElementById('shown').value")
            print(f"search {words!r:28} {statistics.median(spent):6.1f} ms: {shown}")


if __name__ == "__main__":
    main()
