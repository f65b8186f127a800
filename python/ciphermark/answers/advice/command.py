"""`ciphermark advise`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import (
    EngineOption,
    Help,
    JsonOption,
    RunsOption,
    TunnelLoadOptions,
    flag,
    option,
)
from ciphermark.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ciphermark import contract
    from ciphermark.answers.advice.facts import Known
    from ciphermark.answers.advice.ranking import Question
    from ciphermark.answers.advice.uses import Traffic, Use, Wishes
    from ciphermark.answers.models.observations import Footprint
    from ciphermark.answers.protocols.nodes import Node
    from ciphermark.command.additions import ReportPart
    from ciphermark.record.run import Run
    from ciphermark.record.store import Store
    from ciphermark.workloads.single.row import Row


@dataclass
class AdviceOptions:
    """What is asked of advice, as it is typed."""

    use: Annotated[
        str,
        option(
            "USE",
            "The use: ipsec, tls, quic, wireguard, openvpn, ssh, disk, 3gpp, lorawan, srtp, "
            "macsec, mac-only, hash.",
            "--for",
        ),
    ]
    profile: Annotated[
        str | None,
        option(
            "NAME",
            "Mix of message sizes: imix, another name (ciphermark list profiles), or a file "
            "(TOML). Default: the usual one of the use.",
        ),
    ] = None
    sizes: Annotated[
        str | None, option("BYTES", "Messages of one size instead of a mix: 1420, 16K.")
    ] = None
    strength: Annotated[
        str | None,
        option("BITS", "Least strength in bits: 128, 192, 256.  [default: 128; for disks 256]"),
    ] = None
    tag: Annotated[
        str | None,
        option("BYTES", "Length of the tag in bytes: 16; 12+ for at least 12, 8- for at most 8."),
    ] = None
    compliance: Annotated[
        str | None, option("LIST", "Only approved functions: fips, no-legacy.")
    ] = None
    allow_legacy: Annotated[bool, flag("Also consider functions that are only for old peers.")] = (
        False
    )
    memory: Annotated[
        str | None, option("BYTES", "Most bytes of context and stack, where they are known.")
    ] = None
    code: Annotated[
        str | None, option("BYTES", "Most bytes of code and tables, where they are known.")
    ] = None
    by: Annotated[str, option("WHAT", "What to optimise: throughput, cpu, latency or energy.")] = (
        "throughput"
    )
    cores: Annotated[str, option("N|all", "CPUs that share the work evenly.")] = "1"
    peer_supports: Annotated[
        str | None,
        option(
            "LIST",
            "Suites that the other side offers, in the names of any tool: aes128-sha1,3des-md5.",
        ),
    ] = None
    messages_per_second: Annotated[
        str | None,
        option(
            "N",
            "Forged messages that an attacker sends per second. Default: the rate of the traffic.",
        ),
    ] = None
    attempts: Annotated[
        str | None, option("N", "Forged messages in all, before an operator notices.")
    ] = None
    watts: Annotated[str | None, option("W", "Power of one busy core, in watts.")] = None
    node: Annotated[
        str | None,
        option(
            "NAME|FILE",
            "Advise for this sensor node by runs of 'ciphermark simulate'; its power and radio "
            "count (ciphermark list nodes).",
        ),
    ] = None
    algorithms: Annotated[str | None, option("LIST", "Further algorithms to judge: tea,seal3.")] = (
        None
    )
    providers: Annotated[str | None, option("LIST", "Only these libraries: openssl.")] = None
    run: Annotated[
        str | None,
        option("RUN", "The run to answer from. Default: the newest runs of this machine."),
    ] = None
    on: Annotated[
        str | None,
        option(
            "MACHINE",
            "Another machine with stored runs, a processor that models know, or another clock: "
            "here@2.4GHz.",
        ),
    ] = None
    explain: Annotated[bool, flag("Also print the reasons and all figures.")] = False


def advise(
    asked: AdviceOptions,
    load: Annotated[
        TunnelLoadOptions,
        Help(suites="Only these suites, by name or pattern: esp:aes-128-gcm, 'esp:aes-*'."),
    ],
    json: JsonOption = False,
    runs: RunsOption = None,
    engine: EngineOption = None,
) -> None:
    """Say which suite to use here, how much it carries, and what to paste where.

    It answers from the newest stored runs of this machine. Weak suites are refused, with
    the source; suites of equal cost are called a tie. Exit code 1 when no measured suite fulfils
    all wishes.
    """
    from ciphermark.answers.advice import on_node, show, uses
    from ciphermark.answers.advice.advise import NothingMeasured
    from ciphermark.answers.advice.advise import advise as judged
    from ciphermark.answers.advice.document import document
    from ciphermark.answers.capacity import path, sources
    from ciphermark.answers.capacity.answer import rows_of
    from ciphermark.answers.capacity.path import TUNNELS
    from ciphermark.answers.models.sources import REPORT_BYTES
    from ciphermark.answers.protocols import nodes
    from ciphermark.command.output import print_answer
    from ciphermark.record.store import Store

    facts = sources.facts(engine)
    use = uses.USES.named(asked.use)
    node = None if asked.node is None else nodes.from_option(asked.node)
    if node is not None and asked.profile is None and asked.sizes is None:
        asked.sizes = str(REPORT_BYTES)
    traffic = uses.traffic(use, asked.profile, asked.sizes)
    question = _question(asked, load, use, traffic, _wishes(asked, use), node)
    store = Store.default(runs)
    machine, hz = sources.machine_and_clock(asked.on)
    wanted = sources.wanted(use, load.suites, facts)._replace(run=asked.run, on=machine)
    memory: Mapping[str, Footprint] = {}
    if node is not None:
        known, memory = on_node.known(store, asked.run, node, facts, question)
    else:
        known = sources.known(store, wanted, [question.scenario], facts, runs)
    if load.path_cost is not None:
        known.paths = path.told(load.path_cost)
    elif use.protocol in TUNNELS:
        known.paths = path.learned(store, known.machine.name)
    if hz is not None:
        known = sources.at_clock(known, hz)
    every = known.all_facts
    question = question._replace(
        known=known,
        cores=sources.cpus_of(known, asked.cores),
        more=_more(asked.algorithms, every),
        only=() if load.suites is None else _only(load.suites, use, every),
    )
    rows = _of_providers(rows_of(known, question.scenario), asked.providers)
    paths_of = [] if node is not None else _path_rows(store, known.machine.name)
    try:
        answer = judged(question, every, rows, paths_of, memory)
    except NothingMeasured:
        if asked.providers is not None:
            wanted = wanted.with_providers(asked.providers)
        raise sources.nothing(store, wanted) from None
    print_answer(
        json,
        lambda: document(answer, question),
        lambda: show.blocks(answer, question, explain=asked.explain),
    )
    if answer.recommendation is None:
        raise typer.Exit(1)


def _wishes(asked: AdviceOptions, use: Use) -> Wishes:
    """Reads the wishes. Raises `UsageError`."""
    from ciphermark.answers.advice.uses import Wishes, compliance, tag_wish
    from ciphermark.plan import quantities

    fips, legacy = compliance(asked.compliance, asked.allow_legacy)
    tag = tag_wish(asked.tag)

    def room(text: str | None, option: str) -> int | None:
        return None if text is None else quantities.memory(text, option)

    return Wishes(
        strength_bits=(
            use.strength_bits
            if asked.strength is None
            else quantities.whole(asked.strength, "--strength", 0, 512)
        ),
        tag=tag,
        fips=fips,
        allow_legacy=legacy,
        memory_bytes=room(asked.memory, "--memory"),
        code_bytes=room(asked.code, "--code"),
        needs_integrity=not use.confidentiality_only and use.kinds != ["hash"],
    )


def _question(
    asked: AdviceOptions,
    load: TunnelLoadOptions,
    use: Use,
    traffic: Traffic,
    wishes: Wishes,
    node: Node | None,
) -> Question:
    """Reads the options; the figures of runs come later. Raises `UsageError`."""
    from ciphermark.answers.advice.ranking import Load, Question
    from ciphermark.answers.advice.uses import By, row_profile
    from ciphermark.answers.capacity.answer import NOTHING
    from ciphermark.answers.protocols import protocols
    from ciphermark.plan import names, quantities

    rates_typed = {
        "--rate": load.rate,
        "--all-rate": load.all_rate,
        "--link": load.link,
    }
    typed = [option for option, text in rates_typed.items() if text is not None]
    if len(typed) > 1:
        raise UsageError(f"{' and '.join(typed)} say how much there is: write one of them")
    tunnels = quantities.whole(load.tunnels or "1", "--tunnels", 1, 10**7)
    by = names.name_of(By, "thing that matters", "--by")(asked.by)

    def bits_per_second(text: str | None, option: str) -> float | None:
        return None if text is None else quantities.bits_per_second(text, option)

    def number(text: str | None, option: str) -> float | None:
        return None if text is None else _number(text, option)

    rate = bits_per_second(load.all_rate, "--all-rate")
    if load.rate is not None:
        rate = tunnels * quantities.bits_per_second(load.rate, "--rate")
    watts = number(asked.watts, "--watts")
    if watts is None and node is not None:
        watts = node.supply_v * node.active_ma / 1000
    protocol = None if node is None else protocols.of_use(use.protocol)
    profile = row_profile(use, asked.profile, asked.sizes)
    return Question(
        use=use,
        load=Load(traffic, load.both_ways, by, profile, watts, node, protocol),
        wishes=wishes,
        known=NOTHING,
        tunnels=None if load.tunnels is None else tunnels,
        payload_bits_per_second=rate,
        link_bits_per_second=bits_per_second(load.link, "--link"),
        messages_per_second=number(asked.messages_per_second, "--messages-per-second"),
        attempts=number(asked.attempts, "--attempts"),
        peer=asked.peer_supports,
    )


def _of_providers(rows: list[Row], typed: str | None) -> list[Row]:
    """Returns the rows of the libraries listed. Raises `UsageError`."""
    from ciphermark.plan import names

    there = {row.provider: row.provider for row in rows}
    listing = ", ".join(there) or "nothing in this run"
    named = names.found_names(typed, there, "library in this run", listing)
    return rows if typed is None else [row for row in rows if row.provider in named]


def _path_rows(store: Store, machine: str) -> list[Row]:
    """Returns the rows of the newest run on a machine that looked at code paths."""
    from ciphermark.command.stored import Newest, stored_rows
    from ciphermark.workloads.single.code_paths import PLAN

    wanted = (PLAN, machine)
    looked = (it for it in store.summaries() if (it.plan_name, it.machine_name) == wanted)
    newest = Newest(store).first(looked)
    return [] if newest is None else stored_rows(store, newest, "single")


def _number(text: str, option: str) -> float:
    """Reads a number above 0, also as `1e6`, `10k`, `1M`, `1G`. Raises `UsageError`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?(?:e\d{1,2})?)\s*([kKMG]?)", text.strip())
    value = 0.0 if match is None else float(match[1]) * _THOUSANDS[match[2].upper()]
    if not 0 < value < 1e60:
        raise UsageError(f"{option} {text!r} is not a number above 0: write for example 1000 or 1M")
    return value


