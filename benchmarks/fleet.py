"""What it costs to run a fleet: many machines whose workers replay what was recorded.

    python benchmarks/fleet.py [--machines 20,50,100,200] [--processes 2] [--budget 10]

A survey is measured once on this machine. Then so many Dask workers, in a few processes, tell its
events again, each as a machine of its own, and `ciphermark fleet run` does with them all that it
does with machines: a run with its rows for each in the store. Of each number of machines the wall
time of the command is printed, that of one machine, the CPU time of all, which others on this
machine do not change, and the peak memory of all processes.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ciphermark.farm.replay import Recording, Replay
from ciphermark.plan import build, planfile, selection
from ciphermark.record.recorder import Recorder
from ciphermark.record.run_folder import read_run, write_run
from ciphermark.record.store import Store
from ciphermark.run.engine import Engine
from ciphermark.run.interrupts import Interrupts

PLAN = """
title = "What a fleet is timed with"
workload = "single"
algorithms = "survey"
operations = ["seal", "encrypt", "mac", "digest", "open", "decrypt", "setup"]
sizes = [1024, 64, 16384, 256, 1500, 16]
precision = 0.01
budget_s = {budget}
max_cases = 400
"""
"""That of `ciphermark survey`, which has more than 300 cases where the usual libraries are."""

QUIET_WORKERS = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "10s",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
}
"""A hundred workers in one process would each look at all its threads a hundred times a second, and
at its event loop fifty times."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=_Formatter)
    options.add_argument("--machines", default="20,50,100,200")
    options.add_argument("--processes", type=int, default=2, help="that hold the workers")
    options.add_argument("--budget", type=float, default=10.0, help="seconds of the survey")
    options.add_argument("--workers", nargs=4, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.workers:
        address, folder, first, count = given.workers
        asyncio.run(_be_workers(address, Path(folder), int(first), int(count)))
        return
    with tempfile.TemporaryDirectory(prefix="ciphermark-fleet-") as folder:
        cases, samples = _record(Path(folder), given.budget)
        print(f"{cases} cases, {samples} samples in a run; {os.cpu_count()} CPUs")
        print(
            "machines   seconds   per machine, s   CPU s: command   scheduler   workers"
            "   memory, MiB"
        )
        for count in map(int, given.machines.split(",")):
            _time(Path(folder), count, given.processes, cases)


def _record(folder: Path, budget: float) -> tuple[int, int]:
    """Measures once; how many cases and samples that gives."""
    (folder / "plan.toml").write_text(PLAN.format(budget=budget))
    engine = Engine()
    file = planfile.read(folder / "plan.toml", "single")
    built = build.build(file, selection.Selection(seed=1), engine.describe())
    recorder = Recorder("", "plan", built.plan, built.algorithms, built.notes)
    for event in engine.measure(built.plan, Interrupts()):
        recorder.feed(event)
    run = recorder.finish()
    from ciphermark.workload import rows, rows_table

    (folder / "recording").mkdir()
    write_run(folder / "recording", run, rows_table(rows(run), "single"))
    return len(run.cases), run.samples.num_rows


async def _be_workers(address: str, folder: Path, first: int, count: int) -> None:
    """So many Dask workers in this process, each a machine. One thread works for all of them: so
    many threads of one Python would stand in each other's way, as machines do not."""
    from distributed import Worker

    recording = Recording(read_run(folder / "recording"))
    workers = []
    thread = ThreadPoolExecutor(1)
    for number in range(first, first + count):
        worker = Worker(address, nthreads=1, dashboard=False, memory_limit=0, executor=thread)
        worker.ciphermark_engine = Replay(recording, f"{number:03}")
        workers.append(await worker)
    await asyncio.gather(*(worker.finished() for worker in workers))


def _time(folder: Path, machines: int, processes: int, cases: int) -> None:
    """Runs a fleet of so many machines and prints what that took."""
    port = 20000 + os.getpid() % 20000
    address = f"tcp://127.0.0.1:{port}"
    scheduling = ["-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1"]
    scheduling += ["--port", str(port), "--dashboard-address", "127.0.0.1:0"]
    started = [_start(*scheduling)]
    try:
        for number in range(processes):
            first = machines * number // processes
            count = machines * (number + 1) // processes - first
            telling = [address, str(folder), str(first), str(count)]
            started.append(_start(__file__, "--workers", *telling))
        _wait_for(address, machines)
        runs = folder / f"runs-{machines}"
        command = ["-m", "ciphermark", "fleet", "run", "--scheduler", address]
        command += ["--plan", str(folder / "plan.toml"), "--runs", str(runs), "--even-unfit"]
        before = [_cpu_s(it.pid) for it in started]
        began = time.monotonic()
        process = _start(*command, loud=True)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        spent = [_cpu_s(it.pid) - was for it, was in zip(started, before, strict=True)]
        memory = used.ru_maxrss / 1024 + sum(_peak_mib(it.pid) for it in started)
        _check(runs, machines, cases)
        own = used.ru_utime + used.ru_stime
        print(
            f"{machines:8}   {seconds:7.1f}   {seconds / machines:14.3f}   {own:14.1f}"
            f"   {spent[0]:9.1f}   {sum(spent[1:]):7.1f}   {memory:11.0f}",
            flush=True,
        )
    finally:
        for it in started:
            it.kill()
            it.wait()


def _check(runs: Path, machines: int, cases: int) -> None:
    """Every machine has one run with all cases."""
    found = Store(runs).summaries()
    names = {it.machine_name for it in found}
    assert len(found) == len(names) == machines, f"{len(found)} runs of {len(names)} machines"
    assert {it.cases for it in found} == {cases}, {it.cases for it in found}


def _wait_for(address: str, machines: int) -> None:
    from distributed import Client

    with Client(address, set_as_default=False, timeout=60) as client:
        client.wait_for_workers(machines, timeout=300)


def _cpu_s(process: int) -> float:
    """CPU time that a process has taken so far: the 14th and 15th field of its stat."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak_mib(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    (line,) = [it for it in status.splitlines() if it.startswith("VmHWM:")]
    return int(line.split()[1]) / 1024


def _start(*arguments: str, loud: bool = False) -> subprocess.Popen[bytes]:
    silent = None if loud and os.environ.get("LOUD") else subprocess.DEVNULL
    environment = os.environ | QUIET_WORKERS
    return subprocess.Popen(
        [sys.executable, *arguments], stdout=silent, stderr=silent, env=environment
    )


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Keeps the lines of the description."""


if __name__ == "__main__":
    main()
