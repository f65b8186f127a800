"""The tables of the study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ciphermark.statistics.estimate import Estimate
from ciphermark.studies.evidence import field, implementation, over, why_none
from ciphermark.studies.evidence import value as value_of
from ciphermark.studies.gateway import capacity, command, shuffles, through, tunnels
from ciphermark.studies.gateway.evidence import (
    INSTRUCTIONS,
    LIBRARY,
    SHARE,
    SHUFFLES,
    Measured,
    camellia,
    gain,
    is_faster,
    pair_of_ends,
    reasons,
    setting,
    with_and_without,
)
from ciphermark.studies.gateway.paper import (
    AES,
    AMD,
    ATOM,
    BOXES,
    CBC,
    CIPHERS,
    HASHES,
    POST,
    Box,
    operation,
)
from ciphermark.view import figures
from ciphermark.view.findings import Cell, Column, NotTestable, Table
from ciphermark.workloads.single.code_paths import Ablation
from ciphermark.workloads.single.row import throughput

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.view.findings import Table
    from ciphermark.workloads.single.row import Row


NOT_VALID = "? no attempt was valid, since other programs used the CPUs; the last one is shown"


class Line(NamedTuple):
    """One function of the post."""

    function: str
    row: Row | None
    """The fastest implementation here."""
    published: list[float]
    """MB/s of each of the boxes."""


def throughputs(measured: Measured) -> Table:
    """MB/s: here on one core and on all, and on the boxes."""
    every = figures.counted(measured.cpus, "CPU")
    table = _table_of_functions(
        measured,
        title="Throughput of messages of 1024 bytes (MB is 10^6 bytes)",
        columns=[
            Column(heading="function"),
            Column(heading="MB/s", group="one core"),
            Column(heading="±%", group="one core", digits=2),
            *_interval("MB/s"),
            Column(heading="MB/s", group=every),
            Column(heading="times", group=every),
            *_of_boxes(Column(heading="MB/s", decimals=2), Column(heading="ratio")),
        ],
        notes=[
            "one core: the fastest implementation here, with half of its 95 % interval",
            f"{every}: a session on each, by the same library; times: multiple of one session",
            "published: OpenSSL 1.0.2a on one core; the Atom with SSSE3, the AMD without",
            "ratio: one core here / published",
            *_remarks(measured),
        ],
    )
    for place, (function, row, published) in enumerate(_lines(measured)):
        speed = throughput(row) if row else None
        value, low, high = speed or (None, None, None)
        width = None if low is None or high is None else high - low
        all_cores = measured.on(measured.cpus, function)
        if all_cores is not None and not all_cores.valid:
            table.doubtful.append((place, 5))
        table.rows.append(
            [
                function,
                *(value, over(None if width is None else 50 * width, value), low, high),
                field(all_cores, "mbytes_per_second"),
                value_of(measured.scaling(function)),
                *_beside(published, [over(value, it) for it in published]),
            ]
        )
    if table.doubtful:
        table.notes.append(NOT_VALID)
    return table


def cycles(measured: Measured) -> Table:
    """Cycles per byte, in which clocks do not show, and by which implementation."""
    table = _table_of_functions(
        measured,
        title="The same in cycles/byte on one core",
        columns=[
            Column(heading="function"),
            Column(heading="here", group="cycles/byte"),
            *_interval("cycles/byte"),
            *(Column(heading=box.title, group="cycles/byte") for box in BOXES),
            *(Column(heading=box.title, group="here/there", detail=True) for box in BOXES),
            Column(heading="fastest here"),
        ],
        notes=[
            "boxes: nominal clock / published MB/s; the post has no cycles",
        ],
    )
    for function, row, published in _lines(measured):
        here = (row.cycles_per_byte, row.ci_low, row.ci_high) if row else (None, None, None)
        there = [box.clock_hz / (at * 1e6) for box, at in zip(BOXES, published, strict=True)]
        ratios = [over(here[0], it) for it in there]
        name = implementation(row) if row else None
        table.rows.append([function, *here, *there, *ratios, name])
    return table


def _lines(measured: Measured) -> list[Line]:
    return [Line(name, measured.row(name), published) for name, published in POST.items()]


def _table_of_functions(measured: Measured, **fields: Any) -> Table:
    unsettled = [
        place
        for place, line in enumerate(_lines(measured))
        if line.row is not None and not line.row.converged
    ]
    return Table(unsettled=unsettled, **fields)


def _interval(unit: str) -> list[Column]:
    """Its ends, for reports and programs."""
    return [
        Column(heading=heading, group=unit, digits=4, detail=True) for heading in ("low", "high")
    ]


def _of_boxes(*columns: Column) -> list[Column]:
    """The same columns for each box."""
    return [
        Column(heading=it.heading, group=box.title, decimals=it.decimals)
        for box in BOXES
        for it in columns
    ]


def _beside(published: list[float], ratios: list[float | None]) -> list[Cell]:
    """The figure of each box, and how many times it the figure here is."""
    return [cell for pair in zip(published, ratios, strict=True) for cell in pair]


def _remarks(measured: Measured) -> list[str]:
    """Why a figure is not there, once for all functions with the same reason, or not firm."""
    missing: dict[str, list[str]] = {}
    unsettled = []
    for function, row, _ in _lines(measured):
        if row is None:
            missing.setdefault(why_none(measured.rows(function)), []).append(function)
        elif not row.converged:
            unsettled.append(f"{function} ({row.not_converged_reason})")
    notes = [f"no figure ({reason}): {', '.join(names)}" for reason, names in missing.items()]
    return notes + ([f"did not settle: {', '.join(unsettled)}"] if unsettled else [])


def clocks(measured: Measured) -> Table:
    """Each ratio of speeds as a ratio of clocks times one of cycles per byte."""
    rows = {it: measured.row(it) for it in POST}
    here_hz = next((row.core_hz for row in rows.values() if row and row.core_hz), None)
    pairs = [
        ("Atom/AMD", over(ATOM.clock_hz, AMD.clock_hz)),
        *((f"here/{_short(box)}", over(here_hz, box.clock_hz)) for box in BOXES),
    ]
    groups = [name if ratio is None else f"{name} {figures.times(ratio)}" for name, ratio in pairs]
    return Table(
        title="Effect of the clock: ratio of speeds = ratio of clocks × ratio of cycles",
        columns=[
            Column(heading="function"),
            *(Column(heading=it, group=group) for group in groups for it in ("speed", "cycles")),
        ],
        rows=[[function, *_decomposed(function, row)] for function, row in rows.items()],
        notes=[
            "groups: two machines and the ratio of their clocks, for the boxes as printed",
            "cycles: ratio of the cycles per byte; above 1 the first machine takes fewer",
        ],
    )


def _short(box: Box) -> str:
    return box.title.partition(" ")[0]


def _decomposed(function: str, row: Row | None) -> list[Cell]:
    atom, amd = POST[function]
    cells: list[Cell] = [atom / amd, atom / amd / (ATOM.clock_hz / AMD.clock_hz)]
    for box, published in zip(BOXES, POST[function], strict=True):
        if row is None or row.mbytes_per_second is None or row.core_hz is None:
            cells += [None, None]
            continue
        speed = row.mbytes_per_second / published
        cells += [speed, speed / (row.core_hz / box.clock_hz)]
    return cells


BUFFERS = {
    "hot": "nearest cache",
    "l2": "second cache",
    "stream": "memory",
    "cold": "all cold",
}
"""By their names in a plan."""


def by_distance(measured: Measured) -> Table:
    """Cycles per byte by where the message lies."""
    table = Table(
        title="Hashes by the place of their messages, OpenSSL, 1024 bytes",
        columns=[
            Column(heading="function"),
            *(Column(heading=it, group="cycles/byte") for it in BUFFERS.values()),
            *(
                Column(heading=it, group="against nearest")
                for name, it in BUFFERS.items()
                if name in ("l2", "stream")
            ),
        ],
        notes=[
            "nearest cache: one buffer, used repeatedly, as in `openssl speed`",
            "memory: more messages than the caches hold, in order, so that the processor can "
            "prefetch them",
            "all cold: one call with code, tables and message outside of all caches",
        ],
    )
    for function in HASHES:
        rows = {it: measured.row(function, buffers=it, provider=LIBRARY) for it in BUFFERS}
        hot = rows["hot"]
        if hot is None or not any(rows[it] for it in BUFFERS if it != "hot"):
            continue
        if not hot.converged:
            table.unsettled.append(len(table.rows))
        costs = {name: field(row, "cycles_per_byte") for name, row in rows.items()}
        ratios = [over(costs[it], costs["hot"]) for it in ("l2", "stream")]
        table.rows.append([function, *costs.values(), *ratios])
    return table


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
            "ratio: receiver / sender, paired by round; by the fastest sender that has both "
            "directions",
            "both ends compute a hash alike; the receiver also checks the tag of GCM",
        ],
    )
    for function in CIPHERS:
        if pair := pair_of_ends(measured, function):
            sender, receiver = pair
            if not (sender.converged and receiver.converged):
                table.unsettled.append(len(table.rows))
            costs = (sender.cycles_per_byte, receiver.cycles_per_byte)
            ratio = measured.ratio_of(receiver, sender)
            table.rows.append([function, *costs, *ratio, implementation(sender)])
    return table


CYCLES = "cycles/byte"

ONE = Estimate.exact(1.0)


def of_the_posts_library(measured: Measured) -> Table:
    """OpenSSL's functions of the post, without each feature that they use."""
    table = _table_of_features(
        "OpenSSL without each feature of the processor that it uses, 1024 bytes",
        notes=[
            "times: cycles without / cycles with, paired by round; below 1 the function is "
            "faster without",
            "a feature is hidden only from functions that execute it",
        ],
    )
    for function in POST:
        found = [it for it in _sent(measured) if (it.provider, it.algorithm) == (LIBRARY, function)]
        for it in found:
            table.rows.append(_cells_of_feature(measured, it)[1:])
        base = measured.row(function, provider=LIBRARY)
        if not found and base is not None:
            # Where nobody could look which instructions run, none is known to hide either.
            what = "none to hide" if base.features else "uses none"
            table.rows.append([function, what, base.cycles_per_byte, *[None] * 4, base.backend])
    del table.columns[0]
    table.notes += reasons(_sent(measured))
    return table


