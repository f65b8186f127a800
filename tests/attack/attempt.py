"""One try: its lots, its folder, and the commands that it runs there."""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from attack.failure import HANG_S, Ended
from attack.processes import Running, Streams, executed, forked
from attack.setting import Setting


@dataclass
class Attempt:
    """A try, which the seed, the kind and the number determine."""

    setting: Setting
    seed: int
    kind: str
    number: int
    folder: Path
    lots: random.Random = field(init=False)
    environment: dict[str, str] = field(init=False)
    said: list[str] = field(default_factory=list)
    """What the try did, for who looks at a failure."""
    lies: list[tuple[int, int, int, bool]] = field(default_factory=list)
    """Of each function of a lying library: one call in how many was to be wrong, calls, those that
    were wrong, whether it was found out."""
    skipped: str = ""
    """Reason for which this machine does not allow the try."""
    _commands: int = 0

    def __post_init__(self) -> None:
        self.lots = random.Random(f"{self.seed} {self.kind} {self.number}")
        self.folder.mkdir(parents=True)
        for name in ("cache", "data", "config", "tmp", "home"):
            (self.folder / name).mkdir()
        if self.setting.caches.exists():
            shutil.copytree(self.setting.caches, self.folder / "cache", dirs_exist_ok=True)
        self.environment = {
            it: value
            for it, value in os.environ.items()
            if not it.startswith(("LYING_", "ATTACK_", "LD_PRELOAD"))
        } | {
            "HOME": str(self.folder / "home"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "XDG_DATA_HOME": str(self.data),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "TMPDIR": str(self.folder / "tmp"),
            "CIPHERMARK_ENGINE": str(self.setting.engine),
            "CIPHERMARK_RUNS": str(self.runs),
            "PYTHONPATH": str(self.setting.package),
            "COLUMNS": "100",
            "PYTHONFAULTHANDLER": "1",  # what ends by a signal says where
        }

    @property
    def runs(self) -> Path:
        """The runs folder, which is not there before somebody makes it."""
        return self.folder / "runs"

    @property
    def data(self) -> Path:
        """The user's data folder."""
        return self.folder / "data"

    def say(self, what: str) -> None:
        """Keeps what the try did for who looks at its failure."""
        self.said.append(what)

    def skip(self, reason: str) -> None:
        """Notes that this machine does not allow the try."""
        self.skipped = reason

    def count(self, rate: int, calls: int, wrong: int, found: bool) -> None:
        """Counts what a function of a lying library did, and whether it was found out."""
        self.lies.append((rate, calls, wrong, found))

    def replay(self) -> None:
        """Puts an engine in place that answers at once what the real one has answered before."""
        self.environment["CIPHERMARK_ENGINE"] = str(self.setting.replay)

    def store(self, *names: str) -> list[Path]:
        """Copies stored runs of the repository into the runs folder, and says where they are."""
        identifiers = self.setting.golden_runs()
        places = {self.runs / identifiers[name]: name for name in names}
        for place, name in places.items():
            shutil.copytree(self.setting.golden / name, place)
        return list(places)

    def start(
        self,
        *arguments: object,
        output: int | None = -1,
        messages: int | None = -1,
        input: int | None = -1,
        before: Callable[[], None] | None = None,
        after: Callable[[], None] | None = None,
        whole: bool = False,
    ) -> Running:
        """Starts `ciphermark` with these arguments.

        Streams go to files unless a descriptor is given; None closes them. `before` is called in
        the new process. It is a copy of this one, in which all is imported, unless it is to be
        `whole`.
        """
        self._commands += 1
        words = [os.fsdecode(it) if isinstance(it, bytes) else str(it) for it in arguments]
        shown = " ".join(words)
        running_files = [
            self.folder / f"{name}-{self._commands}" for name in ("output", "messages")
        ]
        opened = []

        def of(given: int | None, path: Path | None) -> int | None:
            if given != -1:
                return given
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC if path else os.O_RDONLY
            opened.append(os.open(path or os.devnull, flags, 0o600))
            return opened[-1]

        streams = Streams(of(input, None), of(output, running_files[0]),
                          of(messages, running_files[1]))  # fmt: skip
        try:
            pid = self._started(words, streams, before, after, whole)
        finally:
            for it in opened:
                os.close(it)
        short = shown if len(shown) < 300 else f"{shown[:300]}…"
        return Running(f"ciphermark {short}", pid, *running_files)

    def call(self, call: Callable[[], object], seconds: float = HANG_S) -> Ended:
        """Calls a function in a process of its own to its end."""
        files = [self.folder / f"call-{name}" for name in ("output", "messages")]
        with files[0].open("wb") as output, files[1].open("wb") as messages:
            streams = Streams(None, output.fileno(), messages.fileno())
            pid = forked(call, self.environment, streams)
        ended = Running("a function", pid, *files).end(seconds)
        ended.check()
        return ended

    def engine(self, plan: bytes, **environment: str) -> Running:
        """Starts the engine alone with a plan."""
        path = self.folder / "plan"
        path.write_bytes(plan)
        files = [self.folder / "engine-output", self.folder / "engine-messages"]
        with path.open("rb") as input, files[0].open("wb") as output, files[1].open("wb") as said:
            streams = Streams(input.fileno(), output.fileno(), said.fileno())
            line = [str(self.setting.engine), "run", "--plan", "-"]
            pid = executed(line, self.environment | environment, streams, self.folder)
        return Running("ciphermark-engine run", pid, *files)

    def run(
        self, *arguments: object, seconds: float = HANG_S, before: Callable[[], None] | None = None
    ) -> Ended:
        """Runs a command to its end, and fails when it says what no user must see."""
        ended = self.start(*arguments, before=before).end(seconds)
        ended.check()
        return ended

    def _started(
        self,
        words: list[str],
        streams: Streams,
        before: Callable[[], None] | None,
        after: Callable[[], None] | None,
        whole: bool,
    ) -> int:
        if whole:
            line = [sys.executable, "-m", "ciphermark", *words]
            return executed(line, self.environment, streams, self.folder, before)

        def call() -> None:
            from ciphermark.__main__ import main

            os.chdir(self.folder)
            if before is not None:
                before()
            sys.argv = ["ciphermark", *words]
            try:
                main()
            finally:
                if after is not None:
                    after()

        return forked(call, self.environment, streams)
