"""The engine, and the command as a user types it, with a runs folder of its own."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import io
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from unittest import mock
from uuid import uuid4

import msgspec
import pytest

import ciphermark
from ciphermark.__main__ import main
from ciphermark.cli.main import run
from ciphermark.errors import UsageError
from ciphermark.plan.build import Built, build
from ciphermark.plan.planfile import PlanFile
from ciphermark.plan.selection import Selection
from ciphermark.record.recorder import Recorder
from ciphermark.record.run import Context
from ciphermark.record.store import Store
from ciphermark.run.engine import Engine
from ciphermark.run.interrupts import Interrupts
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.rows import rows

PACKAGE = Path(ciphermark.__file__).parent.parent

SECONDS = 60
"""No command of the tests takes a tenth of this."""

FEW = (
    *("--algorithms", "sha256", "--providers", "openssl,rustcrypto", "--sizes", "64"),
    *("--precision", "5%", "--budget", "1"),
)
"""Options of the shortest survey."""
HUNDRED_SIZES = ("--sizes", ",".join(str(2**18 + more) for more in range(100)))
"""So many long messages that their survey does not end before it is stopped, although a quiet
machine may know each of them as well as was asked after six processes."""


@pytest.fixture(scope="session")
def engine() -> Engine:
    """The engine that CIPHERMARK_ENGINE names, or the installed one."""
    try:
        return Engine()
    except UsageError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session", autouse=True)
def without_devices() -> Iterator[None]:
    """No device of OpenCL is found, whose compiler each engine would load for a third of a second:
    tests of Rust offload work to one, and none of these."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OCL_ICD_VENDORS", "/nowhere")
        yield


OF_TESTS = ("CIPHERMARK_RUNS", "CIPHERMARK_TEST", "COLUMNS", "PYTEST_", "XDG_")
"""What names of variables begin with that tests set and the engine does not look at."""


@pytest.fixture(scope="session", autouse=True)
def described_once() -> Iterator[None]:
    """The installed engine describes the libraries once for all commands that are called as
    functions under the same variables and on the same CPUs: opening them takes half a second."""
    try:
        installed = Engine().path
    except UsageError:
        installed = None
    ask = Engine._ask
    told: dict[tuple[object, ...], bytes] = {}

    def asked(engine: Engine, arguments: list[str], *more: Any) -> bytes:
        if arguments != ["describe"] or engine.path != installed:
            return ask(engine, arguments, *more)
        variables = (it for it in os.environ.items() if not it[0].startswith(OF_TESTS))
        under = (*sorted(variables), *sorted(os.sched_getaffinity(0)))
        if under not in told:
            told[under] = ask(engine, arguments, *more)
        return told[under]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "_ask", asked)
        yield


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    output: str
    messages: str
    """What it wrote to standard error."""

    @property
    def sentence(self) -> str:
        """All that it wrote to standard error, which must be one line."""
        (line,) = self.messages.splitlines()
        assert line.startswith("ciphermark: "), line
        return line.removeprefix("ciphermark: ")

    @property
    def document(self) -> Any:
        """What `--json` printed."""
        return msgspec.json.decode(self.output)


class Command:
    """The command `ciphermark`, called as a function or started as a process."""

    def __init__(self, runs: Path, engine: Path) -> None:
        self.runs = runs
        # Python starts one for itself and all commands; with the mark a fixture would end it.
        resource_tracker.ensure_running()
        self._mark = f"CIPHERMARK_TEST={uuid4()}"
        self._forked: list[subprocess.Popen[str]] = []  # which have the mark of no program
        name, _, value = self._mark.partition("=")
        self.environment = os.environ | {
            # Every process that is started has it, and its children have it too.
            name: value,
            "CIPHERMARK_ENGINE": str(engine),
            "CIPHERMARK_RUNS": str(runs),
            "PYTHONPATH": str(PACKAGE),
        }

    def __call__(self, *arguments: object) -> Ended:
        """Runs a command to its end, in this process: importing everything takes the longest."""
        output, messages = _text(), _text()
        with (
            mock.patch.object(sys, "argv", ["ciphermark", *map(str, arguments)]),
            mock.patch.dict(os.environ, self.environment),
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(messages),
        ):
            code = run()
        return Ended(code, _content(output), _content(messages))

    def start(self, *arguments: object, **options: Any) -> subprocess.Popen[str]:
        """Starts a command as a shell does: as a group of processes that signals can reach."""
        return self._begin([sys.executable, "-m", "ciphermark", *map(str, arguments)], **options)

    def fork(self, *arguments: object, **options: Any) -> subprocess.Popen[str]:
        """A command in a process such as `start` has, which begins with all modules imported: that
        is what starting takes longest for. What Python itself does first is not in it."""
        more = options.pop("preexec_fn", lambda: None)

        def become() -> None:
            more()
            self._become(arguments)

        process = self._begin([sys.executable], **options, preexec_fn=become)
        self._forked.append(process)
        return process

    def _begin(self, line: Sequence[str], **options: Any) -> subprocess.Popen[str]:
        more = options.pop("preexec_fn", lambda: None)

        def prepare() -> None:
            # Whoever runs the tests in the background may have these ignored.
            for number in (signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            more()

        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(
            line,
            **pipes | options,
            text=True,
            env=self.environment,
            start_new_session=True,
            preexec_fn=prepare,
        )

    def _become(self, arguments: Sequence[object]) -> NoReturn:
        """Runs a command in place of the program that `_begin` names, and ends this process."""
        code = 1
        try:
            # Among them the one by which whoever forked learns that the program has begun.
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))
            gc.freeze()  # of what is no longer used there may be files with such numbers
            faulthandler.disable()
            for number in (signal.SIGPIPE, signal.SIGXFSZ):  # as Python does
                signal.signal(number, signal.SIG_IGN)
            if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
                signal.signal(signal.SIGINT, signal.default_int_handler)
            os.environ.clear()
            os.environ.update(self.environment)
            sys.argv = ["ciphermark", *map(str, arguments)]
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 1
            for stream in (sys.stdout, sys.stderr):
                stream.flush()
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(code)

    def processes(self) -> list[int]:
        """The processes of this command that are running, engines and their workers too."""
        mark = self._mark.encode()
        marked = [
            int(path.parent.name)
            for path in Path("/proc").glob("[0-9]*/environ")
            if mark in _read(path).split(b"\0")
        ]
        return [*(it.pid for it in self._forked if it.poll() is None), *marked]

    def wait_for_no_process(self, seconds: float) -> None:
        """Fails when one is left after so many seconds."""
        deadline = time.monotonic() + seconds
        while left := self.processes():
            assert time.monotonic() < deadline, f"still running: {left}"
            time.sleep(0.05)

    def only_run(self) -> Context:
        """The context of the one run that is stored."""
        store = Store(self.runs)
        (summary,) = store.summaries()
        return store.context(summary.run)


