"""The options of `ciphermark packets` that no other command has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from ciphermark.command.options import PolicyOption, flag, option


@dataclass
class PacketOptions:
    """How packets come and go."""

    packets: Annotated[
        str | None, option("LIST", "Number of packets of a pass: 1000,64000. Default: 64000.")
    ] = None
    keys: Annotated[
        str | None, option("LIST", "Flows, each with a key of its own: 1,1000. Default: 16.")
    ] = None
    lanes: Annotated[
        str | None,
        option(
            "LIST",
            "Packets per call, at most a batch. Default: as many as the implementation takes.",
        ),
    ] = None
    batch: Annotated[
        str | None,
        option(
            "LIST",
            "Packets passed on together. Default: 32, or the packets of one call if those are "
            "more.",
        ),
    ] = None
    flush: Annotated[
        str | None,
        option(
            "TIME",
            "Pass on a batch at the latest this long after its first packet: 50us. Default: when "
            "it is full.",
        ),
    ] = None
    queue: Annotated[
        str | None, option("N", "Batches that a queue holds, a power of two. Default: 64.")
    ] = None
    delivery: Annotated[
        str | None, option("LIST", "Order of delivery: unordered (default), per-flow, ordered.")
    ] = None
    architecture: Annotated[
        str | None,
        option(
            "LIST",
            "Distribution of two operations over CPUs: run-to-completion (default), "
            "pinned-pipeline, free-pipeline.",
        ),
    ] = None
    waiting: Annotated[
        str | None, option("LIST", "What an idle CPU does: poll (default), or block (sleep).")
    ] = None
    key_setup: Annotated[
        str | None,
        option(
            "LIST",
            "When key schedules are made: cached (beforehand; default), per-batch, per-packet.",
        ),
    ] = None
    priorities: Annotated[
        str | None,
        option("N", "Number of priorities, given to the flows in turn, 1 to 8. Default: 1."),
    ] = None
    policy: PolicyOption = None
    group: Annotated[
        list[str] | None,
        option(
            "SET",
            "CPUs of one group of flows, used by no other group; repeatable, once for each group.",
        ),
    ] = None
    in_flight: Annotated[
        str | None,
        option(
            "LIST",
            "Batches under way at a device per CPU: 1,8. Default: 1, which waits for each batch.",
        ),
    ] = None


@dataclass
class QuestionOptions:
    """What is asked of them."""

    sweep: Annotated[
        bool, flag("Measure how throughput scales over packets, cores and batches.")
    ] = False
    break_even: Annotated[
        bool,
        flag("Find the packet size from which each device beats the CPU."),
    ] = False
