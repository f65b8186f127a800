"""`ciphermark tunnel`: what real tunnels carry on this machine."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

from ciphermark.command.options import (
    EngineOption,
    Help,
    LoadOptions,
    Only,
    OutputOptions,
    PlanOptions,
    SelectionOptions,
    TunnelLoadOptions,
)
from ciphermark.workloads.tunnel.options import TunnelOptions

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.command.measuring import Answer, Kept
    from ciphermark.record.run import Run
    from ciphermark.record.store import Store
    from ciphermark.run.engine import Engine
    from ciphermark.run.interrupts import Interrupts
    from ciphermark.workloads.tunnel.plan import Planned

WORKLOAD = "tunnel"

_SENDS_SINCE = 10
"""Minor number of the contract's schema."""

_SUITES_S = 30.0
"""For measuring the suites by themselves."""


def tunnel(
    *,
    options: TunnelOptions,
    selected: Annotated[
        SelectionOptions,
        Only("sizes", "profile"),
        Help(
            sizes="IP packets of these sizes, in bytes: 64,576,1400.",
            profile="Mixes of packets: names (ciphermark list profiles), files or genomes. "
            "Default: imix.",
        ),
    ],
    load: Annotated[
        TunnelLoadOptions,
        Only("suites", "tunnels", "rate", "all_rate", "both_ways"),
        Help(
            suites="Suites by name or pattern: aes-128-gcm, 'openvpn:*'. Default: the usual "
            "ones of each kind.",
            tunnels="Tunnels side by side, each with a key of its own. Default: 1.",
            rate="Payload offered to each tunnel: 100M. Default: search the highest rate.",
            all_rate="Payload offered to all tunnels together: 2G.",
            both_ways="Send traffic in both directions at once.",
        ),
    ],
    timing: Annotated[
        LoadOptions,
        Only("duration"),
        Help(duration="Length of the trial in each of the seven rounds. Default: 0.5s."),
    ],
    plan: Annotated[
        PlanOptions,
        Only("quick", "dry_run"),
        Help(quick="One suite of each kind, shorter trials, no search for the rate without loss."),
    ],
    output: Annotated[OutputOptions, Only("json", "output", "runs")],
    engine: EngineOption = None,
) -> None:
    """Measure what real tunnels carry: OpenVPN, WireGuard, ESP and others, beside plain forwarding.

    Sender, two gateways and receiver are network namespaces of this machine. They are gone when
    the command ends, and nothing else of the machine is touched. This needs root, or a system that
    allows unprivileged namespaces. Kinds that are not installed are named, and the others run. Exit
    code 1 when a case has failed.
    """
    from ciphermark.command import measuring
    from ciphermark.record.store import Store
    from ciphermark.run.engine import Engine
    from ciphermark.workloads.tunnel import plan as planning

    if output.output is not None:
        from ciphermark.command.report import check_output

        check_output(output.output)
    planned = planning.plan(
        planning.load(
            tunnels=load.tunnels,
            streams=options.streams,
            both_ways=load.both_ways,
            rate=load.rate,
            all_rate=load.all_rate,
            duration=timing.duration,
            mtu=options.mtu,
            offloads=options.offloads,
            polite=options.polite,
            quick=plan.quick,
        ),
        kinds=options.kinds,
        suites=load.suites,
        sizes=selected.sizes,
        profile=selected.profile,
        traffic=options.traffic,
        quick=plan.quick,
    )
    if plan.dry_run:
        _list(planned, output.json)
        return
    binary = Engine(engine)
    store = Store.default(output.runs)
    kept = _measure_and_keep(binary, store, planned, output.json)
    measuring.conclude(kept, store, _answer, output)


def _answer(kept: Kept) -> Answer:
    from ciphermark.command.measuring import Answer, row_blocks

    return Answer(
        lambda: row_blocks(kept),
        {},
        [
            ("ciphermark capacity", "what this path carries with other suites and packets"),
            ("ciphermark report last", "from cryptography alone to what arrives, drawn"),
        ],
    )


def _list(planned: Planned, json: bool) -> None:
    if json:
        from ciphermark.command.output import print_json

        print_json({"cases": planned.cases, "expected_s": planned.expected_s})
        return
    from ciphermark.view.screen import show
    from ciphermark.view.terminal import output_console
    from ciphermark.workloads.tunnel.document import plan_blocks

    show(output_console(), plan_blocks(planned))


