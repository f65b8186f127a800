"""What advice is asked for: uses of cryptography, one file each (TOML), and what is wished of them.

A file has what belongs to the protocol and its tools: which suites there are, what strongSwan or
OpenSSL call them, what peers may offer that is not measured here, and what to paste where. How
strong something is and what it is worth stands in `algorithms/`, except what ciphermark does not
have at all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.files import toml_file
from ciphermark.plan import names, profiles
from ciphermark.plan.catalogue import Catalogue
from ciphermark.plan.profile import Part, Profile
from ciphermark.statistics.estimate import complete

FOLDER = Path(__file__).parent / "catalogue"

KEYED = "key-recovery"
"""The kind of strength that a key has."""

Sources = Annotated[list[str], msgspec.Meta(min_length=1)]


class _Part(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Of a file."""


class ToolGroups(_Part, kw_only=True):
    """Form of key exchange groups after the name of a suite, with `{word}` or `{number}`."""

    first: str
    further: str
    numbers: list[int]
    """Groups that the tool has."""
    usual: int | None = None
    """Group to name where no peer is."""


class Tool(_Part, kw_only=True):
    """A program that is told which suite to use."""

    name: str
    title: str
    where: str
    """The file, and the place in it, for what is printed."""
    line: str
    """What is to be pasted, with `{name}` for the suite."""
    separator: str | None = None
    """Between suites, where several may be named, the best first."""
    beside: str | None = None
    """Tool whose line this one completes; it then names the parts of the same suites."""
    as_typed: bool = False
    """True if a peer's own words for parts (`keywords`) are names of this tool."""
    groups: ToolGroups | None = None
    suites: dict[str, str] = {}
    """What it calls whole suites, by their canonical names."""
    ciphers: dict[str, str] = {}
    integrity: dict[str, str] = {}
    """What it calls their parts, where it names these with a dash between them."""
    note: str = ""
    sources: Sources


class Spelling(_Part, kw_only=True):
    """Names that peers have for a suite, as a regular expression for a whole name."""

    pattern: str
    name: str


class Unmeasured(_Part, kw_only=True):
    """A part of a suite that ciphermark does not have, with facts of its own."""

    name: str
    title: str
    status: contract.Status
    status_reason: str
    strength_bits: int
    fips_approved: bool
    tag_bytes: int = 0
    sources: Sources

    @property
    def kind(self) -> contract.Kind:
        return "cipher"

    @property
    def strength_kind(self) -> str:
        return KEYED


class Excluded(_Part, kw_only=True):
    """What is no answer here although it is of the right kind, by a pattern of names."""

    name: str
    reason: str
    source: str


class Truncated(_Part, kw_only=True):
    """How short the tags of MACs may be cut, by a pattern of names."""

    names: str
    least_bytes: int
    least_share: float = 0.0
    """Of the whole tag."""
    source: str


class Words(_Part, kw_only=True):
    """How the names of a peer's suites are put together from words."""

    separators: str = "-;"
    ignored: list[str] = []
    """Regular expressions of words that say nothing of the suite, as key exchange groups."""


class Use(_Part, kw_only=True):
    """What cryptography is used for."""

    name: str
    title: str
    protocol: str | None = None
    """Of the suites, as before the colon of their names; none for plain algorithms."""
    kinds: list[contract.Kind] = []
    """Of the plain algorithms that serve."""
    suites: list[str] = []
    """Those that are put together from their parts where a run has no suites."""
    profile: str | None = None
    bytes: int | None = None
    """The traffic unless told: a profile, or messages of one size."""
    payload: str
    """What is carried, in words that everybody knows."""
    measured_by: str
    """The command that measures what is needed."""
    aad_bytes: int = 0
    """What is authenticated with each message beside it, at most."""
    strength_bits: int = 128
    """Least strength unless told."""
    confidentiality_only: str = ""
    """Why there is no integrity, where suites need not have any."""
    library: str | None = None
    """The provider whose code the tools take, whatever is the fastest."""
    runs_in: str = ""
    """Whose code does the work, where it is no library that can be measured here."""
    left_out: str = ""
    """What the figures leave out, where that is not the usual (`left_out.USUALLY`)."""
    no_choice: str = ""
    """Said where there is one suite only."""
    elsewhere: str | None = None
    """The suite of another protocol that is shown beside, where there is no choice."""
    must_not: list[str] = []
    """Algorithms that the protocol's standard forbids, but that peers still ask for."""
    asked_about: list[str] = []
    """Weak functions that people ask about here; their facts stand in `algorithms/`."""
    notes: list[str] = []
    parts: dict[str, str] = {}
    """Algorithms that the protocol has another name for."""
    keywords: dict[str, str] = {}
    """What peers call parts of suites, beside the names that tools have."""
    groups: dict[str, int] = {}
    """Words for key exchange groups, with their numbers in the protocol; the first is printed."""
    words: Words = msgspec.field(default_factory=Words)
    tools: list[Tool] = []
    spellings: list[Spelling] = []
    unmeasured: list[Unmeasured] = []
    excluded: list[Excluded] = []
    truncated: list[Truncated] = []
    sources: Sources


