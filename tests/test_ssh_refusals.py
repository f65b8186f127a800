"""What `--on` says of machines that it cannot measure on, or not to the end: one line, with their
name. A real sshd, with programs first on its PATH that answer as another machine would."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from ciphermark.errors import WorkError
from ciphermark.run import engine_choice
from ciphermark.run.remote import fitting
from ciphermark.run.remote.connection import Connection
from engine_fixture import Command
from ssh_fixture import Machine, of_a_guest
from ssh_survey import PLANNED, SHORT, STEADY, Survey
from static_engines import made

pytestmark = pytest.mark.engine

HOLDS_NO_PROGRAM = (
    "mount -t tmpfs -o noexec tmpfs /run/box/temporary",
    "mount -t tmpfs -o ro tmpfs /tmp",
    "mount -t tmpfs -o size=1m tmpfs /var/tmp",
    "mount -t tmpfs -o noexec tmpfs /dev/shm",
    'mount -t tmpfs -o ro tmpfs "$(getent passwd 0 | cut -d : -f 6)"',
)
"""Each place that is tried is of no use, for a reason of its own."""


def refusal(command: Command, on: str, *more: str) -> str:
    done = command("survey", *SHORT, "--on", on, *more)
    assert (done.code, done.output) == (2, "")
    return done.sentence


def only_root() -> None:
    if os.getuid() != 0:
        pytest.skip("only root mounts a disk of its own for a machine")


def unwinder(engine: str) -> str:
    """Where the library is that an engine which is linked to glibc needs beside that."""
    told = subprocess.run(["ldd", engine], capture_output=True, text=True, check=False).stdout
    found = re.search(r"libgcc_s\.so\.1 => (\S+)", told)
    if found is None:
        pytest.skip("the engine that is tested here does not need libgcc_s.so.1")
    return found[1]


def test_what_ssh_refuses_is_one_sentence(machine: Machine, lent: Command) -> None:
    assert refusal(lent, "nameless").startswith(
        "there is no machine nameless: its name is not known"
    )
    assert refusal(lent, "absent") == (
        "absent cannot be reached: connect to host 127.0.0.1 port 2224: Connection refused"
    )
    assert refusal(lent, "-oProxyCommand=id").startswith("--on '-oProxyCommand=id' is no machine: ")
    assert refusal(lent, "box", "--kernel", "here.so") == (
        "--on measures on box, but --kernel is of this machine: leave one of them out"
    )
    machine.forget_host_key()
    assert refusal(lent, "box") == (
        "the host key of box is not known here: type ssh box once, compare the fingerprint with "
        "the machine's own, and accept it"
    )
    machine.forget_host_key(other=True)
    assert "the host key of box has changed" in refusal(lent, "box")
    machine.remember_host_key()
    machine.refuse_key()
    assert refusal(lent, "box").startswith("box accepts none of the keys that are here: ")
    machine.wait_until_clean()


def test_a_machine_that_has_no_engine_is_refused_before_anything_is_copied(
    machine: Machine, lent: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.says_uname(m="mips64")
    assert refusal(lent, "fast") == (
        "fast: there is no engine for mips64: `make engines` makes them for x86_64, aarch64, "
        "armv7, riscv64"
    )
    machine.says_uname(r="2.6.32-754.el6")
    assert refusal(lent, "fast") == (
        f"the kernel of fast is 2.6.32-754.el6, and the engine needs Linux "
        f"{'3.2' if engine_choice.own_machine() == 'x86_64' else '4.1'} or newer"
    )
    machine.says_uname(s="FreeBSD")
    assert refusal(lent, "fast") == "fast runs FreeBSD: the engine measures on Linux only"
    monkeypatch.setattr(engine_choice, "places", list)
    machine.says_uname(m="aarch64" if engine_choice.own_machine() == "x86_64" else "x86_64")
    assert refusal(lent, "fast").endswith("here; type: make engines (in ciphermark's source tree)")
    machine.wait_until_clean()


def test_an_account_without_a_shell_is_told_in_its_own_words(
    machine: Machine, lent: Command
) -> None:
    machine.begin_other("closed", of_a_guest("/usr/sbin/nologin"))
    assert refusal(lent, "guest@other").startswith(
        "guest@other gives no POSIX shell to log in to: This account is currently not available"
    )


def test_a_machine_without_a_place_is_told_each_reason(machine: Machine, lent: Command) -> None:
    only_root()
    machine.do(*HOLDS_NO_PROGRAM)
    said = refusal(lent, "fast")
    assert said.startswith(
        "fast has no place for the engine: /run/box/temporary lets no program run (mounted "
        "noexec); /tmp takes no folder (Read-only file system); /var/tmp has 1 MB free of the 48 "
        "that are needed; /dev/shm lets no program run (mounted noexec); "
    )
    assert said.endswith("; make room, or set TMPDIR there")
    machine.wait_until_clean()


def test_an_engine_that_lacks_a_library_gives_way_to_the_static_one(
    machine: Machine, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Glibc and its loader are there, and the library of GCC's unwinder is not."""
    only_root()
    machine.do(f"mount --bind /dev/null {unwinder(command.environment['CIPHERMARK_ENGINE'])}")
    with monkeypatch.context() as patch:
        patch.setattr(engine_choice, "places", list)
        none = command("survey", *SHORT, "--on", "fast")
    assert none.code == 2
    assert none.messages.splitlines()[-1].startswith(
        "ciphermark: ciphermark-engine does not start on fast (error while loading shared "
        "libraries: "
    )
    assert none.messages.endswith("; type: make engines (in ciphermark's source tree)\n")
    machine.wait_until_clean()
    made(engine_choice.own_machine())
    other = command(*PLANNED, "--on", "fast")
    assert other.code == 0, other.messages
    assert other.document["cases"]
    (line,) = [it for it in other.messages.splitlines() if "does not start" in it]
    assert line.startswith("ciphermark: this machine's engine does not start on fast (error while ")
    assert line.endswith(
        ", so the static one is used, which measures the libraries compiled into it"
    )
    machine.wait_until_clean()


