"""The OpenSSH client: how it is called, so that one login serves all, and nobody is asked in the
middle; and what it says when it cannot log in, as one sentence that names the machine.

It is the user's own: with its configuration, keys, agents, jump hosts and known hosts.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from ciphermark.errors import UsageError
from ciphermark.files.atomic import Writer, current_writer

_PLACE, _SOCKETS = Path("/tmp"), "ciphermark-ssh"
"""Where sockets of connections are, and what the names of their folders begin with."""

_OWNER = "owner"
"""The file in such a folder that names the process which made it."""

_OPTIONS = {
    "BatchMode": "yes",
    # A link that is dead is noticed after 20 s, and a machine that does not answer at all too.
    "ConnectTimeout": "20",
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "4",
    # What people have set for working there by hand.
    "ClearAllForwardings": "yes",
    "ForwardAgent": "no",
    "ForwardX11": "no",
    "LogLevel": "ERROR",
    "PermitLocalCommand": "no",
    "RemoteCommand": "none",
    "RequestTTY": "no",
}


def check_destination(text: str) -> str:
    """A destination as ssh takes it: `host`, `user@host`, `ssh://user@host:port`.

    Raises UsageError for what would be taken for an option, or is no one word.
    """
    if not text or text.startswith("-") or any(it.isspace() or not it.isprintable() for it in text):
        raise UsageError(
            f"--on {text!r} is no machine: write user@host, or a Host of ~/.ssh/config"
        )
    return text


def program() -> str:
    """Where the client is. Raises UsageError."""
    found = shutil.which("ssh")
    if found is None:
        raise UsageError(
            "there is no ssh on the PATH, which --on needs: install OpenSSH's client "
            "(Debian and Ubuntu: apt install openssh-client)"
        )
    return found


def private_folder() -> Path:
    """A folder for the socket of a connection, whose name must be short, as TMPDIR need not be.

    Those of processes of this machine that were killed are removed.
    """
    for left in _PLACE.glob(f"{_SOCKETS}-*"):
        with contextlib.suppress(OSError):
            if left.lstat().st_uid != os.getuid():
                continue
            owner = Writer.named((left / _OWNER).read_text("ascii", "replace"))
            if owner is not None and owner.is_known_dead:
                shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{_SOCKETS}-{os.getpid()}-", dir=_PLACE))
    (folder / _OWNER).write_text(str(current_writer()), "ascii")
    return folder


def environment() -> dict[str, str]:
    """Messages that can be distinguished are in English."""
    return {**os.environ, "LC_ALL": "C"}


def login(destination: str, socket: Path) -> list[str]:
    """The command that logs in and lets others use its connection; it runs `sh -s` there."""
    return _command({"ControlMaster": "yes", "ControlPersist": "no"}, destination, socket, "sh -s")


def through(destination: str, socket: Path, command: str) -> list[str]:
    """A command over the connection of `login`; where that has ended there is no other."""
    only = {"ControlMaster": "no", "ProxyCommand": "false"}
    return _command(only, destination, socket, command)


def _command(more: dict[str, str], destination: str, socket: Path, command: str) -> list[str]:
    options = {**_OPTIONS, **more, "ControlPath": str(socket)}
    told = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    return [program(), *told, "--", destination, command]


class Stranger(UsageError):
    """Who answers does not have the host key that is known."""


_STRANGERS = (
    (
        "REMOTE HOST IDENTIFICATION HAS CHANGED",
        "the host key of {name} has changed, which may be an attack: ask who runs the machine, "
        "then type ssh-keygen -R {host} and log in once by hand",
    ),
    (
        "Host key verification failed",
        "the host key of {name} is not known here: type ssh {name} once, compare the fingerprint "
        "with the machine's own, and accept it",
    ),
)
_KNOWN = (
    *_STRANGERS,
    (
        "Could not resolve hostname",
        "there is no machine {name}: its name is not known here; write user@host, or a Host of "
        "~/.ssh/config",
    ),
    (
        "Permission denied",
        "{name} accepts none of the keys that are here: type ssh-copy-id {name}, or unlock the "
        "key with ssh-add",
    ),
    (
        "Too many authentication failures",
        "{name} accepts none of the first keys that it was offered: name the right one as "
        "IdentityFile in ~/.ssh/config, with IdentitiesOnly yes",
    ),
)
"""In the words of OpenSSH's sshconnect.c and sshconnect2.c."""


def refused(name: str, said: str) -> UsageError:
    """Why there is no connection to a machine, from what ssh wrote to standard error."""
    for known in _KNOWN:
        words, sentence = known
        if words in said:
            kind = Stranger if known in _STRANGERS else UsageError
            return kind(sentence.format(name=name, host=name.rpartition("@")[2]))
    return UsageError(f"{name} cannot be reached: {last_line(said) or 'ssh does not say why'}")


def last_line(said: str) -> str:
    """The last words, which tell most: what comes before are banners and warnings."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1].removeprefix("ssh: ").rstrip(".") if lines else ""