def of_all_libraries(measured: Measured) -> Table:
    """The same of every library that can be told, for programs."""
    table = _table_of_features(
        "Each library that has switches, without each feature of the processor, 1024 bytes",
        detail=True,
        notes=reasons(measured.ablations()),
    )
    table.rows += [_cells_of_feature(measured, it) for it in measured.ablations()]
    return table


def in_the_way(measured: Measured) -> Table:
    """Features without which a function is faster, with what hides them."""
    return Table(
        title=f"Faster with a feature hidden, by more than {SHARE}",
        columns=[
            *(Column(heading=it) for it in ("function", "library", "without", "times as fast")),
            *(Column(heading=it, detail=True) for it in ("low", "high")),
            Column(heading="by"),
        ],
        rows=[
            [it.algorithm, it.provider, it.feature, *gain(measured, it), setting(measured, it)]
            for it in measured.ablations()
            if is_faster(measured, it)
        ],
        notes=["variables CIPHERMARK_… are read by ciphermark, not by the library itself"],
    )


def _sent(measured: Measured) -> list[Ablation]:
    return [it for it in measured.ablations() if it.operation == operation(it.algorithm, "sending")]


def _table_of_features(title: str, *, notes: list[str], detail: bool = False) -> Table:
    return Table(
        title=title,
        columns=[
            *(Column(heading=it) for it in ("library", "function", "without")),
            *(Column(heading=it, group=CYCLES) for it in ("with", "without")),
            Column(heading="times"),
            *(Column(heading=it, detail=True) for it in ("low", "high")),
            Column(heading="code path"),
        ],
        notes=notes,
        detail=detail,
    )


