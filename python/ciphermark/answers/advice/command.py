"""`ciphermark advise`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ciphermark.command.options import EngineOption, JsonOption, RunsOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ciphermark import contract
    from ciphermark.answers.advice.advise import Question
    from ciphermark.answers.advice.uses import Traffic, Use, Wishes
    from ciphermark.command.additions import ReportPart
    from ciphermark.errors import UsageError
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.row import Row

ForOption = Annotated[
    str,
    typer.Option(
        "--for",
        metavar="USE",
        help="What it is for: ipsec, tls, quic, wireguard-like, openvpn, ssh, disk, 3gpp, lorawan, "
        "srtp, macsec, mac-only, hash.",
    ),
]
ProfileOption = Annotated[
    str | None,
    typer.Option(
        "--profile", metavar="NAME", help="The mix of message sizes: imix, or a file (TOML)."
    ),
]
SizesOption = Annotated[
    str | None,
    typer.Option("--sizes", metavar="BYTES", help="Messages of one size instead: 1420, 16K."),
]
RateOption = Annotated[
    str | None,
    typer.Option(
        "--rate",
        metavar="RATE",
        help="Payload per second in each direction: 1G, 200Mbit/s, 10MB/s.",
    ),
]
LinkOption = Annotated[
    str | None,
    typer.Option(
        "--link",
        metavar="RATE",
        help="The Ethernet line that is to be full, with the protocol's own bytes: 1G.",
    ),
]
BothOption = Annotated[
    bool, typer.Option("--both-ways", help="Traffic goes out and comes in at that rate.")
]
StrengthOption = Annotated[
    str, typer.Option("--strength", metavar="BITS", help="At least so strong: 128, 192, 256.")
]
TagOption = Annotated[
    str | None,
    typer.Option(
        "--tag", metavar="BYTES", help="Length of tags: 16; 12+ for at least, 8- for at most."
    ),
]
ComplianceOption = Annotated[
    str | None,
    typer.Option("--compliance", metavar="LIST", help="Only what is approved: fips, no-legacy."),
]
LegacyOption = Annotated[
    bool, typer.Option("--allow-legacy", help="Functions too that only old peers should get.")
]
MemoryOption = Annotated[
    str | None,
    typer.Option(
        "--memory", metavar="BYTES", help="Room for context and stack, where it is known."
    ),
]
CodeOption = Annotated[
    str | None,
    typer.Option("--code", metavar="BYTES", help="Room for code and tables, where it is known."),
]
ByOption = Annotated[
    str,
    typer.Option("--by", metavar="WHAT", help="What matters: throughput, cpu, latency or energy."),
]
CoresOption = Annotated[
    str, typer.Option("--cores", metavar="N|all", help="CPUs that share the work evenly.")
]
PeerOption = Annotated[
    str | None,
    typer.Option(
        "--peer-supports",
        metavar="LIST",
        help="What the other side offers, in any tool's names: aes128-sha1,3des-md5.",
    ),
]
MessagesOption = Annotated[
    str | None,
    typer.Option(
        "--messages-per-second",
        metavar="N",
        help="Made-up messages that an attacker can send; else as many as the rate holds.",
    ),
]
AttemptsOption = Annotated[
    str | None,
    typer.Option(
        "--attempts", metavar="N", help="Made-up messages in all, before somebody notices."
    ),
]
WattsOption = Annotated[
    str | None, typer.Option("--watts", metavar="W", help="Power of one core that is busy.")
]
NodeOption = Annotated[
    str | None,
    typer.Option(
        "--node",
        metavar="NAME|FILE",
        help="For this sensor node, by runs of 'ciphermark simulate'; its power and radio count.",
    ),
]
AlgorithmsOption = Annotated[
    str | None,
    typer.Option("--algorithms", metavar="LIST", help="Algorithms to judge besides: tea,seal3."),
]
LibrariesOption = Annotated[
    str | None,
    typer.Option("--providers", metavar="LIST", help="Only these libraries: openssl."),
]
RunOption = Annotated[
    str | None,
    typer.Option("--run", metavar="RUN", help="The run to go by; else the newest that serves."),
]
ExplainOption = Annotated[
    bool, typer.Option("--explain", help="Why, with all figures, and what would change it.")
]


def advise(
    use: ForOption,
    profile: ProfileOption = None,
    sizes: SizesOption = None,
    rate: RateOption = None,
    link: LinkOption = None,
    both_ways: BothOption = False,
    strength: StrengthOption = "128",
    tag: TagOption = None,
    compliance: ComplianceOption = None,
    allow_legacy: LegacyOption = False,
    memory: MemoryOption = None,
    code: CodeOption = None,
    by: ByOption = "throughput",
    cores: CoresOption = "1",
    peer_supports: PeerOption = None,
    messages_per_second: MessagesOption = None,
    attempts: AttemptsOption = None,
    watts: WattsOption = None,
    node: NodeOption = None,
    algorithms: AlgorithmsOption = None,
    providers: LibrariesOption = None,
    run: RunOption = None,
    explain: ExplainOption = False,
    json: JsonOption = False,
    runs: RunsOption = None,
    engine: EngineOption = None,
) -> None:
    """Say which suite to use here, how much it carries, and what to paste where.

    From the newest stored run with figures for the use. What is weak is refused, with the source;
    what costs the same is called a tie. Exit code 1 when nothing fulfils all wishes.
    """
    from ciphermark.answers.advice import basis as advise_data
    from ciphermark.answers.advice import uses as advice
    from ciphermark.answers.advice.advise import NothingMeasured
    from ciphermark.answers.advice.advise import advise as judged
    from ciphermark.answers.advice.uses import Wishes, tag_wish
    from ciphermark.answers.advice.uses import compliance as read_compliance
    from ciphermark.answers.protocols import nodes
    from ciphermark.plan import quantities
    from ciphermark.record.store import Store

    facts = advise_data.Facts(engine)
    found = advice.use(use)
    traffic = advice.traffic(found, profile, sizes)
    at = None if node is None else nodes.from_option(node)
    fips, legacy = read_compliance(compliance, allow_legacy)
    wished_tag = tag_wish(tag)
    wishes = Wishes(
        strength_bits=quantities.whole(strength, "--strength", 0, 512),
        tag=wished_tag,
        fips=fips,
        allow_legacy=legacy,
        memory_bytes=None if memory is None else quantities.memory(memory, "--memory"),
        code_bytes=None if code is None else quantities.memory(code, "--code"),
        needs_integrity=not found.confidentiality_only and found.kinds != ["hash"],
    )
    question = _question(
        found,
        traffic,
        wishes,
        advice.row_profile(found, profile, sizes),
        both_ways=both_ways,
        by=by,
        cores=cores,
        rate=rate,
        link=link,
        peer=peer_supports,
        messages=messages_per_second,
        attempts=attempts,
        watts=watts,
        node=at,
    )
    basis = advise_data.basis(Store.default(runs), run, found, facts, at)
    question = question._replace(
        more=_more(algorithms, basis.known), **advise_data.machine(basis.context)
    )
    if _is_all(cores):
        question = question._replace(cores=advise_data.all_cpus(basis.context))
    rows = _of_providers(basis.rows, providers)
    try:
        answer = judged(question, basis.known, rows, basis.path_rows, basis.rooms)
    except NothingMeasured as error:
        raise _not_in_the_run(found, basis.context.run, run, providers) or error from None
    if json:
        from ciphermark.answers.advice.document import document
        from ciphermark.command.output import print_json

        print_json(document(answer, question, basis.context))
    else:
        from ciphermark.answers.advice import show
        from ciphermark.show.terminal import output_console

        show.print_advice(output_console(), answer, question, basis.context, explain=explain)
    if answer.recommendation is None:
        raise typer.Exit(1)


def _question(
    use: Use, traffic: Traffic, wishes: Wishes, profile: str | None, **typed: Any
) -> Question:
    """The options, read. Raises `UsageError`."""
    from ciphermark.answers.advice.advise import Question
    from ciphermark.answers.advice.ranking import Load
    from ciphermark.answers.advice.uses import By
    from ciphermark.errors import UsageError
    from ciphermark.plan import lists, quantities, rates

    if typed["rate"] is not None and typed["link"] is not None:
        raise UsageError("--rate and --link are two ways to say the same: write one of them")
    by = lists.name_of(By, "thing that matters", "--by")(typed["by"])

    def bits_per_second(name: str) -> float | None:
        text = typed[name]
        return None if text is None else rates.bits_per_second(text, f"--{name}")

    def number(name: str, option: str) -> float | None:
        text = typed[name]
        return None if text is None else _number(text, option)

    return Question(
        use=use,
        load=Load(traffic, bool(typed["both_ways"]), by, profile, _power(typed), typed["node"]),
        wishes=wishes,
        cores=1
        if _is_all(typed["cores"])
        else quantities.whole(typed["cores"], "--cores", 1, 4096),
        payload_bits_per_second=bits_per_second("rate"),
        link_bits_per_second=bits_per_second("link"),
        messages_per_second=number("messages", "--messages-per-second"),
        attempts=number("attempts", "--attempts"),
        peer=typed["peer"],
        more=(),
        physical_cores=None,
        imported=False,
    )


def _cores(typed: str) -> int:
    """1 for now where all are meant, which the run tells. Raises `UsageError`."""
    from ciphermark.plan import quantities

    return 1 if _is_all(typed) else quantities.whole(typed, "--cores", 1, 4096)


def _is_all(cores: str) -> bool:
    return cores.strip().lower() == "all"


def _of_providers(rows: list[Row], typed: str | None) -> list[Row]:
    """The rows of the libraries listed. Raises `UsageError`."""
    from ciphermark.plan import naming

    there = {row.provider: row.provider for row in rows}
    listing = ", ".join(there) or "nothing in this run"
    named = naming.found_names(typed, there, "library in this run", listing)
    return rows if typed is None else [row for row in rows if row.provider in named]


def _not_in_the_run(
    use: Use, taken: str, run: str | None, providers: str | None
) -> UsageError | None:
    """Why the run that was taken has nothing, where an option is to blame."""
    from ciphermark.errors import UsageError

    if providers is not None:
        typed = f"{use.measured_by} --providers {providers}"
        return UsageError(
            f"run {taken} has no figure by {providers} for {use.title}: measure with '{typed}'"
        )
    if run is not None:
        return UsageError(
            f"run {taken} has no figure for {use.title}: leave out --run, or measure with "
            f"'{use.measured_by}'"
        )
    return None


def _power(typed: dict[str, Any]) -> float | None:
    """Watts of a core: as it is said, else of the node."""
    node = typed["node"]
    if typed["watts"] is not None:
        return _number(typed["watts"], "--watts")
    return None if node is None else node.supply_v * node.active_ma / 1000


def _number(text: str, option: str) -> float:
    """A number above 0, also as `1e6`, `10k`, `1M`, `1G`. Raises `UsageError`."""
    from ciphermark.errors import UsageError

    match = re.fullmatch(r"(\d+(?:\.\d+)?(?:e\d{1,2})?)\s*([kKMG]?)", text.strip())
    value = 0.0 if match is None else float(match[1]) * _THOUSANDS[match[2].upper()]
    if not 0 < value < 1e60:
        raise UsageError(f"{option} {text!r} is not a number above 0: write for example 1000 or 1M")
    return value


_THOUSANDS = {"": 1e0, "K": 1e3, "M": 1e6, "G": 1e9}


def _more(text: str | None, known: dict) -> tuple[str, ...]:
    from ciphermark.plan import naming

    names = {alias: it.name for it in known.values() for alias in [it.name, *it.aliases]}
    found = naming.found_names(text, names, "algorithm", "ciphermark list algorithms")
    return tuple(found)


def report_part(
    run: Run, rows: list[Row], facts: Sequence[contract.Algorithm] | None
) -> ReportPart:
    """The page for decision makers, of runs whose rows are costs of packets."""
    from ciphermark.answers.advice import decision_plot
    from ciphermark.answers.advice.basis import facts_for
    from ciphermark.answers.advice.decision import decision, decision_page, is_decided_on
    from ciphermark.command.additions import ReportPart

    context = run.context
    if not is_decided_on(context):
        return ReportPart({"decision": None}, [], "decision_plots")
    found = decision(context, rows, facts_for(context) if facts is None else facts)
    content = {"decision": found and decision_page(context, found)}
    return ReportPart(content, [decision_plot.PLOT], "decision_plots")
