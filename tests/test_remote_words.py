"""What is known of a box before anything runs there, and of runs that wait for their collection."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.record.recorder import Begun, Recorder
from ciphermark.record.run import Run
from ciphermark.run import here
from ciphermark.run.remote import client
from ciphermark.run.remote.box import Box
from ciphermark.run.remote.client import refused
from ciphermark.run.remote.connection import Connection
from ciphermark.run.remote.limits import Surroundings
from ciphermark.run.remote.pending import Pending, Shelf
from fake_ssh import MakeBox

CHANGED = """@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @
@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@
Host key for router has changed and you have requested strict checking.
Host key verification failed.
"""


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (CHANGED, "the host key of me@router has changed"),
        ("Host key verification failed.", "the host key of me@router is not known here"),
        ("me@router: Permission denied (publickey).", "me@router accepts none of the keys"),
        (
            "ssh: Could not resolve hostname router: Name or service not known",
            "there is no machine me@router",
        ),
        (
            "Welcome!\nssh: connect to host router port 22: No route to host\n",
            "me@router cannot be reached: connect to host router port 22: No route to host",
        ),
        ("", "me@router cannot be reached: ssh does not say why"),
    ],
)
def test_what_ssh_says_becomes_a_sentence(said: str, sentence: str) -> None:
    assert str(refused("me@router", said)).startswith(sentence)


def test_the_key_that_is_forgotten_is_the_host_s() -> None:
    assert "ssh-keygen -R router " in str(refused("me@router", CHANGED))


@pytest.mark.parametrize("name", ["router", "me@router", "ssh://me@router:2222", "me@[::1]"])
def test_a_destination_is_as_ssh_takes_it(name: str) -> None:
    assert client.check_destination(name) == name


@pytest.mark.parametrize("name", ["", "-oProxyCommand=reboot", "me@router reboot", "a\nb"])
def test_an_option_is_no_destination(name: str) -> None:
    with pytest.raises(UsageError, match="is no machine: write user@host"):
        client.check_destination(name)


def test_without_a_client_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(UsageError, match="there is no ssh on the PATH.*openssh-client"):
        Connection("router")


def test_no_option_weakens_what_the_user_has_set() -> None:
    words = " ".join([*client._OPTIONS, *client.login("router", Path("/tmp/s"))]).lower()
    for word in ("stricthostkeychecking", "knownhosts", "userknown", "password"):
        assert word not in words


def fed(*lines: str) -> Box:
    box = Box(name="router")
    for line in lines:
        if not box.feed(f"{line}\n"):
            break
    return box


def test_what_a_login_prints_is_not_taken_for_the_answer() -> None:
    box = fed("system=Windows", "Welcome", "ciphermark:system=Linux", "ciphermark:ready", "more")
    assert (box.system, box.last) == ("Linux", "ready")
    box.check()


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["system=Darwin"], "router runs Darwin: the engine measures on Linux only"),
        (
            ["refused=/tmp lets no program run (mounted noexec)", "nowhere"],
            "router has no place for the engine: /tmp lets no program run (mounted noexec); make",
        ),
        (["busy=process 7 of root"], r"router is already measuring (process 7 of root"),
    ],
)
def test_a_box_that_cannot_be_measured_on_is_named(lines: list[str], sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        fed(*(f"ciphermark:{it}" for it in lines)).check()
    assert str(error.value).startswith(sentence)


def test_the_limits_of_a_box_are_read_there(fake_box: MakeBox) -> None:
    """The box is this machine, so they are the same."""
    fake_box()
    connection = Connection("box", new="ciphermark.0123")
    found, own = Surroundings(connection), here.limits()
    connection.close()
    assert found.limits.threads_by == own.threads_by
    assert found.limits.threads == pytest.approx(own.threads, abs=5000)
    assert found.limits.memory_bytes == pytest.approx(own.memory_bytes, rel=0.3)
    assert found.may_bound_cpu == here.may_bound_cpu()


def pending(run: str, stored: bool = False) -> Pending:
    told = {"name": "router", "folder": "ciphermark.1", "command": "ciphermark survey"}
    return Pending(run=run, ends_unix_s=1.0, begun=msgspec.Raw(b"{}"), stored=stored, **told)


def test_a_run_that_waits_is_one_s_at_a_time(tmp_path: Path) -> None:
    one, other = Shelf(tmp_path), Shelf(tmp_path)
    one.put(pending("a"))
    assert other.take() == []
    one.release("a")
    assert other.take() == [pending("a")]
    assert one.take() == []
    other.remove("a")
    assert Shelf(tmp_path).take() == []


def test_what_is_on_the_shelf_can_be_replaced_and_damaged(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    shelf.put(pending("a"))
    shelf.put(pending("a", stored=True))
    (tmp_path / "b.json").write_text("{")
    assert shelf.take() == [pending("a", stored=True)]
    shelf.release("a")
    assert Shelf(tmp_path).take() == [pending("a", stored=True)]


def test_a_run_is_stored_by_another_as_by_the_one_that_began_it(run: Run) -> None:
    context = run.context
    first = Recorder(
        *("typed", "survey", context.plan, context.algorithms, ["a note"]),
        given={"a": 1},
    )
    told = msgspec.json.encode(first.begun())
    second = Recorder.of(msgspec.json.decode(told, type=Begun))
    for recorder in (first, second):
        assert context.hello is not None
        recorder.feed(context.hello)
        recorder.feed(contract.Warning(kind="w", message="m"))
    one, other = first.finish(), second.finish()
    same = msgspec.structs.replace(other.context, run=one.context.run)
    assert msgspec.to_builtins(same) == msgspec.to_builtins(one.context)
    assert (other.given, other.warnings) == (one.given, one.warnings)
