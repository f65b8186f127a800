"""`ciphermark protocol`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.answers.models.sources import REPORT_BYTES, SIMULATED, CostsOption, observed
from ciphermark.command.options import JsonOption, RunsOption, option
from ciphermark.command.output import print_answer
from ciphermark.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ciphermark.answers.models.costs import FunctionCosts
    from ciphermark.answers.protocols.cost import ProtocolCost, Reports
    from ciphermark.answers.protocols.nodes import Node
    from ciphermark.answers.protocols.protocols import Protocol

ProtocolArgument = Annotated[
    str,
    typer.Argument(
        metavar="[NAMES|all]",
        help="Protocols, comma-separated, by name or pattern (`802.15.4-*`); `all` for all.",
    ),
]
NodeOption = Annotated[
    str,
    option(
        "NAME|FILE",
        "The node: mica2, micaz, … (ciphermark list nodes), or a file (TOML).",
        "--node",
    ),
]
PayloadOption = Annotated[str, option("BYTES", "Payload of a report.", "--payload")]
EveryOption = Annotated[str, option("TIME", "Time from one report to the next.", "--every")]


def protocol(
    names: ProtocolArgument = "all",
    node: NodeOption = "mica2",
    payload: PayloadOption = str(REPORT_BYTES),
    every: EveryOption = "10m",
    data: CostsOption = SIMULATED,
    json: JsonOption = False,
    runs: RunsOption = None,
) -> None:
    """Compute what a protocol's security costs a sensor node: bytes, time, energy, battery.

    Frames and their protection are those of SPINS, TinySec, IEEE 802.15.4, LoRaWAN and CoAP with
    OSCORE, on the radio of any node; cycles are those of our kernels on the node's processor, by
    `ciphermark simulate`.

    `ciphermark protocol --node micaz --every 1m` compares all of them; `ciphermark protocol
    tinysec-ae --payload 29` also shows the frame and the passes of one.
    """
    from ciphermark.answers.models import kernels
    from ciphermark.answers.models.costs import in_cycles
    from ciphermark.answers.protocols import nodes, protocols, show
    from ciphermark.answers.protocols.cost import Reports
    from ciphermark.plan.quantities import seconds, size

    chosen = protocols.named(names)
    at = nodes.from_option(node)
    reports = Reports(payload_bytes=size(payload), period_s=seconds(every, "--every"))
    source = in_cycles(observed(data, runs))
    known = nodes.costs_on(at, source)
    costs_found, left_out = _found(chosen, at, reports, known)
    if left_out and (names != "all" or not costs_found):
        raise UsageError(left_out[0])
    document = {"node": at, "data": source.source, "rows": costs_found, "left_out": left_out}
    notes = [*left_out, *kernels.to_simulate(known, {it.cipher for it in chosen})]
    print_answer(
        json, lambda: document, lambda: show.blocks(at, reports, source, chosen, costs_found, notes)
    )


def _found(
    protocols: Iterable[Protocol], node: Node, reports: Reports, costs: FunctionCosts
) -> tuple[list[ProtocolCost], list[str]]:
    """Returns the costs on both sides, and a sentence for each protocol without."""
    from ciphermark.answers.protocols.cost import protocol_cost

    costs_made: list[ProtocolCost] = []
    left_out: list[str] = []
    for protocol in protocols:
        try:
            costs_made += [
                protocol_cost(protocol, node, reports, side, costs) for side in ("send", "receive")
            ]
        except UsageError as error:
            left_out.append(str(error))
    return costs_made, left_out
