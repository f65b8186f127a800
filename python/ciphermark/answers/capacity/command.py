"""`ciphermark capacity`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import JsonOption, RunsOption

if TYPE_CHECKING:
    from ciphermark.answers.capacity.answer import Answer, Known, Question, Unanswered
    from ciphermark.plan.profile import Profile
    from ciphermark.record.store import Store

SMALLEST_MTU_BYTES = 68
"""Of IPv4: RFC 791, 3.2."""

SuiteOption = Annotated[
    str | None,
    typer.Option(
        "--suite",
        metavar="LIST",
        help="Suites (esp:aes-128-gcm) or plain algorithms, by name or pattern (`esp:*`); all that "
        "the newest run has.",
    ),
]
MixOption = Annotated[
    str,
    typer.Option(
        "--profile",
        metavar="LIST",
        help="Traffic: names (ciphermark list profiles), files (TOML or CSV), or a genome of RFC "
        "6985 (imix:aaaaabbd).",
    ),
]
TunnelsOption = Annotated[
    str | None,
    typer.Option("--tunnels", metavar="N", help="Tunnels or sessions; each has one core at most."),
]
CoresOption = Annotated[
    str, typer.Option("--cores", metavar="N|all", help="CPUs that do this work.")
]
KeepFreeOption = Annotated[
    str | None,
    typer.Option("--keep-free", metavar="SHARE", help="CPU share that is left to others: 20%."),
]
RateOption = Annotated[
    str | None,
    typer.Option(
        "--rate",
        metavar="RATE",
        help="Payload of each tunnel: what CPU it takes, and how many hold it: 100M, 1Gbit/s, "
        "100MB/s.",
    ),
]
LinkOption = Annotated[
    str | None, typer.Option("--link", metavar="RATE", help="The link's own rate: 1G, 10Gbit/s.")
]
BothWaysOption = Annotated[
    bool, typer.Option("--both-ways", help="As much comes in as goes out; rates are each way.")
]
RunOption = Annotated[
    str | None,
    typer.Option(
        "--run", metavar="RUN", help="Answer from this run; else the newest of this machine."
    ),
]
OnOption = Annotated[
    str | None,
    typer.Option(
        "--on",
        metavar="MACHINE",
        help="Another machine with stored runs, a processor that models know, or a clock: "
        "here@2.4GHz.",
    ),
]
MtuOption = Annotated[
    str | None, typer.Option("--mtu", metavar="BYTES", help="Of the link, for IP packets; 1500.")
]
PeakOption = Annotated[
    str | None,
    typer.Option(
        "--peak", metavar="RATE", help="Peak rate of a bursty tunnel: delay, loss, buffer."
    ),
]
BufferOption = Annotated[
    str | None,
    typer.Option("--buffer", metavar="BYTES", help="Buffer of a tunnel: what bursts lose with it."),
]


def capacity(
    suite: SuiteOption = None,
    profile: MixOption = "imix",
    tunnels: TunnelsOption = None,
    cores: CoresOption = "1",
    keep_free: KeepFreeOption = None,
    rate: RateOption = None,
    link: LinkOption = None,
    both_ways: BothWaysOption = False,
    run: RunOption = None,
    on: OnOption = None,
    mtu: MtuOption = None,
    peak: PeakOption = None,
    buffer: BufferOption = None,
    json: JsonOption = False,
    runs: RunsOption = None,
) -> None:
    """How much traffic this machine protects: Gbit/s, packets, tunnels, CPU, keys.

    From stored runs, at once, with intervals. `ciphermark capacity --suite esp:aes-128-gcm --link
    1G --both-ways` says whether a link is filled; `--rate 100M --cores all` how many tunnels hold
    100 Mbit/s each. Exit code 1 when a suite that was named has no figures.
    """
    import msgspec

    from ciphermark.answers.capacity import sources as capacity_runs
    from ciphermark.answers.capacity.answer import Unanswered, answer
    from ciphermark.plan import profiles
    from ciphermark.record.store import Store

    mixes = profiles.from_option(profile)
    store = Store.default(runs)
    question = _question(mixes[0], tunnels, keep_free, rate, link, both_ways, mtu, peak, buffer)
    _check(question, mixes, run, on)
    wanted = capacity_runs.wanted(suite)
    questions = [msgspec.structs.replace(question, profile=mix) for mix in mixes]
    known = _known(store, wanted, questions, run, on, runs)
    for it in (question, *questions):
        it.cores = capacity_runs.cpus_of(known, cores)
    names = capacity_runs.names_of(wanted, known)
    found = [answer(name, it, known) for it in questions for name in names]
    if json:
        _print_json(question, known, found)
    else:
        from ciphermark.answers.capacity.show import print_capacity
        from ciphermark.show.terminal import output_console

        print_capacity(output_console(), question, known, found)
    if any(isinstance(it, Unanswered) for it in found):
        raise typer.Exit(1)


def _question(
    profile: Profile,
    tunnels: str | None,
    keep_free: str | None,
    rate: str | None,
    link: str | None,
    both_ways: bool,
    mtu: str | None,
    peak: str | None,
    buffer: str | None,
) -> Question:
    """Options as they are typed. Raises `UsageError`."""
    from ciphermark.answers.capacity.answer import Question
    from ciphermark.answers.capacity.framing import DEFAULT_MTU_BYTES
    from ciphermark.plan import quantities
    from ciphermark.plan.rates import bits_per_second

    def rate_of(text: str | None, option: str) -> float | None:
        return None if text is None else bits_per_second(text, option)

    return Question(
        profile=profile,
        cores=1,
        tunnels=None if tunnels is None else quantities.whole(tunnels, "--tunnels", 1, 10**7),
        keep_free=0.0 if keep_free is None else quantities.part(keep_free, "--keep-free"),
        rate_bits_per_second=rate_of(rate, "--rate"),
        link_bits_per_second=rate_of(link, "--link"),
        both_ways=both_ways,
        mtu_bytes=DEFAULT_MTU_BYTES
        if mtu is None
        else quantities.whole(mtu, "--mtu", SMALLEST_MTU_BYTES, 65_535),
        peak_bits_per_second=rate_of(peak, "--peak"),
        buffer_bytes=None if buffer is None else quantities.memory(buffer, "--buffer"),
    )


def _check(question: Question, mixes: Sequence[Profile], run: str | None, on: str | None) -> None:
    """What contradicts itself. Raises `UsageError`."""
    from ciphermark.errors import UsageError

    if run is not None and on is not None:
        raise UsageError("--run and --on exclude each other: give one of them")
    without = [it.name for it in mixes if it.bursts is None]
    if question.asks_of_bursts and without:
        raise UsageError(
            f"the profile {without[0]} says nothing of bursts: take one that does, such as voip or "
            "web-bursts, or add a table [bursts] to a file of your own"
        )


def _known(
    store: Store,
    wanted: Sequence[str],
    questions: Sequence[Question],
    run: str | None,
    on: str | None,
    runs: str | None,
) -> Known:
    from ciphermark.answers.capacity import sources as capacity_runs

    if on is None:
        return capacity_runs.known(store, wanted, questions, run)
    from ciphermark.answers.capacity.sources import known_on

    return known_on(store, wanted, questions, on, runs)


def _print_json(question: Question, known: Known, found: Sequence[Answer | Unanswered]) -> None:
    from ciphermark.answers.capacity.answer import Unanswered
    from ciphermark.command.output import print_json

    print_json(
        {
            "machine": known.machine,
            "runs": [it.name for it in known.sources],
            "question": question,
            "answers": [it for it in found if not isinstance(it, Unanswered)],
            "unanswered": [it for it in found if isinstance(it, Unanswered)],
        }
    )
