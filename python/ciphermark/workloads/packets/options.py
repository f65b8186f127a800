"""The options of `ciphermark packets` that no other command has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass
class PacketOptions:
    """How packets come and go."""

    packets: Annotated[
        str | None,
        typer.Option("--packets", metavar="LIST", help="How many pass: 1000,64000; 64000."),
    ] = None
    keys: Annotated[
        str | None,
        typer.Option(
            "--keys", metavar="LIST", help="Flows, each with a key of its own: 1,1000; 16."
        ),
    ] = None
    lanes: Annotated[
        str | None,
        typer.Option(
            "--lanes",
            metavar="LIST",
            help="Packets of one call, at most a batch; else as many as an implementation takes.",
        ),
    ] = None
    batch: Annotated[
        str | None,
        typer.Option(
            "--batch",
            metavar="LIST",
            help="Packets that are passed on together; 32, or those of one call.",
        ),
    ] = None
    flush: Annotated[
        str | None,
        typer.Option(
            "--flush",
            metavar="TIME",
            help="A batch is passed on so long after its first packet, full or not: 50us.",
        ),
    ] = None
    queue: Annotated[
        str | None,
        typer.Option(
            "--queue", metavar="N", help="Batches that a queue holds, a power of two; 64."
        ),
    ] = None
    delivery: Annotated[
        str | None,
        typer.Option(
            "--delivery",
            metavar="LIST",
            help="In which order they are delivered: unordered, per-flow, ordered.",
        ),
    ] = None
    architecture: Annotated[
        str | None,
        typer.Option(
            "--architecture",
            metavar="LIST",
            help="Which CPU does what of two operations: run-to-completion, pinned-pipeline, "
            "free-pipeline.",
        ),
    ] = None
    waiting: Annotated[
        str | None,
        typer.Option(
            "--waiting",
            metavar="LIST",
            help="What a CPU without work does: poll, or block (sleep).",
        ),
    ] = None
    key_setup: Annotated[
        str | None,
        typer.Option(
            "--key-setup",
            metavar="LIST",
            help="How often a key schedule is made: cached (beforehand), per-batch, per-packet.",
        ),
    ] = None
    priorities: Annotated[
        str | None,
        typer.Option(
            "--priorities", metavar="N", help="Priorities that flows have in turn, 1 to 8."
        ),
    ] = None
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            metavar="LIST",
            help="How the kernel schedules the threads that process: other, batch, idle, "
            "round-robin (real-time).",
        ),
    ] = None
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            metavar="SET",
            help="CPUs of a group of flows, which the others leave alone; repeatable, one for "
            "each.",
        ),
    ] = None
    in_flight: Annotated[
        str | None,
        typer.Option(
            "--in-flight",
            metavar="LIST",
            help="Batches that each CPU has at a device at once: 1,8; 1 waits for each.",
        ),
    ] = None


@dataclass
class QuestionOptions:
    """What is asked of them."""

    sweep: Annotated[
        bool,
        typer.Option("--sweep", help="Over packets, cores and batches: how it scales."),
    ] = False
    break_even: Annotated[
        bool,
        typer.Option(
            "--break-even",
            help="From which size on each device beats the CPU; with --rate or --p99 the fewest "
            "cores.",
        ),
    ] = False
    terms: Annotated[
        bool,
        typer.Option("--terms", help="What the cost of a packet is made of, each term measured."),
    ] = False
    breakdown: Annotated[
        bool,
        typer.Option(
            "--breakdown",
            help="Where our kernels spend their instructions, counted one by one; needs a C "
            "compiler.",
        ),
    ] = False
