"""`ciphermark capacity`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import (
    EngineOption,
    Help,
    JsonOption,
    RunsOption,
    TunnelLoadOptions,
    option,
)

if TYPE_CHECKING:
    from ciphermark.answers.advice.uses import Use
    from ciphermark.answers.capacity.answer import Question
    from ciphermark.plan.profile import Profile

SMALLEST_MTU_BYTES = 68
"""Smallest MTU of IPv4: RFC 791, 3.2."""


@dataclass
class CapacityOptions:
    """What is asked of a machine's capacity, as it is typed."""

    use: Annotated[
        str | None,
        option(
            "USE",
            "The use, as in ciphermark advise: ipsec, tls, quic, wireguard, openvpn and "
            "others. Its protocol's suites answer.",
            "--for",
        ),
    ] = None
    profile: Annotated[
        str | None,
        option(
            "LIST",
            "Traffic: names (ciphermark list profiles), files (TOML or CSV), or a genome of RFC "
            "6985 (imix:aaaaabbd). Default: the usual one of the use, else imix.",
        ),
    ] = None
    providers: Annotated[str | None, option("LIST", "Only these libraries: openssl.")] = None
    cores: Annotated[str, option("N|all", "CPUs that do the cryptography.")] = "1"
    keep_free: Annotated[
        str | None, option("SHARE", "Share of each CPU to keep free for other work: 20%.")
    ] = None
    run: Annotated[
        str | None, option("RUN", "The run to answer from. Default: the newest of this machine.")
    ] = None
    on: Annotated[
        str | None,
        option(
            "MACHINE",
            "Another machine with stored runs, a processor that models know, or another clock: "
            "here@2.4GHz; with --run only a clock: @2.4GHz.",
        ),
    ] = None
    mtu: Annotated[
        str | None, option("BYTES", "MTU of the link for IP packets. Default: 1500.")
    ] = None
    peak: Annotated[
        str | None,
        option(
            "RATE", "Peak rate of a bursty tunnel: also prints delay, loss and the buffer needed."
        ),
    ] = None
    buffer: Annotated[
        str | None,
        option("BYTES", "Buffer of a tunnel: also prints the share of the bursts that it loses."),
    ] = None


def capacity(
    asked: CapacityOptions,
    load: Annotated[
        TunnelLoadOptions,
        Help(
            suites="Suites by name or pattern, protocols, or algorithms: esp:aes-128-gcm,tls13. "
            "Default: all of the newest run.",
            tunnels="Number of tunnels or sessions; each uses one core at most.",
        ),
    ],
    json: JsonOption = False,
    runs: RunsOption = None,
    engine: EngineOption = None,
) -> None:
    """Say how much traffic this machine protects: Gbit/s, packets, tunnels, CPU, keys.

    The answer comes at once from stored runs, with intervals. `ciphermark capacity --for ipsec
    --link 1G --both-ways` says whether a link is filled; `--all-rate 2G --tunnels 500` whether 500
    tunnels carry 2 Gbit/s together; `--rate 100M --cores all` how many tunnels of 100 Mbit/s fit.
    Exit code 1 when a suite that was named has no figures.
    """
    import msgspec

    from ciphermark.answers.advice import uses
    from ciphermark.answers.capacity import path, show, sources
    from ciphermark.answers.capacity.answer import Unanswered, answer
    from ciphermark.command.output import print_answer
    from ciphermark.plan import profiles
    from ciphermark.record.store import Store

    use = use_of(asked.use)
    if asked.profile is None and use is not None:
        mixes = [uses.traffic(use, None, None).mix]
    else:
        mixes = profiles.from_option(asked.profile or "imix")
    store = Store.default(runs)
    question = question_of(asked, load, mixes[0])
    _check(asked, question, mixes)
    facts = sources.facts(engine)
    machine, hz = sources.machine_and_clock(asked.on)
    wanted = sources.wanted(use, load.suites, facts)._replace(run=asked.run, on=machine)
    questions = [msgspec.structs.replace(question, profile=mix) for mix in mixes]
    known = sources.known(store, wanted, questions, facts, runs)
    if load.path_cost is not None:
        known.paths = path.told(load.path_cost)
    else:
        known.paths = path.learned(store, known.machine.name)
    if hz is not None:
        known = sources.at_clock(known, hz)
    for it in (question, *questions):
        it.cores = sources.cpus_of(known, asked.cores)
        if asked.providers is not None:
            it.providers = sources.providers_of(asked.providers, known)
    names = sources.names_of(wanted, known, question)
    if not names:
        raise sources.nothing(store, wanted)
    answers = [answer(name, it, known) for it in questions for name in names]
    unanswered = [it for it in answers if isinstance(it, Unanswered)]
    document = {
        "machine": known.machine,
        "runs": [it.name for it in known.sources],
        "question": question,
        "answers": [it for it in answers if not isinstance(it, Unanswered)],
        "unanswered": unanswered,
    }
    print_answer(json, lambda: document, lambda: show.blocks(question, known, answers))
    if unanswered:
        raise typer.Exit(1)


