"""Whether commands still print what they printed: for changes that should change nothing.

`PYTHONPATH=python:tests python tests/compare_outputs.py write FOLDER [--store STORE] [--only WORD]`
runs every command that reads stored runs, on the golden runs, on those of the examples beside this
file and of a store of your own, and writes what each printed, its exit code and its files; with a
word, only calls that have it. Do so before the change and after it, with the same store, and say
what differs: `python tests/compare_outputs.py diff BEFORE AFTER`.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parent
MOST_LINES = 12
"""Of a difference that are printed."""

WORKERS = 2
WIDTHS = ("70", "100", "160")
FORMATS = ("csv", "json", "latex", "markdown", "parquet")
STUDIES = ("gateway", "kasumi", "mac-sessions", "sensor", "sensor-2003", "umac")
USES = ("ipsec", "tls", "quic", "wireguard", "openvpn", "ssh", "disk", "mac-only", "hash")
LISTS = ("algorithms", "suites", "providers", "studies", "nodes")
LISTS += ("protocols", "profiles", "targets", "runs", "machines")

RC5 = "rc5-32-12-8-ecb"

TIMED = (
    (re.compile(r"\b\d+ (second|minute|hour|day|week|month|year)s? ago\b"), "AGO"),
    (re.compile(r"/tmp/outputs-\w+"), "PLACE"),
)
"""What differs from call to call."""


def commands(store: Path) -> Iterator[tuple[str, ...]]:
    """Arguments of all calls; `{out}` is a file of the call's own."""
    from ciphermark.record.store import Store

    for golden in sorted((TESTS / "golden").glob("run-*")):
        yield "rows", str(golden)
        yield "show", str(golden), "--json"
    runs = Store(store).run_ids()
    present, older = _golden("1.9"), _golden("1.8")
    for run in (*present, *runs):
        yield from _of_run(run)
        yield "report", run, "--output", "{out}.html"
    for run, other in (*zip(present, older, strict=False), *zip(runs, runs[1:], strict=False)):
        yield "compare", run, other, "--all", "--across-machines"
        yield "compare", run, other, "--json", "--across-machines"
    for run in runs:
        yield "compare", f"{run}:openssl", f"{run}:rustcrypto", "--all"
        for more in ((), ("--both-ways", "--link", "1G"), ("--rate", "10M", "--cores", "all")):
            yield "capacity", "--run", run, *more
            yield "capacity", "--run", run, *more, "--json"
    for use in USES:
        yield "advise", "--for", use, "--rate", "100M", "--explain"
        yield "advise", "--for", use, "--json"
    for study, run in product(STUDIES, runs):
        if Store(store).context(run).plan_name == study:
            yield "study", study, "--from", run
            yield "study", study, "--from", run, "--json"
    yield from _of_no_run()


def _of_run(run: str) -> Iterator[tuple[str, ...]]:
    for width in WIDTHS:
        yield f"COLUMNS={width}", "show", run
    yield "show", run, "--json"
    for name in FORMATS:
        yield "export", run, "--format", name, "--output", f"{{out}}.{name}"


def _of_no_run() -> Iterator[tuple[str, ...]]:
    for what in LISTS:
        for more in ((), ("--json",)):
            yield "list", what, *more
    yield "machines", "matrix"
    yield "machines", "matrix", "--json"
    for study in STUDIES:
        yield "study", study, "--claims"
        yield "study", study, "--dry-run"
    for data in ("sensor-2003", "simulated"):
        of = ("--data", data)
        for more in ((), ("--json",)):
            yield "model", "fit", *of, *more
            yield "model", "backtest", *of, *more
            yield "model", "predict", "--target", "atmega328p", *of, *more
            yield "model", "feasible", "--target", "atmega128", "--deadline", "5ms", *of, *more
            yield "model", "require", f"--algorithm={RC5}", "--deadline=5ms", *of, *more
            yield "protocol", "all", *of, *more
    for command in ("survey", "sessions", "packets", "esp", "simulate"):
        yield command, "--help"


def _golden(version: str) -> list[str]:
    return sorted(map(str, (TESTS / "golden").glob(f"run-{version}*")))


def make_store(store: Path, extra: Path | None) -> None:
    """The runs of the examples, and those of another store."""
    import msgspec

    import advice_example
    from broad_example import broad_example
    from ciphermark.record.store import Store
    from ciphermark.workload import rows, rows_table
    from decision_example import decision_rows, decision_run
    from imports_example import imported_example
    from packets_example import packets_example
    from sessions_example import sessions_example, soak_example
    from simulation_example import simulated_example
    from survey_example import survey_example
    from synthetic import synthetic_cases, synthetic_run
    from tunnel_example import tunnel_run

    examples: dict[str, tuple[Any, Any]] = {
        "packets": packets_example(),
        "sessions": sessions_example(),
        "soak": soak_example(),
        "survey": survey_example(),
        "broad": broad_example(),
        "decision": (decision_run(), decision_rows()),
    }
    runs = [simulated_example(), imported_example()]
    runs.append(tunnel_run())
    runs += [
        synthetic_run(synthetic_cases(sizes=(64, 1024)), rounds=6, seed=seed) for seed in (1, 2)
    ]
    for number, run in enumerate(runs):
        examples[f"run{number}"] = run, rows(run)
    into, none = Store(store), synthetic_run([], rounds=0).samples
    advice_example.stored(into)
    for number, (run, its_rows) in enumerate(examples.values()):
        context = msgspec.structs.replace(run.context, run=f"20261120-1200{number:02}-{number:04x}")
        samples = none if run.samples is None else run.samples
        run = msgspec.structs.replace(run, context=context, samples=samples)
        also = [rows_table(rows(it), it.context.workload) for it in run.also]
        into.save(run, rows_table(its_rows, context.workload), also)
    for folder in sorted(extra.glob("2*")) if extra else ():
        shutil.copytree(folder, store / folder.name)


