"""Sets of compilers' flags: those of the folder `tuning`, each with its reason, and the user's."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

import ciphermark
from ciphermark.errors import UsageError
from ciphermark.files import toml_file
from ciphermark.plan import names
from ciphermark.plan.catalogue import Catalogue

_NEVER = {
    "-ffast-math": "lets the compiler change the results of floating point, of which kernels have "
    "none, and makes the linker switch the processor's arithmetic for the whole process",
    "-Ofast": "is -O3 with -ffast-math",
    "-funsafe-math-optimizations": "is a part of -ffast-math",
}

_OF_OUTPUT = re.compile(r"-(o|c|S|E|M.*|save-temps.*|fsyntax-only|x|shared|static|fplugin.*)$")
"""Flags that say what comes out, which is ours to say."""

_NATIVE = re.compile(r"-m(arch|cpu|tune)=native$")
_PROCESSOR = re.compile(r"-m(arch=|cpu=|sse|avx|aes|pclmul|vpclmul|gfni|sha|bmi|adx)")
"""Flags after which code may have instructions that other processors of its kind lack."""


class FlagSet(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Flags that are tried together."""

    name: str
    """In names of variants: lower case."""
    flags: tuple[str, ...]
    reason: str
    """Why it may be worth it, for people."""
    hosts_only: bool = False
    shippable: bool = True
    """Whether what comes out runs on other processors of its kind."""

    @property
    def text(self) -> str:
        """As typed."""
        return shlex.join(self.flags)


class FlagFile(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Sets that belong together: a file of the folder."""

    title: str
    usual: bool = False
    """Whether they are tried unless the user names others."""
    hosts_only: bool = False
    shippable: bool = True
    sets: list[FlagSet]


def chosen(named: str | None, own: Sequence[str]) -> list[FlagSet]:
    """The sets of the files that are listed, then the user's own.

    Without a list the usual ones; none of them where the user gave flags. Raises `UsageError`.
    """
    known = {name: read(path) for name, path in FLAG_FILES.files().items()}
    if named is None:
        wanted = [] if own else [name for name, file in known.items() if file.usual]
    elif named.strip().lower() == "all":
        wanted = [*known]
    else:
        canonical = {name: name for name in known}
        listing = f"{', '.join(known)} (docs/tune.md)"
        wanted = [names.find(it, canonical, "file of flags", listing) for it in names.split(named)]
    sets = [it for name in dict.fromkeys(wanted) for it in known[name].sets]
    return _told_apart([*sets, *map(of_user, own)])


def of_user(text: str) -> FlagSet:
    """The set of `--flags TEXT`. Raises `UsageError` for what is no flag or must not be given."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--flags {text!r} cannot be read ({error}): close its quotes") from None
    if not words:
        raise UsageError("--flags is empty: write for example --flags='-O2 -funroll-loops'")
    for word in words:
        _check(word)
    native = any(map(_NATIVE.match, words))
    return FlagSet(
        name=_name(words),
        flags=tuple(words),
        reason="given by the user",
        hosts_only=native,
        shippable=not any(map(_PROCESSOR.match, words)),
    )


def _check(word: str) -> None:
    if not word.startswith("-") or len(word) < 2:
        raise UsageError(f"{word!r} of --flags is no flag: flags begin with -, as -O2 does")
    if why := _NEVER.get(word):
        raise UsageError(f"{word} is never tried: it {why}")
    if _OF_OUTPUT.match(word):
        raise UsageError(f"{word} of --flags says what the compiler is to make: leave it out")


def _name(words: Iterable[str]) -> str:
    """`-O2 -funroll-loops` as `o2-funroll-loops`."""
    plain = "-".join(word.lstrip("-") for word in words).lower()
    return re.sub(r"[^a-z0-9.+-]+", "-", plain).strip("-") or "flags"


def _told_apart(sets: list[FlagSet]) -> list[FlagSet]:
    """The same flags once, and names that differ."""
    once = {it.flags: it for it in reversed(sets)}
    found: dict[str, FlagSet] = {}
    for it in sets:
        if once.get(it.flags) is not it:
            continue
        name, number = it.name, 2
        while name in found:
            name, number = f"{it.name}-{number}", number + 1
        found[name] = msgspec.structs.replace(it, name=name)
    return [*found.values()]


def read(path: Path) -> FlagFile:
    """The sets of a file. Raises `UsageError` that names it."""
    file = toml_file.read_as(path, "the flags", FlagFile)
    shared = {"hosts_only": file.hosts_only, "shippable": file.shippable}
    file.sets = [msgspec.structs.replace(flags, **shared) for flags in file.sets]
    return file


FLAG_FILES = Catalogue(Path(ciphermark.__file__).parent / "tuning", "file of flags", read)
