"""What a peer supports: its names read, the best of them chosen, and what it costs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from ciphermark.answers.advice.candidates import Candidate, costs
from ciphermark.answers.advice.facts import Facts, Known, facts, part_of_tag
from ciphermark.answers.advice.ranking import Load, Ranked, cheapest, preference, ranking
from ciphermark.answers.advice.uses import Use, suite_parts
from ciphermark.errors import UsageError
from ciphermark.plan import names
from ciphermark.workloads.single.row import Row

_AEADS = ("-gcm", "-ccm", "chacha20-poly1305", "-ocb", "-gcm-siv")


class Offer(NamedTuple):
    """Suites of one proposal in a peer's list."""

    suites: list[str]
    groups: list[int] = []
    """Numbers of the key exchange groups beside them."""
    words: dict[str, str] = {}
    """Peer's own names of parts."""


class Peer(msgspec.Struct, kw_only=True):
    """What comes of a peer's list."""

    typed: str
    offers: list[Offer]
    offered: list[Facts]
    """The suites that it supports and of which something is known, best first."""
    ranked: list[Ranked]
    """Those of them with a figure: what fulfils all wishes first, then the better status."""
    unmeasured: list[Facts]
    """Those without."""
    chosen: Ranked | None
    """The best of them; None where none was measured that is not broken."""
    least_bad: Facts | None
    """Where none was: the best of those that are not broken."""
    weak: bool
    """Whether what is chosen would be refused without the peer."""
    alone: Ranked | None
    """What would be chosen without the peer."""
    times_the_cost: float | None = None

    def beside(self, suite: str) -> tuple[list[int], dict[str, str]]:
        """Returns the groups and the peer's words in all offers of a suite."""
        own = [it for it in self.offers if suite in it.suites]
        groups = dict.fromkeys(number for it in own for number in it.groups)
        return list(groups), {part: word for it in own for part, word in it.words.items()}


def read(text: str, use: Use, known: Known) -> list[str]:
    """Canonical names of the suites in a list, in any tool's spelling. Raises `UsageError`."""
    return list(dict.fromkeys(name for it in offers(text, use, known) for name in it.suites))


def offers(text: str, use: Use, known: Known) -> list[Offer]:
    """Returns the proposals of a list, in any tool's spelling. Raises `UsageError`."""
    found = [_read(it, use, known) for it in _items(text, use)]
    if not found:
        raise UsageError(
            "--peer-supports names nothing: write what the peer offers, as aes128-sha1,3des-md5"
        )
    return found


def judge(
    text: str,
    use: Use,
    known: Known,
    rows: Sequence[Row],
    good: Iterable[str],
    load: Load,
    alone: Ranked | None,
) -> Peer:
    """The best that both sides have. What fulfils all wishes comes first; else the better status,
    what the standard does not forbid, and then the cost."""
    everything = []
    offered_together = offers(text, use, known)
    for name in dict.fromkeys(name for it in offered_together for name in it.suites):
        it = facts(name, use, known)
        if it is None:
            raise UsageError(f"the peer supports {name}, of which nothing is known")
        everything.append(Candidate(_with_standing(it, use), tuple(costs(use, it, rows))))
    fine = set(good)
    ranked = ranking(everything, load)
    ranked.sort(key=lambda it: (it.facts.name not in fine, *_worth(it.facts)))
    usable = [it for it in ranked if it.facts.status != "broken"]
    chosen = _cheapest_of_the_best(usable, fine)
    measured = {it.facts.name for it in ranked}
    offered = sorted((it.facts for it in everything), key=preference)
    return Peer(
        typed=text,
        offers=offered_together,
        offered=offered,
        ranked=ranked,
        unmeasured=[it for it in offered if it.name not in measured],
        chosen=chosen,
        least_bad=None if chosen is not None else _least_bad(offered),
        weak=chosen is not None and chosen.facts.name not in fine,
        alone=alone,
        times_the_cost=(
            chosen.ns.value / alone.ns.value if chosen is not None and alone is not None else None
        ),
    )


def _least_bad(offered: Sequence[Facts]) -> Facts | None:
    usable = [it for it in offered if it.status != "broken"]
    return min(usable, key=lambda it: (*_worth(it), *preference(it)), default=None)


def _worth(it: Facts) -> tuple[int, bool]:
    return (-it.rank, it.forbidden)


def _cheapest_of_the_best(them: Sequence[Ranked], fine: set[str]) -> Ranked | None:
    """The first decides how good; of those as good the cheapest."""
    if not them:
        return None
    best = (them[0].facts.name in fine, _worth(them[0].facts))
    if best[0]:
        alike = [it for it in them if it.facts.name in fine]
    else:
        alike = [
            it for it in them if (False, _worth(it.facts)) == best and it.facts.name not in fine
        ]
    return cheapest(alike)


def _with_standing(it: Facts, use: Use) -> Facts:
    """The standard's word on a suite that is known from its parts only."""
    if it.standing or not any(part.name in use.must_not for part in it.parts):
        return it
    return msgspec.structs.replace(it, standing="MUST NOT")