def write(into: Path, extra: Path | None, only: str) -> None:
    """Runs all commands, each in a process of its own, and writes a file for each."""
    place = Path(tempfile.mkdtemp(prefix="outputs-"))
    os.environ |= {"COLUMNS": WIDTHS[1], "CIPHERMARK_RUNS": str(place / "runs"), "TZ": "UTC"}
    os.environ |= {f"XDG_{it}_HOME": str(place / it) for it in ("DATA", "CACHE", "CONFIG")}
    os.environ |= {"LINES": "40", "NO_COLOR": "1", "SOURCE_DATE_EPOCH": "1700000000"}
    into.mkdir(parents=True)
    make_store(place / "runs", extra)
    import ciphermark.__main__
    import ciphermark.cli.main
    import ciphermark.workloads.single.document  # noqa: F401

    calls = [it for it in commands(place / "runs") if only in " ".join(it)]
    workers = []
    for first in range(WORKERS):
        workers.append(os.fork())
        if not workers[-1]:
            for arguments in calls[first::WORKERS]:
                _call(arguments, into)
            os._exit(0)
    assert not any([os.waitpid(worker, 0)[1] for worker in workers])
    shutil.rmtree(place)


def _call(arguments: tuple[str, ...], into: Path) -> None:
    """Both streams, the exit code and the files of one call."""
    call = " ".join(arguments).replace(str(TESTS), "tests")
    output = into / re.sub(r"[^\w.=-]+", "_", call)
    own = [it.replace("{out}", str(output) + ".file") for it in arguments]
    child = os.fork()
    if not child:
        _child(own, output)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    text = output.read_text(errors="replace").replace(f"{into}/", "") + f"\nexit code {code}\n"
    output.write_text(_normal(text))
    for html in output.parent.glob(f"{output.name}.file.html"):
        html.write_text(_normal(html.read_text()))


def _child(arguments: list[str], output: Path) -> None:
    status = 70
    try:
        file = os.open(output, os.O_CREAT | os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(file, stream)
        if arguments[0].startswith("COLUMNS="):
            os.environ["COLUMNS"] = arguments.pop(0).removeprefix("COLUMNS=")
        sys.argv = ["ciphermark", *arguments]
        if arguments[0] == "rows":
            _print_rows(arguments[1])
            status = 0
        else:
            from ciphermark.__main__ import main

            main()
    except SystemExit as ended:
        status = int(ended.code or 0)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}")
    finally:
        sys.stdout.flush()
        os._exit(status)


def _print_rows(name: str) -> None:
    """The rows as they are computed from the samples, and the cost cards."""
    import msgspec

    from ciphermark.record.store import Store
    from ciphermark.workload import rows, workload_of

    store = Store.default()
    run = store.load(store.resolve(name))
    found = rows(run)
    for it in (*found, *workload_of(run.context.workload).cost_cards(found)):
        print(msgspec.json.encode(it).decode())


def _normal(text: str) -> str:
    for pattern, name in TIMED:
        text = pattern.sub(name, text)
    return text


def diff(before: Path, after: Path) -> int:
    """Prints what differs of what both have; 1 where something does."""
    files = [
        {str(it.relative_to(folder)) for it in folder.rglob("*") if it.is_file()}
        for folder in (before, after)
    ]
    names = sorted(set.intersection(*files))
    differing = 0
    for name in names:
        sides = [folder / name for folder in (before, after)]
        contents = [it.read_bytes() for it in sides]
        if contents[0] == contents[1]:
            continue
        differing += 1
        print(f"--- {name}")
        lines = [it.decode(errors="replace").splitlines() for it in contents]
        changed = [it[:300] for it in difflib.unified_diff(*lines, lineterm="", n=0)][2:]
        print(*changed[:MOST_LINES], sep="\n")
    print(f"{differing} of {len(names)} outputs differ")
    return int(differing > 0)


def _main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    verbs = parser.add_subparsers(dest="verb", required=True)
    writing = verbs.add_parser("write")
    writing.add_argument("folder", type=Path)
    writing.add_argument("--store", type=Path)
    writing.add_argument("--only", default="")
    comparing = verbs.add_parser("diff")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    given = parser.parse_args()
    if given.verb == "diff":
        return diff(given.before, given.after)
    write(given.folder.resolve(), given.store, given.only)
    return 0


if __name__ == "__main__":
    sys.exit(_main())