def question_of(asked: CapacityOptions, load: TunnelLoadOptions, profile: Profile) -> Question:
    """Reads the options; the cores come from the machine. Raises `UsageError`."""
    from ciphermark.answers.capacity.answer import Question
    from ciphermark.answers.capacity.framing import DEFAULT_MTU_BYTES
    from ciphermark.errors import UsageError
    from ciphermark.plan import names, quantities

    if load.rate is not None and load.all_rate is not None:
        raise UsageError(
            "--rate is of each tunnel and --all-rate of all together: write one of them"
        )

    def rate(text: str | None, option: str) -> float | None:
        return None if text is None else quantities.bits_per_second(text, option)

    def whole(text: str | None, option: str, least: int, most: int) -> int | None:
        return None if text is None else quantities.whole(text, option, least, most)

    free, buffer = asked.keep_free, asked.buffer
    tunnels = whole(load.tunnels, "--tunnels", 1, 10**7)
    all_rate = rate(load.all_rate, "--all-rate")
    each = rate(load.rate, "--rate")
    if all_rate is not None and tunnels is not None:
        each = all_rate / tunnels
    return Question(
        profile=profile,
        cores=1,
        providers=[] if asked.providers is None else names.split(asked.providers),
        tunnels=tunnels,
        keep_free=0.0 if free is None else quantities.part(free, "--keep-free"),
        rate_bits_per_second=each,
        all_rate_bits_per_second=all_rate,
        link_bits_per_second=rate(load.link, "--link"),
        both_ways=load.both_ways,
        mtu_bytes=whole(asked.mtu, "--mtu", SMALLEST_MTU_BYTES, 65_535) or DEFAULT_MTU_BYTES,
        peak_bits_per_second=rate(asked.peak, "--peak"),
        buffer_bytes=None if buffer is None else quantities.memory(buffer, "--buffer"),
    )


def use_of(use: str | None) -> Use | None:
    """Reads `--for`. Raises `UsageError` for a use without suites."""
    from ciphermark.answers.advice.uses import USES
    from ciphermark.errors import UsageError

    if use is None:
        return None
    known_use = USES.named(use)
    if known_use.protocol is None:
        raise UsageError(
            f"--for {use} has no suites of packets: name its algorithms with --suites, or ask "
            f"ciphermark advise --for {use}"
        )
    return known_use


def _check(asked: CapacityOptions, question: Question, mixes: Sequence[Profile]) -> None:
    """Raises `UsageError` for contradictions."""
    from ciphermark.errors import UsageError

    if asked.run is not None and asked.on is not None and not asked.on.startswith("@"):
        raise UsageError(
            "--run and --on exclude each other: give one of them, or a clock alone: --on @2.4GHz"
        )
    without = [it.name for it in mixes if it.bursts is None]
    if question.asks_of_bursts and without:
        raise UsageError(
            f"the profile {without[0]} says nothing of bursts: take one that does, such as voip or "
            "web-bursts, or add a table [bursts] to a file of your own"
        )
