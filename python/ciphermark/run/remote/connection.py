"""A connection to a box: one login, a private folder there, and the verbs of `box.sh`."""

from __future__ import annotations

import contextlib
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import resources
from itertools import islice
from pathlib import Path

from ciphermark.errors import UsageError, WorkError
from ciphermark.run import bounded
from ciphermark.run.remote import client
from ciphermark.run.remote.box import Box
from ciphermark.run.remote.client import last_line, refused

ANSWER = b"ciphermark:answer\n"
"""Comes before what a verb prints."""

_LOST = 255
"""Exit code of ssh when it is its connection that failed."""
_GONE = (97, 127)
"""Of `box.sh` and of the shell when the folder is not there any more."""
_FULL = 98
"""Of `box.sh` when a file could not be written."""

_LOGIN_SECONDS = 120
"""Until the facts have come: a slow box takes ten, and ssh gives up connecting after twenty."""
_LONGEST_BANNER = 2**16
"""Bytes of a line that a login prints."""
_MOST_BANNER_LINES = 10_000

_FAREWELL_SECONDS = 20
"""Enough to remove a folder, over a slow link too."""


class Lost(WorkError):
    """The connection has ended while it was needed."""


class Gone(WorkError):
    """The folder is not there any more: the box was started again, or somebody tidied up."""