def test_a_disk_that_is_full_is_said_when_a_file_is_copied(
    machine: Machine, tmp_path: Path
) -> None:
    only_root()
    machine.do("mount -t tmpfs -o size=1m tmpfs /run/box/temporary")
    program = tmp_path / "engine"
    program.write_bytes(os.urandom(2 << 20))
    connection = Connection("fast", new="ciphermark.0123456789abcdef")
    with pytest.raises(WorkError) as full:
        fitting.copy(connection, "engine", program)
    assert str(full.value).startswith(f"fast could not write to {connection.box.folder} (")
    assert "No space left on device): make room there" in str(full.value)
    again = Connection("fast", [Path(connection.box.folder).name])
    assert again.ask("user").returncode == 0, "what was written there before still serves"
    again.drop()
    connection.close()
    machine.wait_until_clean()


def test_a_disk_that_becomes_full_ends_the_run_and_keeps_what_was_measured(
    machine: Machine, lent: Command
) -> None:
    only_root()
    machine.do("mount -t tmpfs -o size=64m tmpfs /run/box/temporary")
    # Longer than it may take to fill the disk, which ends it.
    survey = Survey(lent, *STEADY, "--budget", "120", "--on", "fast")
    survey.measures()
    machine.do("cat /dev/zero >/run/box/temporary/others || true")
    assert survey.end() == 1
    (said,) = [line for line in survey.said.splitlines() if "no room" in line]
    assert said.startswith("ciphermark: fast has no room left for events in /run/box/temporary/")
    assert "(No space left on device)" in said
    assert "the results until then are kept in run " in said
    assert lent.only_run().bye is None
    machine.do("rm /run/box/temporary/others")
    machine.wait_until_clean()
