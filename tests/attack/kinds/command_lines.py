"""Words and surroundings that no shell of a user gives: bytes that are no text, options in wrong
places, huge values, variables that say nonsense. Whatever was measured is kept."""

from __future__ import annotations

from attack import hostile, stored
from attack.attempt import Attempt
from attack.failure import HANG_S, Failure
from attack.kinds.text import commands
from attack.setting import FEW

ODD = (
    *(b"M\xfcller", b"\xff\xfe", b"\x80", b"a\xc3", b"\xed\xa0\x80", b"x" * 255, b"x" * 256),
    *(b"\x1b[31m", b"new\nline", b" ", b"\xe2\x80\xae", b"-", b"--", b"=", b"~", b"a" * 100_000),
    *(b"%s", b"{}", b"'", b'"', b"*", b"\xc3\xa9", b"\xf0\x9f\x98\x80", b".", b".."),
    b"/dev/null/x",
)  # fmt: skip

NAMES = tuple(it for it in ODD if len(it) < 256 and it not in (b"-", b"--", b"..", b"/dev/null/x"))
"""Texts that can be the name of a folder."""

SURROUNDINGS: tuple[tuple[str, tuple[bytes | None, ...]], ...] = (
    ("HOME", (None, b"", b"nowhere", b"/dev/null", b"M\xfcller")),
    ("COLUMNS", (b"0", b"-1", b"x", b"9" * 30, b"1")),
    ("LC_ALL", (b"C", b"xx_YY.UTF-8", b"")),
    ("TERM", (None, b"dumb", b"")),
    ("TMPDIR", (b"nowhere", b"", b"/dev/null", b"M\xfcller")),
    ("XDG_CACHE_HOME", (b"", b"relative", b"/dev/null/x", b"M\xfcller")),
    ("XDG_DATA_HOME", (b"", b"/dev/null/x", b"M\xfcller")),
    ("XDG_CONFIG_HOME", (b"", b"/dev/null/x")),
    ("PATH", (b"", b"nowhere")),
    ("PAGER", (b"\xff",)),
)

MEASURED = "measured"
"""A file that is there once an engine has answered."""


def attempt(it: Attempt) -> None:
    it.replay()
    measuring = it.lots.random() < 0.3
    for name, values in it.lots.sample(SURROUNDINGS, it.lots.choice((0, 1, 1, 2))):
        if not (measuring and name == "PATH"):  # the engine that repeats is a script
            _surround(it, name, it.lots.choice(values))
    if measuring:
        _measuring(it)
    else:
        it.environment["ATTACK_REFUSES"] = "1"
        _any(it)


def _surround(it: Attempt, name: str, value: bytes | None) -> None:
    it.say(f"{name}={value!r}")
    if value is None:
        it.environment.pop(name, None)
    else:
        it.environment[name] = value.decode(errors="surrogateescape")


def _measuring(it: Attempt) -> None:
    name = it.lots.choice(NAMES)
    place: tuple[str | bytes, ...] = ("--runs", name)
    if it.lots.random() < 0.4:
        _surround(it, "CIPHERMARK_RUNS", bytes(it.folder) + b"/" + name)
        place = ()
    words: list[str | bytes] = ["survey", *FEW, *place]
    if it.lots.random() < 0.3:
        words += [b"--plan-name", it.lots.choice(ODD)]
    hook = it.folder / "hook"
    hook.write_text(f": > {it.folder}/{MEASURED}\n")
    it.environment["ATTACK_HOOK"] = str(hook)
    it.say(repr(words[len(FEW) + 1 :])[:300])
    whole = it.lots.random() < 0.1
    ended = it.start(*words, whole=whole).end(3 * HANG_S)
    ended.check()
    if not (it.folder / MEASURED).exists():
        return
    kept = stored.run_folders(it.folder, *stored.named(ended))
    if not kept and not stored.is_printed(ended.output):
        raise Failure("lost", f"{ended.command}: what was measured is nowhere: {ended.last}")
    shown = it.run("show", "last", *place)
    if ended.code == 0 and shown.code != 0:
        raise Failure("lost", f"{ended.command}: what was stored cannot be shown: {shown.last}")


def _any(it: Attempt) -> None:
    """Words of a command in any order, doubled, joined, and with odd ones between."""
    if it.lots.random() < 0.5:
        it.store("run-1.8", "run-1.8-sessions")
    name, command = it.lots.choice(commands())
    words: list[str | bytes] = list(name)
    for parameter in it.lots.sample(command.params, min(len(command.params), 2)):
        option = parameter.opts[0]
        value = _word(it)
        match it.lots.randrange(4):
            case 0:
                words.append(option)
            case 1:
                words += [option, value]
            case 2:
                words.append(option.encode() + b"=" + value)
            case _:
                words += [option, value, option, _word(it)]
    for _ in range(it.lots.choice((0, 1, 1, 2))):
        words.insert(it.lots.randrange(len(words) + 1), _word(it))
    if it.lots.random() < 0.2:
        it.lots.shuffle(words)
    if name[0] in ("sessions", "packets"):
        words.append("--dry-run")
    it.say(f"{words!r}"[:600])
    whole = it.lots.random() < 0.03
    it.start(*words, whole=whole).end(3 * HANG_S if whole else HANG_S).check()


def _word(it: Attempt) -> bytes:
    if it.lots.random() < 0.6:
        return it.lots.choice(ODD)
    return hostile.argument(it.lots).encode()