def _cells_of_feature(measured: Measured, it: Ablation) -> list[Cell]:
    with_all, without = with_and_without(measured, it)
    paths = it.path if it.path == it.path_without else f"{it.path} → {it.path_without}"
    return [
        *(it.provider, it.algorithm, it.feature),
        *(field(row, "cycles_per_byte") for row in (with_all, without)),
        *(it.ratio, it.ratio_low, it.ratio_high),
        paths,
    ]


def without_instructions(measured: Measured) -> Table:
    """Cycles per byte with all, without AES instructions, and without SSSE3 as well."""
    table = Table(
        title="AES as on the boxes, which have no instructions for it, cycles/byte",
        columns=[
            *(Column(heading=it) for it in ("function", "library", "with all")),
            Column(heading="cycles/byte", group="without aes"),
            Column(heading="path", group="without aes", detail=True),
            Column(heading="cycles/byte", group="nor ssse3"),
            Column(heading="path", group="nor ssse3", detail=True),
            Column(heading="times", group="nor ssse3"),
            Column(heading="low", group="nor ssse3", detail=True),
            Column(heading="high", group="nor ssse3", detail=True),
        ],
        notes=[
            "times: cycles without SSSE3 / with it; below 1 the optimised version is slower",
            "Camellia, which has no such instructions, for comparison",
        ],
    )
    libraries = sorted({row.provider for it in AES for row in measured.rows(it)})
    for library in sorted(libraries, key=lambda it: it != LIBRARY):
        lines = [_line(measured, it, library) for it in (*AES, *camellia(CBC))]
        # A library that cannot be told has nothing to say here.
        if any(line and (line[3] or line[5]) for line in lines):
            table.rows += [line for line in lines if line]
    return table


def _line(measured: Measured, function: str, library: str) -> list[Cell] | None:
    row = measured.row(function, provider=library)
    if row is None:
        return None
    bare, shuffles = (_or_none(measured, function, it, library) for it in (INSTRUCTIONS, SHUFFLES))
    if shuffles is bare:  # a library that knows no SSSE3, or a processor that has none
        shuffles = None
    ratio = measured.ratio_of(shuffles, bare) if bare and shuffles else (None, None, None)
    of_paths = [
        cell for it in (bare, shuffles) for cell in (it and it.cycles_per_byte, it and it.backend)
    ]
    return [function, library, row.cycles_per_byte, *of_paths, *ratio]


def _or_none(
    measured: Measured, function: str, features: tuple[str, ...], library: str
) -> Row | None:
    try:
        return measured.without(function, features, library)
    except NotTestable:
        return None


def tables(run: Run, rows: list[Row]) -> list[Table]:
    """The post's table, then what its statements are judged by; without those that have no rows."""
    measured = Measured(run, rows)
    made = [
        throughputs(measured),
        cycles(measured),
        command.table(measured),
        clocks(measured),
        of_the_posts_library(measured),
        in_the_way(measured),
        without_instructions(measured),
        shuffles.table(measured),
        both_ends(measured),
        capacity.ways(measured),
        tunnels.against_gcm(measured),
        through.table(measured),
        capacity.lines(measured),
        capacity.boxes(measured),
        by_distance(measured),
        capacity.by_capacity(measured),
        of_all_libraries(measured),
    ]
    return [table for table in made if table.rows]
