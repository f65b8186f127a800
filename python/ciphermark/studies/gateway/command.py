"""The post's own command, run beside ours: `openssl speed -elapsed -evp` with 1024 bytes.

Its loop over GCM encrypts one message that never ends: no nonce is set and no tag is made, which
our figures of sealing have. So its GCM is compared with the post's, and ours with packets.
"""

from __future__ import annotations

from collections.abc import Iterator

from ciphermark.contract.others import BesideFigure
from ciphermark.errors import WorkError
from ciphermark.measure import speed_tools
from ciphermark.plan.planfile import Effort
from ciphermark.show.findings import Cell, Column, Table
from ciphermark.statistics.estimate import Estimate
from ciphermark.studies.evidence import field, over
from ciphermark.studies.gateway import shuffles
from ciphermark.studies.gateway.evidence import LIBRARY, Measured
from ciphermark.studies.gateway.paper import BOXES, MESSAGE_BYTES, POST
from ciphermark.workloads.loaded import of_one_execution

SPEED = "openssl speed"
"""The program of the figures."""

CAMELLIA_GCM = ("camellia-256-gcm", "camellia-128-gcm")
"""Over which the post's script loops too; OpenSSL has none."""

FUNCTIONS = (*CAMELLIA_GCM, *POST)


def aside(effort: Effort, cpu: int) -> list[BesideFigure]:
    """A second for each function, and the rate of one instruction; what cannot be asked has the
    reason."""
    return [*_by_openssl(cpu), *shuffles.rates(cpu)]


def _by_openssl(cpu: int) -> Iterator[BesideFigure]:
    missing = speed_tools.missing(speed_tools.OPENSSL)
    for function in FUNCTIONS:
        what = ("-elapsed", "-evp", function)
        figure = BesideFigure(
            program=SPEED,
            detail=" ".join(what),
            algorithm=function,
            message_bytes=MESSAGE_BYTES,
            reason=missing or "",
        )
        if missing is None:
            try:
                rate = speed_tools.openssl_speed(what, MESSAGE_BYTES, speed_tools.pinned(cpu))
                figure.ns_per_byte = 1e9 / rate
            except WorkError as error:
                figure.reason = str(error)
        yield figure


def speed(measured: Measured, function: str) -> Estimate | None:
    """MB/s of a function by the command; as sure as one execution is."""
    for figure in measured.run.beside:
        if (figure.program, figure.algorithm) == (SPEED, function) and figure.ns_per_byte:
            return of_one_execution(1e3 / figure.ns_per_byte)
    return None


def table(measured: Measured) -> Table:
    """The command's figures beside ours of the same library, and beside the boxes."""
    shown = Table(
        title="The post's own command: openssl speed -elapsed -evp, 1024 bytes, MB/s",
        columns=[
            Column(heading="function"),
            Column(heading="the command"),
            Column(heading="ours, openssl"),
            Column(heading="ours/command", decimals=2),
            *(Column(heading=f"command/{box.title}", decimals=2) for box in BOXES),
            Column(heading="ours, the fastest"),
            Column(heading="by"),
        ],
        notes=[
            "for GCM the command sets no nonce and makes no tag; ours seals a message with both",
            "Camellia-GCM is in the post's script; OpenSSL lacks it, other libraries have it",
        ],
    )
    for function in FUNCTIONS:
        theirs = speed(measured, function)
        own = measured.row(function, provider=LIBRARY)
        fastest = measured.row(function)
        if theirs is None and fastest is None:
            continue
        rate = None if theirs is None else theirs.value
        own_rate = field(own, "mbytes_per_second")
        published = POST.get(function, [None] * len(BOXES))
        row: list[Cell] = [function, rate, own_rate, over(own_rate, rate)]
        row += [over(rate, it) for it in published]
        row += [field(fastest, "mbytes_per_second"), fastest.provider if fastest else None]
        shown.rows.append(row)
    if not any(row[1] for row in shown.rows):
        shown.rows.clear()
    shown.notes += dict.fromkeys(
        f"{it.algorithm}: {it.reason}"
        for it in measured.run.beside
        if it.program == SPEED and it.reason and it.algorithm not in CAMELLIA_GCM
    )
    return shown