class Connection:
    """A login that lives until `close`, and the folder that came with it."""

    def __init__(
        self, name: str, wanted: Iterable[str] = (), new: str = "", need_kib: int = 0
    ) -> None:
        """Logs in. Of the folders that are `wanted` the first that is there is taken, else a `new`
        one is made, in a place with so much room; without a name for it there is none.

        Raises UsageError with what ssh or the box says; what it has is in `box`.
        """
        self.name = client.check_destination(name)
        self.box = Box(name=name)
        self._folder = client.private_folder()
        try:
            self._login = self._log_in()
            self._begin(script(wanted, new, need_kib))
        except BaseException:
            self.drop()
            raise

    def _log_in(self) -> subprocess.Popen[bytes]:
        with (self._folder / "said").open("wb") as said:
            return subprocess.Popen(
                client.login(self.name, self._socket),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                env=client.environment(),
                # Ctrl-C is passed on by us, and the connection is needed for that.
                start_new_session=True,
            )

    def _begin(self, script: bytes) -> None:
        assert self._login.stdin is not None and self._login.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._login.stdin.write(script)
            self._login.stdin.flush()
        wait = bounded.until(_LOGIN_SECONDS, self.name)
        printed = bounded.lines(self._login.stdout.fileno(), wait, _LONGEST_BANNER)
        for line in islice(printed, _MOST_BANNER_LINES):
            if not self.box.feed(line.decode("utf-8", "replace")):
                break
        self.box.check()
        if not self.box.last:
            raise self._did_not_begin()

    def _did_not_begin(self) -> Exception:
        assert self._login.stdout is not None
        self._login.stdout.close()  # it may print without an end
        try:
            self._login.wait(_FAREWELL_SECONDS)
        except subprocess.TimeoutExpired:
            self._login.kill()
            self._login.wait()
        if self._login.returncode == _LOST:
            return refused(self.name, self._said())
        ended = f"its shell ended with code {self._login.returncode}"
        said = [it for it in map(last_line, (self.box.printed, self._said())) if it] or [ended]
        return UsageError(f"{self.name} gives no POSIX shell to log in to: {'; '.join(said)}")

    @property
    def _socket(self) -> Path:
        return self._folder / "s"

    def _said(self) -> str:
        return (self._folder / "said").read_text("utf-8", "replace")

    def command(self, verb: str, *arguments: object) -> list[str]:
        """What runs a verb of `box.sh` there."""
        words = ("sh", f"{self.box.folder}/box.sh", verb, *map(str, arguments))
        return client.through(self.name, self._socket, shlex.join(words))

    def ask(
        self,
        verb: str,
        *arguments: object,
        given: bytes = b"",
        seconds: float = 60,
    ) -> subprocess.CompletedProcess[bytes]:
        """What a verb answers to what it is given on its standard input.

        Raises `Lost`, and `Gone` where the folder is; other codes are the verb's.
        """
        try:
            done = bounded.run(
                self.command(verb, *arguments), given, seconds, env=client.environment()
            )
        except subprocess.TimeoutExpired:
            raise Lost(f"{self.name} gave no answer within {seconds:.0f} s") from None
        except bounded.TooMuch:
            raise WorkError(f"{self.name} prints without an end in answer to {verb}") from None
        _, mark, done.stdout = done.stdout.partition(ANSWER)
        self.check(done.returncode, done.stderr, answered=bool(mark))
        return done

    def check(self, code: int, stderr: bytes, answered: bool = True) -> None:
        """Raises for codes that are not a verb's own."""
        said = last_line(stderr.decode("utf-8", "replace"))
        if code == _LOST or code < 0:
            raise Lost(
                f"the connection to {self.name} was lost ({last_line(self._said()) or said})"
            )
        if code in _GONE and not answered:
            raise Gone(f"the folder {self.box.folder} on {self.name} is gone")
        if code == _FULL:
            raise WorkError(
                f"{self.name} could not write to {self.box.folder} ({said}): make room there, and "
                "type the same command again"
            )
        if not answered:
            raise WorkError(f"{self.name} does not do what a POSIX shell does: {said}")

    @contextmanager
    def reading(self, verb: str, *arguments: object) -> Iterator[Iterator[bytes]]:
        """The lines that a verb prints, as they come. Raises what `ask` does at the end."""
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(
                self.command(verb, *arguments),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
                env=client.environment(),
                start_new_session=True,
            )
            assert process.stdout is not None
            try:
                printed = bounded.lines(process.stdout.fileno(), bounded.forever)
                answered = ANSWER in printed
                yield printed
                code = process.wait()
            finally:
                process.stdout.close()
                process.kill()
                process.wait()
            said.seek(0)
            self.check(code, said.read(), answered)

    def begin_asking(self, verb: str, *arguments: object) -> subprocess.Popen[bytes]:
        """Runs a verb whose answer nobody waits for; safe in a signal handler."""
        quiet = subprocess.DEVNULL
        return subprocess.Popen(
            self.command(verb, *arguments),
            stdin=quiet,
            stdout=quiet,
            stderr=quiet,
            env=client.environment(),
            start_new_session=True,
        )

    def close(self) -> bool:
        """Says farewell, on which everything there is removed; whether the box has said so."""
        gone = False
        with contextlib.suppress(OSError, ValueError, subprocess.TimeoutExpired):
            printed, _ = self._login.communicate(b"bye\n", timeout=_FAREWELL_SECONDS)
            gone = b"ciphermark:gone" in printed
        self.drop()
        return gone

    def drop(self) -> None:
        """Ends the connection without a farewell: what is kept there stays."""
        login = getattr(self, "_login", None)
        if login is not None:
            for pipe in (login.stdin, login.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()
            login.terminate()
            login.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def script(wanted: Iterable[str], new: str, need_kib: int) -> bytes:
    """What the shell at the other end reads: facts first, then it becomes `box.sh hold`."""
    from ciphermark.run import engine_choice

    folder = resources.files("ciphermark.run.remote")
    begin, box = (folder.joinpath(name).read_text("utf-8") for name in ("begin.sh", "box.sh"))
    return (
        f"wanted={shlex.quote(' '.join(wanted))} new={shlex.quote(new)} need={need_kib}\n"
        f"ask() {{ {engine_choice.QUESTION}; }}\n"
        f"{begin}"
        f"cat >\"$folder/box.new\" <<'END OF BOX'\n{box}END OF BOX\n"
        'hold_box "$?"\n'
    ).encode()
