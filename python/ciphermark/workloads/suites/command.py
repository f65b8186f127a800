"""Command `ciphermark esp`: work of a tunnel on a packet, measured as a whole."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, NamedTuple, cast

from ciphermark.command.options import (
    BuildOptions,
    EnergyOption,
    EngineOptions,
    Help,
    LoadOptions,
    MannerOptions,
    OffloadOptions,
    Only,
    OutputOptions,
    PlanOptions,
    SamplingOptions,
    SelectionOptions,
    TunnelLoadOptions,
    flag,
    given,
    option,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ciphermark import contract
    from ciphermark.command.measuring import Answer, Kept
    from ciphermark.plan.build import Built
    from ciphermark.plan.planfile import PlanFile
    from ciphermark.plan.selection import Selection
    from ciphermark.run.engine import Engine
    from ciphermark.view.blocks import Block
    from ciphermark.workloads.single.row import Row

SpreadOption = Annotated[
    str | None,
    option(
        "HOW",
        "Spread the work over cores: packets (of one tunnel, order kept) or tunnels (one for each "
        "core).",
        "--spread",
    ),
]
PartsOption = Annotated[
    bool | None,
    flag(
        "Also measure cipher and MAC alone, and compare the sum with the suite. Default: with "
        "parts, except with --quick.",
        "--parts/--no-parts",
    ),
]

PeerOption = Annotated[
    str | None,
    option(
        "LIST",
        "Also measure the suites that the other side offers, in the names of any tool: "
        "aes128-sha256,3des-md5.",
    ),
]

SPREADS = ("none", "packets", "tunnels")


def esp(
    *,
    load: Annotated[
        TunnelLoadOptions,
        Only("suites", "tunnels"),
        Help(
            suites="Suites by name or pattern, or protocols: esp:aes-128-gcm,tls13; `all` for all.",
            tunnels="Also measure every suite with as many keys in use, one for each tunnel. "
            "Default: 1,000 for suites of ESP.",
        ),
    ],
    peer_supports: PeerOption = None,
    selected: Annotated[SelectionOptions, Only("providers", "operations", "sizes", "profile")],
    manners: Annotated[
        MannerOptions,
        Only("keys"),
        Help(
            keys="Number of tunnels that packets go round, each with a key of its own: "
            "1,1000,100000. Default: 1."
        ),
    ],
    spread: SpreadOption = None,
    parts: PartsOption = None,
    energy: EnergyOption = False,
    plan: Annotated[PlanOptions, Only("quick", "plan", "dry_run")],
    sampling: SamplingOptions,
    builds: Annotated[BuildOptions, Only("library")],
    output: Annotated[OutputOptions, Only("json", "output", "runs")],
    engine: EngineOptions,
) -> None:
    """Measure the work of a tunnel on each packet: ESP, TLS 1.3, WireGuard and others.

    Padding, header, IV, cipher, integrity, look-up of the key and the checks of the receiving side
    are all inside the measured call; figures are per byte of the inner packet. By default each
    suite is measured in the library that sends and receives fastest together, and in that of its
    usual tools. With --spread one tunnel's packets, or many tunnels, are spread over 1, 2, … cores.
    Exit code 1 when a case has
    failed.
    """
    from ciphermark.command import measuring, on_machine
    from ciphermark.errors import UsageError
    from ciphermark.plan import selection
    from ciphermark.workloads.single.command import energies

    # Its operations are laid over the plan, whose further parts keep their own.
    of_all = replace(selected, operations=None)
    chosen = selection.from_options(**given(of_all, sampling, builds), manners=manners.read())
    asked = _asked(load, selected, manners, peer_supports)
    on_machine.refuse_files(engine.on, library=builds.library)
    name, file = _plan_file(plan)
    how = _spread(spread)
    if how != "none":
        if asked.tunnels is not None:
            raise UsageError(f"--spread {how} sets the number of tunnels: leave out --tunnels")
        binary = on_machine.engine_of(engine.engine, engine.on, output.runs, output.json)
        facts = binary.describe(chosen.libraries)
        file = _laid_over(file, asked, chosen, facts)
        budget, dry_run = SamplingOptions(budget=sampling.budget), PlanOptions(dry_run=plan.dry_run)
        _over_cores(how, file, binary, selected, (dry_run, budget, builds, output, engine))
        return
    with_parts = selected.profile is None and (not plan.quick if parts is None else parts)

    def built(binary: Engine) -> Built:
        return _built(binary, file, asked, chosen, with_parts)

    measuring.measure_command(
        name,
        built,
        partial(_answer, asked=asked),
        output,
        engine,
        dry_run=plan.dry_run,
        then=energies(energy),
    )


def _plan_file(plan: PlanOptions) -> tuple[str, PlanFile]:
    from ciphermark.errors import UsageError
    from ciphermark.plan import planfile

    if plan.quick and plan.plan is not None:
        raise UsageError("--quick and --plan exclude each other: give one of them")
    if plan.plan is not None:
        return plan.plan.stem, planfile.read(plan.plan, "single")
    return "esp", planfile.default("esp").at("quick" if plan.quick else "usual")


def _spread(text: str | None) -> str:
    from ciphermark.plan import names

    known = {it: it for it in SPREADS}
    return names.find(text or "none", known, "way to spread", ", ".join(SPREADS))


class _Asked(NamedTuple):
    """Suites, operations and keys that the user typed."""

    suites: str | None
    operations: str | None
    peer: str | None
    tunnels: int | None


def _asked(
    load: TunnelLoadOptions, selected: SelectionOptions, manners: MannerOptions, peer: str | None
) -> _Asked:
    """Reads the options. Raises `UsageError`."""
    from ciphermark.errors import UsageError
    from ciphermark.plan import quantities
    from ciphermark.plan.manner import MOST_KEYS

    if load.tunnels is None:
        return _Asked(load.suites, selected.operations, peer, None)
    if manners.keys is not None or selected.profile is not None:
        other = "--keys" if manners.keys is not None else "--profile"
        raise UsageError(f"{other} and --tunnels exclude each other: give one of them")
    tunnels = quantities.whole(load.tunnels, "--tunnels", 1, MOST_KEYS)
    return _Asked(load.suites, selected.operations, peer, tunnels)


def _built(
    engine: Engine,
    file: PlanFile,
    asked: _Asked,
    chosen: Selection,
    with_parts: bool,
) -> Built:
    """Returns the cases, each of the fastest library where none is named."""
    from ciphermark.plan import build
    from ciphermark.workloads import choosing

    facts = engine.describe(chosen.libraries)
    file = _laid_over(file, asked, chosen, facts)
    build.build(file, chosen, facts)  # what cannot be is refused before anything is measured
    # A tunnel sends and receives by one library.
    choosing.choose_fastest(engine, file, chosen, facts, at_all=True)
    if not chosen.chooses_implementations:
        file = _with_usual_libraries(file, chosen, facts)
    if with_parts:
        file = _with_parts(file, chosen, facts)
    return build.build(file, chosen, facts)


def _laid_over(
    file: PlanFile, asked: _Asked, chosen: Selection, facts: contract.Description
) -> PlanFile:
    """Returns the plan with the user's suites, operations, sizes and tunnels.

    Further parts of the plan keep their own, and are left out where the user chose any of these.
    """
    import msgspec

    from ciphermark.errors import UsageError
    from ciphermark.plan import names
    from ciphermark.workloads.suites.plan import check_operations, many_keys

    wanted = _wanted(file, asked, facts)
    if not wanted:
        raise UsageError("--suites names nothing: write a list such as esp:aes-128-gcm,tls13")
    operations = asked.operations
    own = names.operation_names(operations) if operations is not None else file.operations
    check_operations(own)
    also = file.also
    if asked.tunnels is not None:
        also = many_keys(file, wanted, own, chosen.sizes, asked.tunnels)
    elif asked.suites or asked.peer or chosen.sizes is not None or chosen.manners is not None:
        also = []
    sizes = chosen.sizes or file.sizes
    chosen.sizes = None
    return msgspec.structs.replace(file, algorithms=wanted, operations=own, sizes=sizes, also=also)


def _wanted(file: PlanFile, asked: _Asked, facts: contract.Description) -> list[str]:
    """Returns the suites of the user or plan, and those offered by the peer."""
    from ciphermark.command.additions import additions
    from ciphermark.workloads.suites.plan import suite_names

    wanted = suite_names(file.algorithms if asked.suites is None else asked.suites, facts)
    if asked.peer is None:
        return wanted
    protocol = _protocol(asked)
    if asked.suites is None:
        wanted = [it for it in wanted if it.startswith(f"{protocol}:")]
    return list(dict.fromkeys([*wanted, *additions.suites_of_peer(asked.peer, protocol, facts)]))


def _with_usual_libraries(
    file: PlanFile, chosen: Selection, facts: contract.Description
) -> PlanFile:
    """Returns the plan with each suite also in its tools' library if slower."""
    import msgspec

    from ciphermark.command.additions import additions
    from ciphermark.plan.planfile import Part

    there = {(it.algorithm, it.provider) for it in facts.implementations}
    slower: dict[str, list[str]] = {}
    for name in file.algorithms:
        library = additions.library_of(name)
        fastest = {chosen.fastest.get((name, operation)) for operation in file.operations}
        if library is not None and library not in fastest and (name, library) in there:
            slower.setdefault(library, []).append(name)
    also = [
        Part(
            algorithms=own,
            operations=file.operations,
            sizes=part.sizes,
            providers=[library],
            keys=part.keys,
        )
        for library, names in slower.items()
        for part in file.parts
        if (own := [name for name in names if name in part.algorithms])
    ]
    return msgspec.structs.replace(file, also=[*file.also, *also])