def _items(text: str, use: Use) -> Iterator[str]:
    """Lists have commas, those of OpenSSL and OpenVPN colons; so have canonical names."""
    for item in filter(None, re.split(r"[,\s]+", text)):
        yield from (
            [item] if item.partition(":")[0] in _protocols(use) else filter(None, item.split(":"))
        )


def _protocols(use: Use) -> set[str]:
    return {it.partition(":")[0] for it in (f"{use.protocol}:", *use.suites) if ":" in it}


def _read(typed: str, use: Use, known: Known) -> Offer:
    for reader in (_canonical, _of_tools, _spelled):
        if (name := reader(typed, use, known)) is not None:
            return Offer([name])
    return _of_words(typed, use, known)


def _canonical(typed: str, use: Use, known: Known) -> str | None:
    for name in (typed.lower(), *(f"{it}:{typed.lower()}" for it in sorted(_protocols(use)))):
        if ":" in name and _is_suite(name, use, known):
            return name
    return None


def _is_suite(name: str, use: Use, known: Known) -> bool:
    """A suite that is listed or known, or whose parts are."""
    if name in use.suites or name in known:
        return True
    _, cipher, integrity = suite_parts(name)
    if integrity is None and not cipher.endswith(_AEADS):
        return False
    return facts(name, use, known) is not None


def _of_tools(typed: str, use: Use, known: Known) -> str | None:
    """What tools call whole suites, also one of several names for it."""
    for tool in use.tools:
        for name, text in tool.suites.items():
            if typed.lower() in (it.lower() for it in [text, *text.split(tool.separator or "\0")]):
                return name
    return None


def _spelled(typed: str, use: Use, known: Known) -> str | None:
    for it in use.spellings:
        if re.fullmatch(it.pattern, typed, re.IGNORECASE):
            return it.name
    return None


def _of_words(typed: str, use: Use, known: Known) -> Offer:
    """Reads a proposal of words for ciphers, integrity and groups; each cipher with each."""
    words = _dictionary(use, known)
    ignored = [re.compile(it, re.IGNORECASE) for it in use.words.ignored]
    ciphers: list[str] = []
    tags: list[str] = []
    groups: list[int] = []
    own: dict[str, str] = {}
    for word in re.split(f"[{re.escape(use.words.separators)}]", typed):
        if not word or any(it.fullmatch(word) for it in ignored):
            continue
        group = _group(word, use)
        if group is not None:
            groups.append(group)
            continue
        part = words.get(word.lower())
        if part is None:
            raise UsageError(_unknown(typed, word, words, use))
        if word.lower() in use.keywords:
            own[part] = word.lower()
        (tags if _is_tag(part, use, known) else ciphers).append(part)
    if not ciphers:
        raise UsageError(f"--peer-supports: {typed!r} names no cipher of {use.title}")
    suites = list(_combined(ciphers, tags, use, typed))
    return Offer(suites, list(dict.fromkeys(groups)), own)


def _group(word: str, use: Use) -> int | None:
    """Returns the number of a key exchange group: of `modp2048`, `MODP_2048`, `dh14`, `group14`."""
    name = word.lower().replace("_", "")
    numbered = re.fullmatch(r"(?:dh|group)(\d{1,2})", name)
    if numbered is not None:
        number = int(numbered[1])
        return number if number in use.groups.values() else None
    return use.groups.get(name)


def _combined(ciphers: Sequence[str], tags: Sequence[str], use: Use, typed: str) -> Iterator[str]:
    for cipher in ciphers:
        if cipher.endswith(_AEADS):
            yield f"{use.protocol}:{cipher}"
            continue
        if not tags:
            raise UsageError(
                f"--peer-supports: {typed!r} names no integrity function beside {cipher}: write "
                f"for example {typed}-sha1"
            )
        yield from (f"{use.protocol}:{cipher}+{tag}" for tag in tags)


def _dictionary(use: Use, known: Known) -> Mapping[str, str]:
    """Every word for a part of a suite, in lower case."""
    own = {word: part for it in use.suites for part in suite_parts(it)[1:] if (word := part)}
    found: dict[str, str] = {word: part for word, part in own.items() if part is not None}
    for tool in use.tools:
        for part, word in (*tool.ciphers.items(), *tool.integrity.items()):
            found[word.lower()] = part
    return found | {word.lower(): part for word, part in use.keywords.items()}


def _is_tag(part: str, use: Use, known: Known) -> bool:
    name, _ = part_of_tag(part, use, known)
    algorithm = known.get(name or "")
    if algorithm is not None:
        return algorithm.kind == "mac"
    return any(part in tool.integrity for tool in use.tools) or part.startswith("hmac-")


def _unknown(typed: str, word: str, words: Iterable[str], use: Use) -> str:
    what = f"cipher or MAC of {use.title} called"
    spelled = [it for tool in use.tools for it in tool.suites.values()]
    listing = ", ".join(sorted(words)) or ", ".join(spelled)
    sentence = names.unknown(word, [*words, *spelled], what, listing)
    return f"--peer-supports: {sentence}" + ("" if word == typed else f" (in {typed!r})")