_THOUSANDS = {"": 1e0, "K": 1e3, "M": 1e6, "G": 1e9}


def _only(text: str, use: Use, known: Known) -> tuple[str, ...]:
    """Returns the suites of `--suites`; none where all are meant. Raises `UsageError`."""
    from ciphermark.plan import names

    if text.strip() == "all":
        return ()
    prefix = f"{use.protocol}:"
    there = dict.fromkeys([*use.suites, *(it for it in known if it.startswith(prefix))])
    if use.protocol is None:
        there = dict.fromkeys(known)
    typed = [_suite_name(it, use.protocol) for it in names.split(text)]
    if not typed:
        raise UsageError(f"--suites {text!r} names nothing: write for example 'esp:aes-*'")
    whole = {it: it for it in there}
    suites = names.found_names(typed, whole, f"suite for {use.title}", ", ".join(there))
    return tuple(dict.fromkeys(suites))


def _suite_name(typed: str, protocol: str | None) -> str:
    """Returns a name or pattern with its protocol: of `esp`, `aes-256-*` and `esp:aes-256-*`."""
    if protocol is None or ":" in typed:
        return typed
    return f"{protocol}:*" if typed == protocol else f"{protocol}:{typed}"


def _more(text: str | None, known: Known) -> tuple[str, ...]:
    from ciphermark.plan import names

    canonical = {alias: it.name for it in known.values() for alias in [it.name, *it.aliases]}
    return tuple(names.found_names(text, canonical, "algorithm", "ciphermark list algorithms"))


