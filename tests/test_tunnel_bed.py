"""The bed of tunnels: real namespaces, and that nothing is left of them, however a call ends."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import ciphermark
from ciphermark.files.atomic import current_writer
from ciphermark.run.tunnels import leftovers, programs, traffic
from ciphermark.run.tunnels.bed import (
    GATEWAY_1,
    RECEIVER,
    SENDER,
    Bed,
    BedError,
    flows,
    network_of,
)
from ciphermark.run.tunnels.kinds import Laid
from namespaces import needs_namespaces

PYTHON = Path(ciphermark.__file__).parents[1]
TIMES = 3
"""Of each signal; `benchmarks/tunnel.py --take-downs 1000` does so longer."""

HOLDS = """
import sys, time
from ciphermark.run.tunnels.bed import Bed, SENDER
from ciphermark.signals import heeded
import signal

def stop(number, frame):
    raise KeyboardInterrupt

signal.signal(signal.SIGTERM, stop)
try:
    with Bed(1700) as bed:
        bed.start("sleeper", ["sleep", "1000"], SENDER)
        print(bed.links[0].devices[0], flush=True)
        time.sleep(60)
except KeyboardInterrupt:
    sys.exit(130)
"""


def outside() -> tuple[str, str, str, list[int]]:
    """What a bed must not touch: interfaces, routes, a setting of the kernel, mounts."""
    asked = [["ip", "-o", "link"], ["ip", "route", "show", "table", "all"]]
    told = [subprocess.run(it, capture_output=True, text=True).stdout for it in asked]
    forwards = Path("/proc/sys/net/ipv4/ip_forward").read_text()
    return told[0], told[1], forwards, mounted()


def mounted() -> list[int]:
    return [line.count("netns") for line in Path("/proc/self/mounts").read_text().splitlines()]


@pytest.fixture
def untouched() -> Iterator[None]:
    before = outside()
    yield
    assert outside() == before


@needs_namespaces
@pytest.mark.parametrize("path", [os.environ["PATH"], "/usr/local/bin:/usr/bin:/bin"])
def test_packets_are_forwarded_and_all_is_gone_afterwards(
    untouched: None, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """The second search path is that of an ordinary user of Debian, without /sbin."""
    monkeypatch.setenv("PATH", path)
    with Bed(1600) as bed:
        told = bed.must(["ip", "-o", "link"], GATEWAY_1)
        assert "mtu 1600" in told and "mtu 1500" in told
        device = bed.links[0].devices[0]
        assert device in bed.must(["ip", "-o", "link"], SENDER)
        threads = bed.threads
        program = "import socket; socket.create_connection(('198.18.3.2', 7), 5).recv(9)"
        refused = bed.run([sys.executable, "-c", program], SENDER)
        # It is the receiver that refuses, beyond both gateways.
        assert "ConnectionRefusedError" in refused.log
    assert not any(Path(f"/proc/{it}").exists() for own in threads.values() for it in own) or (
        gone(lambda: not leftovers.kernel_threads(device))
    )


def gone(is_gone: object, seconds: float = 10.0) -> bool:
    """Whether it came to be so in time: the kernel takes interfaces away in the background."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if is_gone():  # type: ignore[operator]
            return True
        time.sleep(0.05)
    return False


@needs_namespaces
def test_keys_lie_where_nobody_else_looks(untouched: None) -> None:
    with Bed(1700) as bed:
        path = bed.private_file("key", "secret")
        assert bed.must(["stat", "-c", "%a", path, os.path.dirname(path)]).split() == ["600", "700"]
        assert bed.read(path) == "secret"
        assert not Path(path).exists()
    assert not Path(path).exists()


@needs_namespaces
def test_what_fails_within_is_said(untouched: None) -> None:
    with Bed(1700) as bed:
        with pytest.raises(BedError, match="failed"):
            bed.must(["ip", "link", "set", "absent", "up"], SENDER)
        assert bed.run(["sleep", "5"], SENDER, seconds=0.1).late
        bed.start("false", ["false"], RECEIVER)
        assert bed.end("false", 5).code == 1
        bed.abandon()
        with pytest.raises(BedError):
            bed.must(["true"])


@needs_namespaces
def test_a_tunnel_whose_program_dies_is_told_and_no_figure(untouched: None) -> None:
    with Bed(1700) as bed:
        bed.start("sleep in gateway", ["sleep", "1000"], GATEWAY_1)
        laid = Laid("", programs={GATEWAY_1: ["sleep in gateway"]})
        with pytest.raises(BedError, match="sleep has ended"), traffic._watching(bed, laid):
            bed.stop("sleep in gateway")


