"""The post's own command, run beside ours: `openssl speed -elapsed -evp` with 1024 bytes.

The post's version timed the data of GCM alone: no nonce was set and no tag made, which our figures
of sealing have. Newer ones set a key and make a tag for each message, so the version is kept, and
GCM is compared with the post's only where the loop is the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from ciphermark.contract.others import BesideFigure
from ciphermark.errors import WorkError
from ciphermark.plan.planfile import Effort
from ciphermark.run import speed_tools
from ciphermark.statistics.estimate import Estimate
from ciphermark.studies.evidence import field, over
from ciphermark.studies.gateway import shuffles
from ciphermark.studies.gateway.evidence import LIBRARY, Measured
from ciphermark.studies.gateway.paper import BOXES, MESSAGE_BYTES, POST
from ciphermark.view.findings import Cell, Column, Table
from ciphermark.workloads.imported.readers.openssl_loops import loop_name, loops
from ciphermark.workloads.loaded import of_one_execution

SPEED = "openssl speed"
"""The program of the figures."""

CAMELLIA_GCM = ("camellia-256-gcm", "camellia-128-gcm")
"""Over which the post's script loops too; OpenSSL has none."""

POSTS_LOOP = "update"
"""Loop of the post's version for GCM, in `openssl_loops.toml`."""

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
                figure.detail += f", {speed_tools.openssl_version()}"
                rate = speed_tools.openssl_speed(what, MESSAGE_BYTES, speed_tools.pinned(cpu))
                figure.ns_per_byte = 1e9 / rate
            except WorkError as error:
                figure.reason = str(error)
        yield figure


def speed(measured: Measured, function: str, loop: str | None = None) -> Estimate | None:
    """Returns MB/s of a function by the command, as sure as one execution is; None if its version
    has another loop than `loop`."""
    for figure in measured.run.beside:
        if (figure.program, figure.algorithm) == (SPEED, function) and figure.ns_per_byte:
            if loop in (None, _loop(figure)):
                return of_one_execution(1e3 / figure.ns_per_byte)
    return None


def _loop(figure: BesideFigure) -> str:
    return loop_name(figure.algorithm, figure.detail.rpartition(", ")[2], aead=False)


def _timed(measured: Measured) -> Iterator[str]:
    """Yields the work that the command timed for GCM, and with which version."""
    for figure in measured.run.beside:
        if figure.program == SPEED and figure.algorithm.endswith("-gcm") and figure.ns_per_byte:
            version = figure.detail.rpartition(", ")[2]
            yield f"{version}, GCM: the command times {loops().loops[_loop(figure)].times}"


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
            *dict.fromkeys(_timed(measured)),
            "ours seals a message of GCM with nonce and tag; the post's version set neither",
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