def _protocol(asked: _Asked) -> str:
    """Returns the protocol that a peer's list is of."""
    return (asked.suites or "esp").partition(",")[0].partition(":")[0].strip()


def _with_parts(file: PlanFile, chosen: Selection, facts: contract.Description) -> PlanFile:
    """Returns the plan with its suites' functions, in the library that does each."""
    import msgspec

    from ciphermark.workloads.suites.plan import parts, suites_of

    by_name = {suite.name: suite for suite in suites_of(facts)}
    made: list[tuple[contract.Algorithm, str | None]] = []
    for name in file.algorithms:
        fastest = {chosen.fastest.get((name, operation)) for operation in file.operations}
        providers = sorted(provider for provider in fastest if provider is not None)
        made += [(by_name[name], provider) for provider in providers] or [(by_name[name], None)]
    also = parts(made, file.operations, file.sizes, facts)
    return msgspec.structs.replace(file, also=[*file.also, *also])


def _over_cores(
    how: str,
    file: PlanFile,
    binary: Engine,
    selected: SelectionOptions,
    common: tuple[PlanOptions, SamplingOptions, BuildOptions, OutputOptions, EngineOptions],
) -> None:
    """Runs `packets` and `sessions` with these suites: on 1, 2, … all cores."""
    from ciphermark.run.here import here
    from ciphermark.workloads.packets import command as packets
    from ciphermark.workloads.packets.options import PacketOptions, QuestionOptions
    from ciphermark.workloads.sessions import command as sessions
    from ciphermark.workloads.sessions.options import CourseOptions, SessionOptions

    suites, operations = ",".join(file.algorithms), ",".join(file.operations)
    selected = replace(selected, algorithms=suites, operations=operations)
    if selected.sizes is None and selected.profile is None:
        selected.sizes = str(file.sizes[0])
    offload = OffloadOptions()
    if how == "packets":
        load, asked = LoadOptions(cores="each"), QuestionOptions()
        ordered = PacketOptions(keys="1", delivery="ordered")
        packets.packets(selected, ordered, load, offload, asked, *common)
        return
    # As many tunnels as cores, each on its own; all of them on all CPUs that there are.
    tunnels = ",".join(str(place + 1) for place in range(len(here(binary).cpus.allowed)))
    sessions.sessions(
        selected,
        MannerOptions(),
        SessionOptions(sessions=tunnels),
        LoadOptions(cpus=["all"]),
        offload,
        CourseOptions(),
        *common,
    )