@needs_namespaces
def test_the_table_of_interfaces_has_a_head(
    untouched: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads "face", as the names of a bed may begin."""
    monkeypatch.setattr("secrets.token_hex", lambda count: "face")
    with Bed(1700) as bed:
        assert set(bed.taken_in()) == {f"fac{number}" for number in range(6)}


@needs_namespaces
def test_roles_are_told_apart_by_the_packets_that_each_takes_in(untouched: None) -> None:
    with Bed(1700) as bed:
        before = bed.taken_in()
        bed.run([sys.executable, "-c", SENDS], SENDER)
        after = bed.taken_in()
        taken = {device: count - before[device] for device, count in after.items()}
        assert len(taken) == 6
        assert bed.handled(taken, GATEWAY_1) >= 20 and bed.passed(taken, GATEWAY_1) >= 20
        assert taken[bed.links[2].devices[1]] >= 20


SENDS = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
    for _ in range(20):
        sender.sendto(b"packet", ("198.18.3.2", 5001))
"""


def hold() -> tuple[subprocess.Popen[str], str]:
    """A process that holds a bed, and the name of its first interface."""
    environment = os.environ | {"PYTHONPATH": str(PYTHON)}
    held = subprocess.Popen(
        [sys.executable, "-c", HOLDS], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert held.stdout is not None
    return held, held.stdout.readline().strip()


def agents_of(process: int) -> list[int]:
    """Processes of the bed of a process."""
    return [bed for bed, owner in leftovers.beds().items() if owner.pid == process]


@needs_namespaces
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_a_signal_ends_it(number: signal.Signals, untouched: None) -> None:
    for _ in range(TIMES):
        held, device = hold()
        assert device and agents_of(held.pid)
        held.send_signal(number)
        assert held.wait(20) in (130, -number)
        assert gone(lambda held=held: not agents_of(held.pid))
        assert gone(lambda device=device: not leftovers.kernel_threads(device))


@needs_namespaces
@pytest.mark.slow
@pytest.mark.parametrize("delay_s", [0.02, 0.1, 0.2, 0.3, 0.4])
def test_nothing_is_left_when_it_is_killed_while_it_is_laid(
    delay_s: float, untouched: None
) -> None:
    environment = os.environ | {"PYTHONPATH": str(PYTHON)}
    held = subprocess.Popen([sys.executable, "-c", HOLDS], env=environment, stdout=-1)
    time.sleep(0.3 + delay_s)
    held.kill()
    held.wait()
    assert gone(lambda: not agents_of(held.pid))


@needs_namespaces
def test_a_bed_that_hangs_is_removed_by_the_next_call_which_says_so(untouched: None) -> None:
    held, _ = hold()
    agents = agents_of(held.pid)
    for agent in agents:
        os.kill(agent, signal.SIGSTOP)
    held.kill()
    held.wait()
    # Where the kernel ends what is stopped by itself, there is nothing to find.
    left = agents_of(held.pid)
    notes = leftovers.remove()
    assert gone(lambda: not agents_of(held.pid))
    if left and agents_of(held.pid) == [] and notes:
        assert any(str(held.pid) in note and "removed" in note for note in notes)


@needs_namespaces
def test_the_bed_of_a_call_that_is_alive_is_left_alone() -> None:
    held, _ = hold()
    try:
        assert leftovers.remove() == [] and agents_of(held.pid)
    finally:
        held.terminate()
        held.wait(20)


def sleeping(*more: str, mark: str = "") -> subprocess.Popen[bytes]:
    """A process that holds a file in memory of this name."""
    descriptor = os.memfd_create(mark)
    try:
        return subprocess.Popen(
            [sys.executable, "-c", "import time; time.sleep(60)", *more], pass_fds=[descriptor]
        )
    finally:
        os.close(descriptor)


def test_a_leftover_is_known_by_the_start_of_its_workbench() -> None:
    """Process numbers come again: one that began at another time is not the same."""
    earlier = current_writer()._replace(started=1)
    sleeper = sleeping(mark=f"ciphermark-bed-of:{earlier}")
    try:
        assert gone(lambda: sleeper.pid in leftovers.beds())
        (note,) = leftovers.remove()
        assert str(os.getpid()) in note
        assert sleeper.wait(5) == -signal.SIGKILL
    finally:
        sleeper.kill()
        sleeper.wait()


@pytest.mark.parametrize("how", ["of another container", "argument", "file", "no workbench"])
def test_processes_of_others_are_left_alone(tmp_path: Path, how: str) -> None:
    dead = current_writer()._replace(started=1)
    elsewhere = dead._replace(space=f"{int(dead.space, 16) ^ 1:016x}")
    argument, mark = "", ""
    match how:
        case "of another container":
            mark = f"ciphermark-bed-of:{elsewhere}"
        case "argument":
            argument = f"ciphermark-bed-of:{dead}"
        case "file":
            argument = str(tmp_path / f"ciphermark-bed-of:{dead}")
        case _:
            mark, argument = "ciphermark-bed-of:x", "ciphermark-bed-of:x"
    if how == "file":
        Path(argument).touch()
        sleeper = subprocess.Popen(["tail", "-f", argument], stdout=subprocess.DEVNULL)
    else:
        sleeper = sleeping(argument, mark=mark)
    try:
        assert leftovers.remove() == [] and sleeper.poll() is None
    finally:
        sleeper.kill()
        sleeper.wait()


@pytest.fixture
def anybodys() -> Iterator[Path]:
    """A folder that every user reads, which those of pytest are not."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@needs_namespaces
@pytest.mark.skipif(os.geteuid() != 0, reason="is without root already")
def test_without_root_namespaces_of_a_user_serve(anybodys: Path) -> None:
    setpriv = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
    code = "from ciphermark.run.tunnels.bed import Bed\nwith Bed(1700) as b: print(b.manner)"
    python = next(
        (it for it in ("/usr/bin/python3.11", "/usr/bin/python3") if Path(it).exists()), None
    )
    shutil.copytree(PYTHON / "ciphermark", anybodys / "ciphermark")
    ran = subprocess.run(
        [*setpriv, python or sys.executable, "-c", code],
        env={"PYTHONPATH": str(anybodys), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
    )
    if "cannot be made here without root" in ran.stderr:
        pytest.skip("this system refuses unprivileged namespaces")
    assert ran.stdout == "unprivileged namespaces (unshare -Urnm)\n", ran.stderr


def test_without_ip_it_is_said_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "is_installed", lambda program: program != "ip")
    with pytest.raises(BedError, match="apt-get install iproute2"), Bed(1700):
        pass


def test_flows_have_networks_of_their_own() -> None:
    pairs = list(flows(64))
    networks = {network_of(address) for pair in pairs for address in pair}
    assert len(networks) == 128
    assert "198.18.1.0/24" not in networks
