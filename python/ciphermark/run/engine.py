"""The engine: where it is, whether it fits, and its commands."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sysconfig
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError, WorkError
from ciphermark.files.reading import UNREADABLE
from ciphermark.run import bounded, here
from ciphermark.run.caches import PathCache
from ciphermark.run.interrupts import Interrupts

if TYPE_CHECKING:
    from ciphermark.plan.cpu_sets import Limits
    from ciphermark.record.recorder import Begun

NAME = "ciphermark-engine"
_REINSTALL = "install ciphermark again (in its source tree: make survey, or pip install .)"
_QUERY_SECONDS = 120
"""A query opens every library once; this is a hundred times what that takes."""

_LOOKING_SECONDS = 600
"""Some thousand looks at code paths."""
_COUNTING_SECONDS = 1800
"""Some million steps of programs that are looked at, at 20 to 60 µs each in a virtual machine."""
_AGREEMENT_SECONDS = 1800
"""All lengths, by functions of a thousand cycles a byte too."""

T = TypeVar("T")


class Engine:
    """A `ciphermark-engine` binary."""

    def __init__(self, path: Path | None = None) -> None:
        """Uses the binary at `path`, else that of CIPHERMARK_ENGINE, else the installed one.

        Raises UsageError when there is none.
        """
        self.path = (path or _installed()).absolute()
        if not self.path.is_file():
            raise UsageError(f"there is no engine at {self.path}: {_REINSTALL}")
        if not os.access(self.path, os.X_OK):
            raise UsageError(f"the engine {self.path} may not be run: {_REINSTALL}")
        self._paths = PathCache(self.path)

    def describe(self, libraries: dict[str, str] | None = None) -> contract.Description:
        """What the engine knows and can do here; code paths are in it that were seen before."""
        arguments = ["describe", *_library_arguments(libraries)]
        description = self._query(arguments, contract.Description)
        check_schema(description.schema, self.path)
        self._recall(description)
        return description

    def look_at_code_paths(
        self,
        description: contract.Description,
        algorithms: list[str],
        providers: set[str],
        libraries: dict[str, str] | None = None,
    ) -> None:
        """Replaces the implementations by those of these algorithms and providers with all their
        code paths.

        What was not looked for before takes 60 ms each where every step of a program that is looked
        at leaves to a hypervisor.
        """
        usable = [it for it in description.providers if it.usable and it.name in providers]
        known = {it.name: self._paths.complete(it, algorithms) for it in usable}
        unknown = [it for it in usable if known[it.name] is None]
        if unknown:
            looking = ["describe", "--code-paths", *_library_arguments(libraries)]
            looking += ["--providers", ",".join(it.name for it in unknown)]
            looking += ["--algorithms", ",".join(algorithms)]
            found = self._query(looking, contract.Description, seconds=_LOOKING_SECONDS)
            for provider in unknown:
                own = [it for it in found.implementations if it.provider == provider.name]
                self._paths.keep(provider, own, looked=algorithms)
                known[provider.name] = own
        description.implementations = [it for own in known.values() for it in own or []]

    def remember(
        self, providers: list[contract.Provider], seen: list[contract.Implementation]
    ) -> None:
        """Keeps the code paths that a run has seen, for the next time: those that libraries take by
        themselves, since other switches than were looked for are no paths of theirs."""
        for provider in providers:
            by_itself = [it for it in seen if it.provider == provider.name and not it.switches]
            if own := [it for it in by_itself if it.path]:
                self._paths.keep(provider, own)

    def stored(self) -> None:
        """To be told when what was measured is stored: nothing need be kept elsewhere any more."""

    def _recall(self, description: contract.Description) -> None:
        """Fills in the default code paths that are known."""
        seen = {
            (it.provider, it.algorithm, it.backend): it
            for provider in description.providers
            for it in self._paths.known(provider)
            if it.path and not it.switches
        }
        description.implementations = [
            seen.get((it.provider, it.algorithm, it.backend), it)
            for it in description.implementations
        ]

    def environment(self) -> contract.Environment:
        """The machine, its state, and its clocks measured over some 100 ms."""
        return self._query(["environment"], contract.Environment)

    def verify(
        self,
        vectors: Path | None = None,
        algorithms: Iterable[str] = (),
        providers: Iterable[str] = (),
        libraries: dict[str, str] | None = None,
        agreement: Literal["sample", "all"] | None = None,
        seed: int = 1,
    ) -> contract.Verification:
        """Runs test vectors on every implementation; UsageError when the folder is unusable.

        `agreement` also compares them on random inputs, of a sample of lengths or of all to 4096.
        """
        arguments = ["verify", *_library_arguments(libraries)]
        if agreement is not None:
            arguments += ["--agreement", agreement, "--seed", str(seed)]
        if vectors is not None:
            arguments += ["--vectors", str(vectors)]
        for option, names in (("--algorithms", algorithms), ("--providers", providers)):
            if names := list(names):
                arguments += [option, ",".join(names)]
        seconds = _AGREEMENT_SECONDS if agreement == "all" else _QUERY_SECONDS
        return self._query(arguments, contract.Verification, (0, 1), seconds)

    def questions(self, algorithms: Iterable[str] = ()) -> list[contract.Question]:
        """What the engine's test vectors ask of functions, with the answers; of all algorithms
        unless told. UsageError when it has none of an algorithm."""
        printed = self._ask(["questions", *algorithms])
        return [decode(line, contract.Question, self.path) for line in printed.splitlines()]

    def processor_limits(
        self,
        algorithms: Iterable[str] = (),
        backends: Iterable[str] = (),
        message_bytes: Iterable[int] = (),
        lanes: int = 192,
    ) -> contract.Limits:
        """How fast the processor executes instructions, and the limits of our kernels of these
        algorithms; of the usual ones, at the usual sizes, where none are named."""
        arguments = ["limits", "--lanes", str(lanes)]
        for option, values in (
            ("--algorithms", algorithms),
            ("--backends", backends),
            ("--bytes", map(str, message_bytes)),
        ):
            if joined := ",".join(values):
                arguments += [option, joined]
        return self._query(arguments, contract.Limits, seconds=_COUNTING_SECONDS)

    def limits(self) -> Limits:
        """What plans may ask of the machine and this user's account there."""
        from ciphermark.run.here import limits

        return limits()

    def may_be_real_time(self) -> bool:
        """Whether threads may go before all others."""
        return here.may_be_real_time()

    def may_bound_cpu(self) -> bool:
        """Whether this user may give a group of processes a quota of CPU time there."""
        return here.may_bound_cpu()

    def measure(
        self,
        plan: contract.Plan,
        interrupts: Interrupts,
        begun: Callable[[], Begun] | None = None,
    ) -> Generator[contract.Event, None, None]:
        """Runs a plan and yields the events as they come.

        `begun` tells what a later call must know to store the run, where this one may lose sight
        of an engine that goes on; here it ends with us. An interrupt is passed on to the engine,
        which then says good-bye within a second. Raises UsageError when the engine refuses the
        plan, WorkError when it dies.
        """
        process = self._start(["run", "--plan", "-"])
        allowed = os.sched_getaffinity(0)
        try:
            with interrupts.passed_to(process):
                _send(plan, process, interrupts)
                for event in decoded(_lines(process, interrupts), self.path):
                    if isinstance(event, contract.Hello):
                        _keep_off(event.environment.state.cpu, allowed)
                    yield event
        finally:
            os.sched_setaffinity(0, allowed)
            _end(process)
        if process.returncode != 0:
            raise _ended(process, self.path)

    def _query(
        self,
        arguments: list[str],
        kind: type[T],
        accepted: tuple[int, ...] = (0,),
        seconds: int = _QUERY_SECONDS,
    ) -> T:
        return decode(self._ask(arguments, accepted, seconds), kind, self.path)

    def _ask(
        self,
        arguments: list[str],
        accepted: tuple[int, ...] = (0,),
        seconds: int = _QUERY_SECONDS,
    ) -> bytes:
        """What a command of the engine prints."""
        try:
            done = bounded.run([self.path, *arguments], seconds=seconds)
        except OSError as error:
            raise self._does_not_run(error) from None
        except bounded.TooMuch:
            raise UsageError(f"{self.path} is no engine: it prints without an end") from None
        except subprocess.TimeoutExpired:
            raise WorkError(f"the engine {self.path} gave no answer within {seconds} s") from None
        if done.returncode not in accepted or not done.stdout:
            raise sentence_of(done.returncode, done.stderr, self.path)
        return done.stdout

    def _start(self, arguments: list[str]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [self.path, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # Ctrl-C is passed on by us, so that the engine gets it once.
                start_new_session=True,
            )
        except OSError as error:
            raise self._does_not_run(error) from None

    def _does_not_run(self, error: OSError) -> UsageError:
        why = f"the engine {self.path} does not run ({error.strerror})"
        return UsageError(f"{why}: {_REINSTALL}")


def check_schema(found: contract.SchemaVersion, path: Path) -> None:
    """Refuses an engine of another major format."""
    if found.major != contract.SCHEMA.major:
        raise UsageError(
            f"the engine {path} speaks format {found.major}.{found.minor}, this ciphermark "
            f"{contract.SCHEMA.major}.{contract.SCHEMA.minor}: {_REINSTALL}"
        )


def decode(text: bytes, kind: type[T], path: Path) -> T:
    """Decodes what the engine said; what cannot be understood comes from a stale engine."""
    try:
        return msgspec.json.decode(text, type=kind)
    except UNREADABLE as error:
        _check_schema_of(text, path)
        raise UsageError(
            f"the engine {path} does not belong to this ciphermark ({error}): {_REINSTALL}"
        ) from None


class _Versioned(msgspec.Struct):
    """What tells its format, whatever else has changed."""

    schema: contract.SchemaVersion


def _check_schema_of(text: bytes, path: Path) -> None:
    with contextlib.suppress(*UNREADABLE):
        check_schema(msgspec.json.decode(text, type=_Versioned).schema, path)


def _installed() -> Path:
    if named := os.environ.get("CIPHERMARK_ENGINE"):
        return Path(named)
    beside = Path(sysconfig.get_path("scripts")) / NAME
    if beside.exists():
        return beside
    found = shutil.which(NAME)
    if found is None:
        raise UsageError(f"{NAME} is not beside ciphermark nor on the PATH: {_REINSTALL}")
    return Path(found)


def _library_arguments(libraries: dict[str, str] | None) -> list[str]:
    return [f"--library={provider}={path}" for provider, path in (libraries or {}).items()]


_EVENT: Any = contract.Event
"""A union, which is no type to a type checker."""


def decoded(lines: Iterable[bytes], path: Path) -> Iterator[contract.Event]:
    """The events that an engine writes. Raises UsageError when it is of another format, WorkError
    when it is no longer understood."""
    greeted = False
    for line in lines:
        if not line.endswith(b"\n"):
            return  # it died while it wrote, and its exit code says how
        try:
            event: contract.Event = decode(line, _EVENT, path)
        except UsageError as error:
            if greeted and _is_of_another_kind(line):
                continue  # what a newer minor number added
            raise WorkError(str(error)) if greeted else error from None
        if isinstance(event, contract.Hello):
            check_schema(event.schema, path)
            greeted = True
        yield event


class _Kind(msgspec.Struct):
    """What kind of event a line is, whatever else it holds."""

    event: str


_KINDS = {event.__struct_config__.tag for event in get_args(contract.Event)}


def _is_of_another_kind(line: bytes) -> bool:
    """Whether the line is an event of a kind that this ciphermark does not know."""
    try:
        return msgspec.json.decode(line, type=_Kind).event not in _KINDS
    except UNREADABLE:
        return False


def _lines(process: subprocess.Popen[bytes], interrupts: Interrupts) -> Iterator[bytes]:
    """The lines that it writes. One that was asked to end and writes no more is ended."""
    assert process.stdout is not None

    def wait(descriptor: int) -> None:
        _wait(descriptor, select.POLLIN, interrupts)

    return bounded.lines(process.stdout.fileno(), wait)


def _wait(descriptor: int, event: int, interrupts: Interrupts) -> None:
    """Waits until it can be read or written, or the engine closes it. An engine that was asked to
    end and does not is ended, and one that a library has stopped goes on."""
    waiting = select.poll()
    waiting.register(descriptor, event)
    while not waiting.poll(1000 * bounded.LOOK_S):
        interrupts.look_at_process()


def _send(plan: contract.Plan, process: subprocess.Popen[bytes], interrupts: Interrupts) -> None:
    """Hands over the plan; an engine that has ended already says why itself."""
    assert process.stdin is not None
    rest = memoryview(msgspec.json.encode(plan))
    with contextlib.suppress(BrokenPipeError):
        while rest:
            _wait(process.stdin.fileno(), select.POLLOUT, interrupts)
            # So many bytes are taken at once by a pipe that can be written.
            rest = rest[os.write(process.stdin.fileno(), rest[: select.PIPE_BUF]) :]
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()


def _keep_off(cpu: int, allowed: set[int]) -> None:
    """Leaves the CPU that is measured on to the engine, where there is another to run on."""
    if others := allowed - {cpu}:
        os.sched_setaffinity(0, others)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Waits for an engine that has finished; ends one whose events nobody wants any more."""
    assert process.stdout is not None
    process.stdout.close()
    try:
        process.wait(timeout=2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.returncode < 0:
        # It ends what libraries have left behind when it ends itself, and now could not. What has
        # no group of its own is in the engine's, of which nothing else can be a member.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _ended(process: subprocess.Popen[bytes], path: Path) -> Exception:
    assert process.stderr is not None
    return sentence_of(process.returncode, process.stderr.read(), path)


def sentence_of(code: int, stderr: bytes, path: Path) -> Exception:
    """How it ended: the engine's own words, which are a sentence for the user."""
    said = stderr.decode("utf-8", "replace").strip()
    words = said.removeprefix(f"{NAME}: ")
    if code == 2 and words != said:
        return UsageError(words)
    if code == 2 and said.startswith("error:"):
        return UsageError(f"the engine {path} does not know this command: {_REINSTALL}")
    if code in (0, 2):
        return UsageError(f"{path} is no engine, as it ends with code {code}: {_REINSTALL}")
    how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    return WorkError(f"the engine {path} {how}{': ' + words if words else ''}")