class Bound(_Part, kw_only=True):
    """The chance of a made-up message to pass, of some algorithms."""

    names: list[str]
    """Patterns; the first bound that fits counts."""
    formula: str
    """One of `facts.py`."""
    in_words: str
    source: str


class _Bounds(_Part, kw_only=True):
    bounds: list[Bound]


def read(path: Path) -> Use:
    """Reads a use. Raises `UsageError`."""
    return toml_file.read_as(path, "the use", Use, name=path.stem)


USES = Catalogue(FOLDER, "use", read, aliases=(("wireguard-like", "wireguard"),))


@cache
def measured_by_parts() -> dict[str, str]:
    """Returns the commands of the protocols whose suites are measured by their parts alone."""
    found = {use.protocol: use.measured_by for use in USES.all()}
    return {it: found[it] for it in found if it and found[it].startswith("ciphermark survey")}


@cache
def bounds() -> tuple[Bound, ...]:
    """The bounds on forgeries."""
    file = FOLDER / "bounds" / "forgery.toml"
    return tuple(toml_file.read_as(file, "the bounds", _Bounds).bounds)


def suite_parts(suite: str) -> tuple[str | None, str, str | None]:
    """Protocol, cipher and integrity of a name: `esp`, `aes-128-cbc`, `hmac-sha1-96`."""
    protocol, colon, rest = suite.rpartition(":")
    cipher, plus, integrity = rest.partition("+")
    return (protocol if colon else None), cipher, (integrity if plus else None)


class Traffic(msgspec.Struct, frozen=True):
    """Message sizes with their shares, which sum up to 1."""

    name: str
    """`IMIX packets`, `16 KiB messages`, as it is said in a sentence."""
    typed: str
    """As an option has it: `--profile imix`."""
    sizes: tuple[tuple[int, float], ...]
    mix: Profile
    """Returns them with every length of a range."""

    @property
    def mean_bytes(self) -> float:
        return sum(size * share for size, share in self.sizes)

    @property
    def largest_bytes(self) -> int:
        return max(size for size, _ in self.sizes)


_LENGTHS_OF_A_RANGE = 64
"""Of messages of all lengths between two: costs go up in steps of blocks, and 64 lengths over a
packet's range meet all of them."""


def traffic(use: Use, profile: str | None, sizes: str | None) -> Traffic:
    """The traffic of a use, or what the options say instead. Raises `UsageError`."""
    from ciphermark.plan import quantities

    if profile is not None and sizes is not None:
        raise UsageError("--profile and --sizes exclude each other: write one of them")
    if sizes is not None or (profile is None and use.profile is None):
        size = use.bytes if sizes is None else quantities.size(sizes)
        if not size:
            raise UsageError("messages of 0 bytes carry nothing: write for example --sizes 1420")
        mix = Profile(str(size), "", (Part(bytes=size, weight=1),))
        return Traffic(f"{_size(size)} messages", f"--sizes {size}", ((size, 1.0),), mix)
    found = profiles.from_option(profile or use.profile or "")
    if len(found) > 1:
        raise UsageError(f"--profile {profile}: advice is for one mix at a time")
    return _of_profile(found[0], profile or use.profile or "")


def row_profile(use: Use, profile: str | None, sizes: str | None) -> str | None:
    """What rows of that traffic are called; None of sizes, and of a user's own file, which may have
    the name of another."""
    name = None if sizes is not None else profile or use.profile
    return None if name is None or name not in profiles.PROFILES.files() else name


def _size(size_bytes: int) -> str:
    return f"{size_bytes // 1024} KiB" if size_bytes % 1024 == 0 else f"{size_bytes} B"


def _of_profile(profile: Profile, typed: str) -> Traffic:
    weight = sum(part.weight for part in profile.parts)
    sizes: dict[int, float] = {}
    for part in profile.parts:
        low, high = part.ends
        lengths = part.lengths(min(_LENGTHS_OF_A_RANGE, high - low + 1))
        for length in lengths:
            sizes[length] = sizes.get(length, 0.0) + part.weight / weight / len(lengths)
    name = profile.name.upper() if len(profile.name) <= 4 else profile.name
    shares = tuple(sorted(sizes.items()))
    found = Traffic(f"{name} packets", f"--profile {typed}", shares, profile)
    if not found.mean_bytes:
        raise UsageError(f"the profile {typed} has empty messages only, which carry nothing")
    return found


By = Literal["throughput", "cpu", "latency", "energy"]

TAG = re.compile(r"(\d{1,3})([+-]?)")


