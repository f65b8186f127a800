"""What a box is asked to do, in shells that boxes have: everything is a script of POSIX sh, and
busybox has all that it calls."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from ciphermark.errors import StillRunning, UsageError, WorkError
from ciphermark.run.interrupts import Interrupts
from ciphermark.run.remote import fitting
from ciphermark.run.remote import run as runs
from ciphermark.run.remote.connection import Connection, Gone, script
from ciphermark.run.remote.run import RemoteRun, Start
from fake_ssh import FakeBox, MakeBox, busybox

UNAME = shutil.which("uname")
NEW = "ciphermark.0123456789abcdef"
LINES = 6

ENGINE = f"""#!/bin/sh
# Counts, as long as it is not asked to stop.
trap 'echo stopped; exit 0' TERM
number=0
while [ $number -lt {LINES} ]; do
    number=$((number + 1))
    echo $number
    sleep 0.5 2>/dev/null || sleep 1
done
echo "all is said" >&2
exit ${{ENDS_WITH:-0}}
"""

ENDLESS = ENGINE.replace(f"-lt {LINES}", "-ge 0")


@pytest.fixture(params=["sh", "busybox"])
def box(request: pytest.FixtureRequest, fake_box: MakeBox, tmp_path: Path) -> FakeBox:
    if request.param == "sh":
        return fake_box("sh")
    path = busybox(tmp_path / "applets")
    return fake_box(f"{path}/sh", path=path)


def connected(engine: str = ENGINE, tmp_path: Path | None = None) -> Connection:
    """A connection with an engine that is a script."""
    connection = Connection("box", new=NEW)
    if tmp_path is not None:
        program = tmp_path / "engine"
        program.write_text(engine)
        fitting.copy(connection, "engine", program)
    return connection


def begun(connection: Connection, keeps: bool = True, seconds: int = 60) -> RemoteRun:
    told: list[str] = []
    run = RemoteRun(connection, "run", Start(b"{}", seconds, keeps), told.append)
    run.told = told  # type: ignore[attr-defined]
    return run


def wait_until_clean(box: FakeBox, seconds: float = 15) -> None:
    deadline = time.monotonic() + seconds
    while left := [*box.processes(), *box.temporary.iterdir()]:
        assert time.monotonic() < deadline, f"left on the box: {left}"
        time.sleep(0.05)


def test_a_box_says_what_it_is_and_has_a_private_folder(box: FakeBox) -> None:
    connection = connected()
    assert connection.box.facts[:2] == [os.uname().machine, os.uname().release]
    folder = Path(connection.box.folder)
    assert folder == box.temporary / NEW
    assert folder.stat().st_mode & 0o777 == 0o700
    assert connection.close(), "it says that all is removed"
    assert list(box.temporary.iterdir()) == []
    assert box.processes() == []


@pytest.mark.slow
@pytest.mark.parametrize("without", [(), ("gzip",), ("sha256sum", "openssl", "gzip")])
def test_a_program_arrives_as_it_was_sent(
    fake_box: MakeBox, tmp_path: Path, without: tuple[str, ...]
) -> None:
    box = fake_box("/bin/sh", path=busybox(tmp_path / "applets", without))
    connection, program = connected(), tmp_path / "engine"
    program.write_bytes(bytes(range(256)) * 999)
    assert fitting.needs_copy(connection, "engine", program)
    fitting.copy(connection, "engine", program)
    arrived = box.temporary / NEW / "engine"
    assert arrived.read_bytes() == program.read_bytes()
    assert os.access(arrived, os.X_OK)
    assert fitting.needs_copy(connection, "engine", program) == ("sha256sum" in without)
    connection.close()


@pytest.mark.parametrize("without", [("gzip",), ("sha256sum", "openssl", "gzip")])
def test_a_program_that_is_altered_on_its_way_is_refused(
    fake_box: MakeBox, tmp_path: Path, without: tuple[str, ...]
) -> None:
    box = fake_box("/bin/sh", path=busybox(tmp_path / "applets", without))
    box.alter_what_is_copied()
    connection, program = connected(), tmp_path / "engine"
    program.write_text("a")
    was, is_ = (hashlib.sha256(it).hexdigest()[:12] for it in (b"a", b"b"))
    with pytest.raises(WorkError, match=f"arrived changed on box .*{is_}… instead of {was}…"):
        fitting.copy(connection, "engine", program)
    connection.close()


@pytest.mark.slow
def test_events_come_from_the_first_to_the_last(box: FakeBox, tmp_path: Path) -> None:
    connection = connected(tmp_path=tmp_path)
    run = begun(connection)
    assert list(run.lines(Interrupts())) == [b"%d\n" % (it + 1) for it in range(LINES)]
    assert (run.code, run.words) == (0, b"all is said\n")
    assert connection.ask("forget", "run").returncode == 0
    assert connection.close()
    wait_until_clean(box)


@pytest.mark.slow
def test_no_event_is_lost_or_twice_when_the_connection_is(box: FakeBox, tmp_path: Path) -> None:
    run = begun(connected(tmp_path=tmp_path))
    seen = []
    for line in run.lines(Interrupts()):
        seen.append(int(line))
        if len(seen) in (1, 3):
            box.lose()
            box.mend()
    assert seen == list(range(1, LINES + 1))
    assert "box is back; nothing was lost" in run.told  # type: ignore[attr-defined]
    run.connection.ask("forget", "run")
    assert run.connection.close()
    wait_until_clean(box)


@pytest.mark.slow
def test_what_nobody_reads_is_read_by_the_next(
    box: FakeBox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "RETRY_SECONDS", 0.1)
    lines = begun(connected(tmp_path=tmp_path)).lines(Interrupts())
    assert next(lines) == b"1\n"
    box.lose()
    with pytest.raises(StillRunning, match="box cannot be reached"):
        list(lines)
    box.mend()
    connection = Connection("box", ["ciphermark.other", NEW], new="ciphermark.unused")
    assert connection.box.found == NEW
    again = RemoteRun(connection, "run", None, print)
    assert [int(it) for it in again.lines(Interrupts())] == list(range(1, LINES + 1))
    connection.ask("forget", "run")
    connection.close()
    wait_until_clean(box)


@pytest.mark.slow
def test_a_name_that_leads_to_another_machine_half_way_is_told(
    fake_box: MakeBox, tmp_path: Path
) -> None:
    """By its own name: it has the same host key, and lacks the folder."""
    other = tmp_path / "bin"
    other.mkdir()
    box = fake_box("sh", path=f"{other}:{os.environ['PATH']}")
    lines = begun(connected(tmp_path=tmp_path)).lines(Interrupts())
    next(lines)
    box.lose()
    box.end()
    os.rename(box.temporary / NEW, tmp_path / "at the other one")
    (other / "uname").write_text(f'#!/bin/sh\n[ "$1" = -n ] && echo other || {UNAME} "$@"\n')
    (other / "uname").chmod(0o755)
    box.mend()
    node = os.uname().nodename
    with pytest.raises(
        StillRunning, match=f"^box is another machine now: other instead of {node}$"
    ):
        list(lines)


@pytest.mark.slow
def test_a_host_key_that_changes_half_way_is_not_tried_again(box: FakeBox, tmp_path: Path) -> None:
    lines = begun(connected(tmp_path=tmp_path)).lines(Interrupts())
    next(lines)
    box.lose("WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!\nHost key verification failed.")
    began = time.monotonic()
    with pytest.raises(StillRunning, match="the host key of box has changed"):
        list(lines)
    assert time.monotonic() - began < runs.RETRY_SECONDS / 4


def test_a_run_that_nobody_wants_ends_with_the_connection(box: FakeBox, tmp_path: Path) -> None:
    run = begun(connected(ENDLESS, tmp_path), keeps=False)
    lines = run.lines(Interrupts())
    next(lines)
    assert box.processes()
    box.lose()
    with pytest.raises(WorkError, match="connection to box was lost"):
        list(lines)
    run.connection.drop()
    wait_until_clean(box)


@pytest.mark.slow
def test_an_engine_ends_at_its_time_although_nobody_is_there(box: FakeBox, tmp_path: Path) -> None:
    run = begun(connected(ENDLESS, tmp_path), seconds=1)
    lines = run.lines(Interrupts())
    next(lines)
    lines.close()
    box.lose()
    run.connection.drop()
    ended = box.temporary / NEW / "run" / "code"
    deadline = time.monotonic() + 15
    while not ended.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    events = (ended.parent / "events").read_text()
    assert ended.read_text() == "0\n"
    assert events.startswith("1\n") and events.endswith("stopped\n")


@pytest.mark.slow
def test_an_interrupt_is_passed_on(box: FakeBox, tmp_path: Path) -> None:
    run, interrupts = begun(connected(ENDLESS, tmp_path)), Interrupts()
    seen = []
    for line in run.lines(interrupts):
        seen.append(line)
        if len(seen) == 2:
            interrupts._handle(2, None)
    assert seen[-1] == b"stopped\n"
    assert run.code == 0
    run.connection.ask("forget", "run")
    run.connection.close()
    wait_until_clean(box)


@pytest.mark.slow
def test_a_box_that_lost_its_files_is_told_from_one_that_is_away(
    box: FakeBox, tmp_path: Path
) -> None:
    lines = begun(connected(tmp_path=tmp_path)).lines(Interrupts())
    next(lines)
    box.lose()
    box.end()
    os.rename(box.temporary / NEW, tmp_path / "started anew")
    box.mend()
    with pytest.raises(Gone, match="box .*and the results are gone"):
        list(lines)


def test_two_at_once_are_refused_and_the_dead_are_not_waited_for(box: FakeBox) -> None:
    first = connected()
    with pytest.raises(UsageError, match=r"box is already measuring \(process \d+ of "):
        Connection("box", new="ciphermark.second")
    deadline = time.monotonic() + 15
    while any(box.temporary.glob("*second")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    first.close()
    # As a process leaves it that was killed: its number may be another's now, which began later.
    (box.temporary / f"ciphermark.lock.{os.getpid()}.1.dead").mkdir()
    second = Connection("box", new="ciphermark.second")
    assert second.close()
    assert list(box.temporary.iterdir()) == []


def test_too_little_room_is_said_with_its_figures(box: FakeBox) -> None:
    with pytest.raises(UsageError) as refused:
        Connection("box", new=NEW, need_kib=1 << 40)
    assert str(refused.value).startswith(f"box has no place for the engine: {box.temporary} has ")
    assert "MB free of the 1073741824 that are needed" in str(refused.value)
    assert list(box.temporary.iterdir()) == []


def test_what_is_left_of_a_command_that_is_killed_is_removed(box: FakeBox) -> None:
    connection = connected()
    connection.drop()
    wait_until_clean(box)


@pytest.mark.slow
def test_nothing_is_left_where_the_connection_ends_at_the_beginning(box: FakeBox) -> None:
    """After any part of what the shell there is told, and while it answers."""
    told = script([], NEW, 0)
    made, ends = told.index(b'make_new "$@"'), len(told)
    for length in (*range(made, ends, (ends - made) // 6), ends - 1, ends):
        shell = subprocess.Popen(
            [box.programs / "box", "sh -s"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert shell.stdin is not None and shell.stdout is not None
        shell.stdin.write(told[:length])
        shell.stdin.close()
        if length == ends:
            assert any(line.startswith(b"ciphermark:fact=") for line in shell.stdout)
            shell.stdout.close()
        shell.wait()
        assert list(box.temporary.iterdir()) == [], told[:length].decode()[-200:]


def test_a_place_from_which_no_program_runs_is_passed_over(
    fake_box: MakeBox, tmp_path: Path
) -> None:
    shell = tmp_path / "shell"
    mount = 'mount -t tmpfs -o noexec tmpfs "$TMPDIR" && exec sh -c "$1"'
    shell.write_text(f"#!/bin/sh\nexec unshare --mount sh -c '{mount}' sh \"$2\"\n")
    shell.chmod(0o755)
    tried = subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False)
    if tried.returncode != 0:
        pytest.skip("this user may not mount anything, not even in a namespace")
    box = fake_box(str(shell))
    connection = connected()
    assert connection.box.refused == [f"{box.temporary} lets no program run (mounted noexec)"]
    assert connection.box.folder == f"/tmp/{NEW}"
    assert connection.close()
    assert not Path("/tmp", NEW).exists()


@pytest.mark.parametrize(
    ("prints", "words"),
    [
        ("yes", "gives no POSIX shell"),
        ("cat /dev/zero", "a line has more than"),
        ("sleep 600", "gave no answer within"),
    ],
)
def test_a_hostile_login_is_left_within_bounds(
    fake_box: MakeBox, monkeypatch: pytest.MonkeyPatch, prints: str, words: str
) -> None:
    box = fake_box()
    program = box.programs / "ssh"
    program.write_text(f"#!/bin/sh\nexec {prints}\n")
    monkeypatch.setattr("ciphermark.run.remote.connection._LOGIN_SECONDS", 0.5)
    with pytest.raises((UsageError, WorkError), match=words):
        Connection("box")