def report_part(
    run: Run, rows: list[Row], facts: Sequence[contract.Algorithm] | None, store: Store | None
) -> ReportPart:
    """Returns the page for decision makers, of runs with costs of packets."""
    from ciphermark.answers.advice import decision, decision_plot
    from ciphermark.answers.capacity import sources
    from ciphermark.command.additions import ReportPart

    context = run.context
    if not decision.is_decided_on(context):
        return ReportPart()
    # Advice needs the facts of more algorithms than a run has.
    every = sources.facts() if facts is None else {it.name: it for it in facts}
    decided = decision.decision(context, sources.of_run(context, rows, store, every))
    if not decided:
        return ReportPart()
    return ReportPart(before=[decision.blocks(decided), decision_plot.chart(context, rows)])


def library_of(suite: str) -> str | None:
    """Returns the library of the usual tools of a suite."""
    from ciphermark.answers.capacity.suite_costs import usual_library

    return usual_library(suite)


def use_of(protocol: str) -> str | None:
    """Returns the name of the use whose suites are of a protocol."""
    from ciphermark.answers.advice import left_out

    use_left_out = left_out.use_of(protocol)
    return None if use_left_out is None else use_left_out.name


def suites_of_peer(typed: str, protocol: str, facts: contract.Description) -> list[str]:
    """Returns the suites of a protocol in a peer's list that can be measured here.

    Those that no library has are named on standard error. Raises `UsageError` if that is all.
    """
    from ciphermark.answers.advice import peers
    from ciphermark.answers.advice.left_out import use_of
    from ciphermark.messages import say

    use = use_of(protocol)
    if use is None:
        raise UsageError(
            f"--peer-supports is a list for one protocol, which {protocol} is not: write beside it "
            "--suites openvpn, tls13 or another of ciphermark list suites"
        )
    known = {it.name: it for it in facts.algorithms}
    offered = peers.read(typed, use, known)
    in_common = [it for it in offered if it in known]
    missing = ", ".join(it for it in offered if it not in known)
    if not in_common:
        raise UsageError(f"no library here has {missing}: leave out --peer-supports {typed}")
    if missing:
        say(f"no library here has {missing}, which the peer offers")
    return in_common