@pytest.fixture
def command(tmp_path: Path, engine: Engine) -> Iterator[Command]:
    """The command with an empty runs folder; ends what a test left running."""
    command = Command(tmp_path / "runs", engine.path)
    yield command
    for process in command.processes():
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def short(engine: Engine, library: Path | None = None, **plan: Any) -> Built:
    """The plan of a short run."""
    shortest = {"precision": 0.05, "budget_s": 2, "max_cases": 100}
    shortest["providers"] = ["openssl", "rustcrypto"]
    file = PlanFile(**{"title": "", "workload": "single"} | shortest | plan)
    selection = Selection(libraries={"openssl": str(library)} if library else {})
    return build(file, selection, engine.describe(selection.libraries))


def measured(engine: Engine, library: Path | None = None, **plan: Any) -> list[Row]:
    """The rows of a short run, with the libcrypto of that path in place of the installed one."""
    built = short(engine, library, **plan)
    recorder = Recorder("", "", built.plan, built.algorithms, built.notes)
    for event in engine.measure(built.plan, Interrupts()):
        recorder.feed(event)
    return rows(recorder.finish())


def has_figures(row: dict[str, Any] | Row) -> bool:
    """Whether a measured row has its figures and their interval.

    On a busy machine too few samples may have been left undisturbed: then it says so. No test takes
    a figure for granted, or one for larger than another: comparisons are tested on made-up samples.
    """
    it = msgspec.structs.asdict(row) if isinstance(row, Row) else row
    assert it["error"] is None, it
    assert it["converged"] is (it["not_converged_reason"] is None), it
    names = ("cycles_per_message_low", "cycles_per_message", "cycles_per_message_high")
    low, value, high = (it[name] for name in names)
    if low is None or high is None:
        assert not it["converged"], it
        return False
    assert 0 < low <= value <= high
    return True


def look_at_measured(rows: Sequence[dict[str, Any] | Row]) -> None:
    """Each has its figures or says why not, and something was sampled: the first case always is."""
    for row in rows:
        has_figures(row)
    samples = [row.samples if isinstance(row, Row) else row["samples"] for row in rows]
    assert any(samples)


def unspaced(text: str) -> str:
    """Without white space, for text that a screen has broken: a long path in its midst, too."""
    return "".join(text.split())


def measuring_begins(process: subprocess.Popen[str]) -> None:
    """Waits for the line that tells of the end of verifying where there is no terminal."""
    assert process.stderr is not None
    while line := process.stderr.readline():
        if line.startswith("Verifying"):
            return
    pytest.fail("verifying never ended")


def ended(process: subprocess.Popen[str]) -> Ended:
    """Waits for the end of a command that was started."""
    output, messages = process.communicate(timeout=SECONDS)
    return Ended(process.returncode, output, messages)


def contents(folder: Path) -> dict[Path, bytes | None]:
    """All files of a folder with what is in them; None for the folders in it."""
    return {
        path.relative_to(folder): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def _text() -> io.TextIOWrapper:
    """A standard stream that is kept in memory; some commands write bytes to its buffer."""
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8")


def _content(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode()


def _read(path: Path) -> bytes:
    """Empty when the process has ended meanwhile."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.fixture
def only_cpu() -> Iterator[tuple[int, int]]:
    """One CPU, the only one that is allowed, and another that is there."""
    allowed = os.sched_getaffinity(0)
    if len(allowed) < 2:
        pytest.skip("only one CPU is allowed to these tests")
    first, other, *_ = sorted(allowed)
    os.sched_setaffinity(0, {first})
    yield first, other
    os.sched_setaffinity(0, allowed)


def refusal(command: Command, *arguments: object) -> str:
    """The sentence with which a command is refused; it prints and stores nothing."""
    ended = command(*arguments)
    assert ended.code == 2, ended.messages
    assert ended.output == ""
    assert not command.runs.exists() or contents(command.runs) == {}
    return ended.sentence