class TagWish(msgspec.Struct, frozen=True):
    """Bytes of a tag: exactly so many, at least (`+`) or at most (`-`)."""

    bytes: int
    sense: Literal["", "+", "-"] = ""

    def fits(self, tag_bytes: int) -> bool:
        if self.sense == "+":
            return tag_bytes >= self.bytes
        return tag_bytes <= self.bytes if self.sense == "-" else tag_bytes == self.bytes

    def __str__(self) -> str:
        before = {"": "", "+": "at least ", "-": "at most "}[self.sense]
        return f"{before}{self.bytes} bytes"


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What a suite has to be."""

    strength_bits: int = 128
    tag: TagWish | None = None
    fips: bool = False
    allow_legacy: bool = False
    memory_bytes: int | None = None
    """For context and stack."""
    code_bytes: int | None = None
    """For code and tables."""
    needs_integrity: bool = True


def tag_wish(text: str | None) -> TagWish | None:
    """Reads `--tag`: `16`, `12+`, `8-`. Raises `UsageError`."""
    if text is None:
        return None
    match = TAG.fullmatch(text.strip())
    if match is None or int(match[1]) > 64:
        raise UsageError(
            f"--tag {text!r} is not a length of tags: write bytes, as 16, or 12+ for at least "
            "12, or 8- for at most 8"
        )
    senses: dict[str, Literal["", "+", "-"]] = {"": "", "+": "+", "-": "-"}
    return TagWish(int(match[1]), senses[match[2]])


def compliance(text: str | None, allow_legacy: bool) -> tuple[bool, bool]:
    """Whether only what FIPS approves counts, and whether legacy counts. Raises `UsageError`."""

    known = {"fips": "fips", "no-legacy": "no-legacy"}
    found = [
        names.find(it, known, "compliance", "fips, no-legacy") for it in names.split(text or "")
    ]
    if "no-legacy" in found and allow_legacy:
        raise UsageError("--compliance no-legacy and --allow-legacy contradict: leave one out")
    return "fips" in found, allow_legacy


MOST_NAMED = 3
"""Suites in a list: what is advised and two to fall back to."""


class Setting(msgspec.Struct, kw_only=True):
    """One line for one tool."""

    tool: str
    title: str
    where: str
    line: str
    note: str
    sources: list[str]


def settings(
    use: Use,
    chosen: str,
    fallbacks: Sequence[str] = (),
    groups: Sequence[int] | None = None,
    words: Mapping[str, str] | None = None,
) -> list[Setting]:
    """Returns the lines for each tool that has the suite.

    Where a tool takes a list, the best of the fallbacks follow, so that peers without the first
    find another. `groups` are a peer's key exchange groups, `words` its names of parts.
    """
    found = []
    listed: dict[str, list[str]] = {}
    for tool in use.tools:
        suites = listed.get(tool.beside or "")
        if suites is None:
            suites = listed[tool.name] = _listed(use, tool, [chosen, *fallbacks])
        ending = _groups(use, tool, groups)
        names = _names(tool, suites, words if tool.as_typed else None)
        if not names or ending is None:
            continue
        name = (tool.separator or "").join(names) + ending
        found += [
            Setting(
                tool=tool.name,
                title=tool.title,
                where=tool.where,
                line=tool.line.replace("{name}", part),
                note=tool.note,
                sources=tool.sources,
            )
            for part in name.split(" | ")
        ]
    return found


def _listed(use: Use, tool: Tool, suites: Sequence[str]) -> list[str]:
    """Returns the suites that a line names: the first, and fallbacks with the same lines beside."""
    if not _names(tool, suites[:1]):
        return []
    beside = [it for it in use.tools if it.beside == tool.name and it.separator is None]
    found = [suites[0]]
    for suite in suites[1:] if tool.separator else ():
        more = [*found, suite]
        if len(_names(tool, more)) <= MOST_NAMED and all(
            len(_names(other, more)) <= 1 for other in beside
        ):
            found = more
    return found


def _names(tool: Tool, suites: Sequence[str], words: Mapping[str, str] | None = None) -> list[str]:
    """Returns the tool's different names for suites, with the peer's words in their place."""
    found = (_called(tool, it, words or {}) for it in suites)
    return list(dict.fromkeys(filter(None, found)))


def _groups(use: Use, tool: Tool, numbers: Sequence[int] | None) -> str | None:
    """Returns the ending of a name with key exchange groups; None if the tool has none of them.

    `numbers` are the peer's, in its order; None without a peer.
    """
    form = tool.groups
    if form is None:
        return ""
    if numbers is None:
        numbers = [] if form.usual is None else [form.usual]
    known = [it for it in numbers if it in form.numbers]
    if numbers and not known:
        return None
    words = {number: word for word, number in reversed(use.groups.items())}
    return "".join(
        (form.further if place else form.first).format(word=words[number], number=number)
        for place, number in enumerate(known)
    )


def _called(tool: Tool, suite: str, words: Mapping[str, str]) -> str | None:
    """Returns a tool's name for a suite: for it as a whole, or its parts with a dash between."""
    if suite in tool.suites:
        return tool.suites[suite]
    _, cipher, integrity = suite_parts(suite)
    parts = []
    if tool.ciphers:
        parts.append(words.get(cipher) or tool.ciphers.get(cipher))
    if tool.integrity and (integrity is not None or not tool.ciphers):
        integrity = integrity or ""
        parts.append(words.get(integrity) or tool.integrity.get(integrity))
    called = complete(parts)
    return "-".join(called) if called else None
