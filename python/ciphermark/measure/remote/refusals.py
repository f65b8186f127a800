"""What ssh says when it cannot log in, as one sentence that names the machine."""

from __future__ import annotations

from ciphermark.errors import UsageError


class Stranger(UsageError):
    """Who answers does not have the host key that is known."""


_STRANGERS = (
    (
        "REMOTE HOST IDENTIFICATION HAS CHANGED",
        "the host key of {name} is another than before, which may be an attack: ask who runs it, "
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
        "{name} lets nobody in with the keys that are here: type ssh-copy-id {name}, or unlock the "
        "key with ssh-add",
    ),
    (
        "Too many authentication failures",
        "{name} lets nobody in with the first keys that it was offered: name the right one as "
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