def _measure_and_keep(engine: Engine, store: Store, planned: Planned, json: bool) -> Kept:
    """Measures suites alone, sends packets through the tunnels, and stores the results.

    Results are stored also when it is interrupted.
    """
    from ciphermark.command.measuring import Kept, command_line
    from ciphermark.command.output import say
    from ciphermark.errors import Stopped
    from ciphermark.record.without_engine import Circumstances, tunnel_run
    from ciphermark.run.interrupts import Interrupts
    from ciphermark.view.terminal import message_console
    from ciphermark.workload import rows, rows_table
    from ciphermark.workloads.tunnel.measuring import TunnelProgress, measure, steps

    store.check_writable()
    description, environment = engine.describe(), engine.environment()
    _check_engine(description, engine)
    if not json:
        _print_header(description, environment, planned)
    began, began_unix_ns = time.monotonic(), time.time_ns()
    with Interrupts() as interrupts:
        also = _suites_alone(engine, planned, description, interrupts)
        with TunnelProgress(message_console(), len(planned.cases), steps(planned)) as progress:
            tunnels = measure(planned, engine.path, interrupts, progress.step, say)
        if not any(it.trials for it in tunnels) and interrupts.requested:
            raise Stopped("stopped before anything was measured; nothing was stored")
        run = tunnel_run(
            tunnels,
            Circumstances(
                description=description,
                environment=environment,
                algorithms=[],  # null ciphers are none, and suites are in the run beside it
                notes=planned.notes,
                command=command_line(),
                started_unix_ns=began_unix_ns,
                elapsed_s=time.monotonic() - began,
                interrupted=interrupts.requested,
            ),
            also,
        )
        analysed, also_rows = rows(run), [rows(it) for it in also]
        tables = [
            rows_table(own, it.context.workload) for it, own in zip(also, also_rows, strict=True)
        ]
        store.save(run, rows_table(analysed, WORKLOAD), tables)
    return Kept(run, analysed, None, also_rows)


def _check_engine(description: contract.Description, engine: Engine) -> None:
    """Refuses, as a `UsageError`, one from before there were senders in it."""
    from ciphermark.errors import UsageError

    if description.schema.minor < _SENDS_SINCE:
        raise UsageError(
            f"the engine {engine.path} is older than `ciphermark tunnel`, and has no sender: "
            "install ciphermark again (in its source tree: make survey, or pip install .)"
        )


def _print_header(
    description: contract.Description, environment: contract.Environment, planned: Planned
) -> None:
    from ciphermark import contract
    from ciphermark.run.doctor import examine, overall
    from ciphermark.view import frame
    from ciphermark.view.figures import counted
    from ciphermark.view.screen import show
    from ciphermark.view.terminal import output_console

    hello = contract.Hello(
        schema=description.schema,
        engine=description.engine,
        environment=environment,
        providers=description.providers,
        started_unix_ns=time.time_ns(),
    )
    line = (
        f"{counted(len(planned.groups), 'tunnel')}, {counted(len(planned.cases), 'case')}, about "
        f"{planned.expected_s:.0f} s"
    )
    console = output_console()
    show(console, [frame.header(hello, overall(examine(environment)).line, line)])
    console.print()


def _suites_alone(
    engine: Engine, planned: Planned, facts: contract.Description, interrupts: Interrupts
) -> list[Run]:
    """Returns runs of the suites alone, for the same packets and the programs' library.

    They are kept with this run. None where no program's library is measured.
    """
    from ciphermark.command.measuring import command_line
    from ciphermark.errors import UsageError, WorkError
    from ciphermark.messages import say
    from ciphermark.plan import build, planfile
    from ciphermark.plan.selection import Selection
    from ciphermark.record.recorder import Recorder
    from ciphermark.workloads.tunnel.plan import known_suites

    by_provider = known_suites(planned, facts)
    runs = []
    for provider, suites in by_provider.items():
        file = planfile.default("esp").at("quick")
        selection = Selection(
            algorithms=suites,
            providers=[provider],
            operations=["seal", "open"],
            profiles=planned.messages,
            budget_s=_SUITES_S,
        )
        try:
            built = build.build(file, selection, facts)
            recorder = Recorder(
                command_line(), "tunnel-suites", built.plan, built.algorithms, built.notes
            )
            for event in engine.measure(built.plan, interrupts, recorder.begun):
                recorder.feed(event)
            runs.append(recorder.finish(interrupts.requested))
        except (UsageError, WorkError) as error:
            say(f"the suites are not measured by themselves, and nothing is predicted: {error}")
    return runs
