"""Both ends of the tunnel: what the receiver pays for what the sender does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.show.findings import Column, NotTestable, Table, Verdict
from ciphermark.statistics.ratio import is_within
from ciphermark.studies.gateway.estimates import all_of, shown
from ciphermark.studies.gateway.measured import Measured
from ciphermark.studies.gateway.paper import CIPHERS, named
from ciphermark.studies.measured import implementation

if TYPE_CHECKING:
    from ciphermark.workloads.single.row import Row

ALIKE = 0.05
"""Share by which both may differ and still count as the same."""


def both_ends(measured: Measured) -> Table:
    """Each cipher by one implementation in both directions."""
    table = Table(
        title="Both ends of the tunnel: cycles/byte of encrypting and of decrypting 1024 bytes",
        columns=[
            Column(heading="function"),
            Column(heading="sender"),
            Column(heading="receiver"),
            Column(heading="ratio"),
            Column(heading="low", detail=True),
            Column(heading="high", detail=True),
            Column(heading="implementation"),
        ],
        notes=[
            "ratio: receiver / sender, round by round; of the fastest sender that has both",
            "a hash is computed alike at both ends; the receiver checks the tag of GCM as well",
        ],
    )
    for function in CIPHERS:
        if pair := _pair(measured, function):
            sender, receiver = pair
            if not (sender.converged and receiver.converged):
                table.unsettled.append(len(table.rows))
            costs = (sender.cycles_per_byte, receiver.cycles_per_byte)
            ratio = _ratio(measured, *pair) or (costs[1] / costs[0], None, None)
            table.rows.append([function, *costs, *ratio, implementation(sender)])
    return table


def same_at_both_ends(measured: Measured) -> Verdict:
    """By the ratios of all ciphers that have one."""
    ratios = {
        function: ratio
        for function in CIPHERS
        if (pair := _pair(measured, function)) and (ratio := _ratio(measured, *pair))
    }
    if not ratios:
        raise NotTestable("no cipher has firm figures of both ends")
    found = [f"{named(it)} {shown(ratio)}" for it, ratio in ratios.items()]
    return all_of(is_within(it, ALIKE) for it in ratios.values()), (
        "receiver / sender: " + ", ".join(found)
    )


def _pair(measured: Measured, function: str) -> tuple[Row, Row] | None:
    """Sender and receiver by one implementation: of those that have both, the fastest sender."""
    receivers = {
        row.provider: row
        for row in measured.rows(function, "receiving")
        if row.cycles_per_message is not None
    }
    senders = [
        row
        for row in measured.rows(function)
        if row.cycles_per_message is not None and row.provider in receivers
    ]
    sender = min(senders, key=lambda row: row.cycles_per_message, default=None)
    return sender and (sender, receivers[sender.provider])


def _ratio(measured: Measured, sender: Row, receiver: Row):  # noqa: ANN202
    """None where one has no interval."""
    if sender.cycles_per_message_low is None or receiver.cycles_per_message_low is None:
        return None
    return measured.ratio(receiver, sender)
