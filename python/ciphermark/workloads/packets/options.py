"""The options of `ciphermark packets` that no other command has."""

from __future__ import annotations

from typing import Annotated

import typer

PacketsOption = Annotated[
    str | None,
    typer.Option("--packets", metavar="LIST", help="How many pass: 1000,64000; 64000."),
]
SetsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--cpus",
        metavar="SET",
        help="CPUs that process them: 0, 0-3, 0,2, physical, smt, all; repeatable for several "
        "sets.",
    ),
]
CoresOption = Annotated[
    str | None,
    typer.Option(
        "--cores",
        metavar="LIST",
        help="The first so many CPUs process: 1,2,all; each: from one to all.",
    ),
]
FlowsOption = Annotated[
    str | None,
    typer.Option("--keys", metavar="LIST", help="Flows, each with a key of its own: 1,1000; 16."),
]
CallOption = Annotated[
    str | None,
    typer.Option(
        "--lanes",
        metavar="LIST",
        help="Packets of one call, at most a batch; else as many as an implementation takes.",
    ),
]
BatchOption = Annotated[
    str | None,
    typer.Option(
        "--batch",
        metavar="LIST",
        help="Packets that are passed on together; 32, or those of one call.",
    ),
]
FlushOption = Annotated[
    str | None,
    typer.Option(
        "--flush",
        metavar="TIME",
        help="A batch is passed on so long after its first packet, full or not: 50us.",
    ),
]
QueueOption = Annotated[
    str | None,
    typer.Option("--queue", metavar="N", help="Batches that a queue holds, a power of two; 64."),
]
DeliveryOption = Annotated[
    str | None,
    typer.Option(
        "--delivery",
        metavar="LIST",
        help="In which order they are delivered: unordered, per-flow, ordered.",
    ),
]
ArchitectureOption = Annotated[
    str | None,
    typer.Option(
        "--architecture",
        metavar="LIST",
        help="Which CPU does what of two operations: run-to-completion, pinned-pipeline, "
        "free-pipeline.",
    ),
]
WaitingOption = Annotated[
    str | None,
    typer.Option(
        "--waiting", metavar="LIST", help="What a CPU without work does: poll, or block (sleep)."
    ),
]
KeySetupOption = Annotated[
    str | None,
    typer.Option(
        "--key-setup",
        metavar="LIST",
        help="How often a key schedule is made: cached (beforehand), per-batch, per-packet.",
    ),
]
PrioritiesOption = Annotated[
    str | None,
    typer.Option("--priorities", metavar="N", help="Priorities that flows have in turn, 1 to 8."),
]
GroupOption = Annotated[
    list[str] | None,
    typer.Option(
        "--group",
        metavar="SET",
        help="CPUs of a group of flows, which the others leave alone; repeatable, one for each.",
    ),
]
RateOption = Annotated[
    str | None,
    typer.Option(
        "--rate",
        metavar="LIST",
        help="Packets submitted per second, evenly; else as fast as there is room for them.",
    ),
]
InFlightOption = Annotated[
    str | None,
    typer.Option(
        "--in-flight",
        metavar="LIST",
        help="Batches that each CPU has at a device at once: 1,8; 1 waits for each.",
    ),
]
DurationOption = Annotated[
    str | None,
    typer.Option(
        "--duration", metavar="TIME", help="Time for the passes of each case; else its share."
    ),
]
BreakEvenOption = Annotated[
    bool,
    typer.Option(
        "--break-even",
        help="From which size on each device beats the CPU; with --rate or --p99 the fewest cores.",
    ),
]
WithinOption = Annotated[
    str | None,
    typer.Option(
        "--p99",
        metavar="TIME",
        help="With --break-even: the latency that 99 % of the packets shall stay within: 50us.",
    ),
]
TermsOption = Annotated[
    bool,
    typer.Option("--terms", help="What the cost of a packet is made of, each term measured."),
]
BreakdownOption = Annotated[
    bool,
    typer.Option(
        "--breakdown",
        help="Where our kernels spend their instructions, counted one by one; needs a C compiler.",
    ),
]
SweepOption = Annotated[
    bool,
    typer.Option("--sweep", help="Over packets, cores and batches: how it scales."),
]
QuickOption = Annotated[
    bool, typer.Option("--quick", help="A first look: wider intervals in less time.")
]