def _answer(kept: Kept, asked: _Asked) -> Answer:
    """Returns a line for each suite, or of few suites all rows; then the conclusions."""
    import shlex

    from ciphermark.command import measuring
    from ciphermark.command.additions import additions
    from ciphermark.workloads.suites import overview
    from ciphermark.workloads.suites.parts import parts_figures

    context, rows = kept.run.context, cast("list[Row]", kept.rows)
    parts = parts_figures(context.algorithms, rows)
    is_long = overview.is_long(context, rows)

    def blocks() -> Iterator[Block]:
        yield from overview.blocks(context, rows) if is_long else measuring.row_blocks(kept)
        yield overview.conclusion(context, rows, parts)

    protocols = dict.fromkeys(it.suite.protocol for it in context.algorithms if it.suite)
    if asked.peer is not None:
        protocols = dict.fromkeys([_protocol(asked)])  # that of the peer's suites
    uses = filter(None, map(additions.use_of, protocols))
    tunnels = "" if asked.tunnels is None else f" --tunnels {asked.tunnels}"
    peer = "" if asked.peer is None else f" --peer-supports {shlex.quote(asked.peer)}"
    every = ("ciphermark show last", "every size, library, cost card and part")
    return measuring.Answer(
        blocks,
        {"parts": parts},
        [
            *([every] if is_long else []),
            (f"ciphermark capacity{tunnels}", "how much traffic that carries, and what limits it"),
            *(
                (f"ciphermark advise --for {it}{peer}{tunnels}", "which to use, and what to type")
                for it in uses
            ),
            ("ciphermark esp --spread packets", "the rate of one tunnel on more cores"),
            ("ciphermark esp --spread tunnels", "the rate of several tunnels on more cores"),
        ],
    )
