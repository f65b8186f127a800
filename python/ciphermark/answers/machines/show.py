"""Machines as blocks: the list, the matrices, and the screen of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ciphermark.answers.machines.machine import MachineSummary
from ciphermark.answers.machines.page import History, MachinePage
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Facts, Notes, Section, Table
from ciphermark.view.column import Cell, Column, count, of_text, of_words
from ciphermark.view.problems import MARKS, UNSETTLED
from ciphermark.view.stored import runs as listed_runs

if TYPE_CHECKING:
    from ciphermark.answers.machines.figures import MachineMatrix

NOTED = 6
"""Features that a list names of each machine, of those that matter to cryptography."""

TELLING = (
    *("vaes", "avx512f", "avx2", "sha_ni", "vpclmulqdq", "aes", "pclmulqdq", "gfni"),
    *("sve2", "sve", "sha3", "sha512", "sha2", "pmull", "asimd", "neon"),
)
"""Features by which code paths of cryptography are chosen, as the kernel names them, the most
telling first."""


def machines(found: Sequence[MachineSummary]) -> list[Block]:
    """Returns a line for each machine, the one with the newest run first."""
    if not found:
        return listed_runs([])
    columns: list[Column[MachineSummary]] = [
        of_words("machine", lambda row: Cell(row.name, mark="strong")),
        of_words("processor", lambda row: row.processor, wraps=True),
        of_text("cores", cores),
        of_words("system", system),
        of_words("features", _features, wraps=True, dispensable=1),
        of_words("operating system", lambda row: row.operating_system or "", dispensable=2),
        Column("runs", lambda row: row.runs, form=count),
        of_words("newest", lambda row: figures.date(row.newest_unix_ns)[:10]),
    ]
    note = Notes.of(["One of them: ciphermark machines show MACHINE"], style="dim")
    return [Table(columns=columns, rows=found), note]


def cores(it: MachineSummary) -> str:
    """Returns the cores, and the CPUs where these are more."""
    if it.cores is None:
        return ""
    return str(it.cores) if it.cores == it.cpus else f"{it.cores} ({it.cpus} CPUs)"


def system(it: MachineSummary) -> str:
    """Returns the kind of system: `x86_64 kvm guest`, `aarch64`."""
    if it.architecture is None:
        return "imported"
    guest = "" if it.virtualisation in (None, "none") else f" {it.virtualisation} guest"
    return f"{it.architecture}{guest}"


def _features(it: MachineSummary) -> str:
    known = it.features or []
    return " ".join([name for name in TELLING if name in known][:NOTED])


def matrices(found: Sequence[MachineMatrix], more: int) -> Iterator[Block]:
    """Yields matrices, machines down and algorithms across, and the number of those not shown."""
    for matrix in found:
        yield _matrix(matrix)
    notes = []
    if any(not cell.converged for matrix in found for cell in matrix.cells):
        notes.append(MARKS)
    of_loads = dict.fromkeys(it.figure for it in found if it.load is not None)
    notes += [f"cycles/byte: {figure} over its bytes" for figure in of_loads]
    notes.append("The run, library and interval of each figure: --json")
    if more > 0:
        notes.append(f"{more} more sizes and loads: --json")
    yield Notes.of(notes, style="dim")


def _matrix(matrix: MachineMatrix) -> Table[str]:
    cells = {(cell.machine, cell.algorithm): cell for cell in matrix.cells}

    def of_algorithm(algorithm: str) -> Column[str]:
        def cost(machine: str) -> float | None:
            cell = cells.get((machine, algorithm))
            return None if cell is None else cell.cycles_per_byte

        def mark(machine: str) -> str:
            return "" if cells[machine, algorithm].converged else UNSETTLED

        return Column(algorithm, cost, mark=mark)

    size = figures.message_size(matrix.message_bytes)
    under = "" if matrix.load is None else f", {matrix.load}"
    return Table(
        columns=[of_words("cycles/byte", str), *map(of_algorithm, matrix.algorithms)],
        rows=matrix.machines,
        section=lambda machine: f"Fastest implementations at {size}{under}",
        continued=True,
    )


SHOWN = 12
"""Runs of which a line is shown; --json has all."""


def blocks(page: MachinePage) -> Iterator[Block]:
    """Yields a machine's facts, its runs, and its figures with their changes."""
    yield Facts.of(facts(page.machine))
    older = len(page.runs) - SHOWN
    yield Section(
        title=f"Runs ({figures.grouped(len(page.runs))}, the newest first)",
        blocks=[
            *listed_runs(page.runs[:SHOWN]),
            Notes.of([f"and {figures.grouped(older)} older ones: --json"] * (older > 0)),
        ],
    )
    yield Section(title=figures_title(page), blocks=[Table(columns=HISTORIES, rows=page.histories)])


def facts(it: MachineSummary) -> dict[str, str]:
    """Returns the facts about a machine."""
    cells = {
        "Machine": it.name,
        "Processor": it.processor,
        "Cores": cores(it),
        "System": system(it),
        "Runs on": " · ".join(filter(None, (it.operating_system, it.kernel))),
        "Identity": it.machine_id,
        "Kind": it.machine_kind,
    }
    return {name: text for name, text in cells.items() if text}


def figures_title(page: MachinePage) -> str:
    if page.message_bytes is None:
        return f"No figure is stored for this machine: {page.figure}"
    size = figures.message_size(page.message_bytes)
    return f"{page.figure[:1].upper()}{page.figure[1:]} at {size}, first and newest"


def moved_by(it: History) -> str:
    """Returns how a figure moved, where it did: `×1.12, another code path`."""
    said = [f"×{it.ratio:.2f}"] if it.moved else []
    if it.path_changed:
        said.append(f"{it.points[0].backend} → {it.points[-1].backend}")
    return ", ".join(said)


def spread(it: History) -> str:
    """Returns the lowest and the highest figure of several runs."""
    values = [point.cycles_per_byte for point in it.points]
    if len(values) == 1:
        return ""
    return f"{figures.significant(min(values))} to {figures.significant(max(values))}"


def _figure(place: int, heading: str) -> Column[History]:
    return Column(
        heading,
        lambda row: row.points[place].cycles_per_byte,
        mark=lambda row: "" if row.points[place].converged else UNSETTLED,
    )


def _provider(row: History) -> str:
    own = row.backend_asked == "default"
    return row.provider if own else f"{row.provider}/{row.backend_asked}"


HISTORIES: list[Column[History]] = [
    of_words("algorithm", lambda row: row.algorithm),
    of_words("provider", _provider),
    of_words("load", lambda row: row.load or "", wraps=True),
    _figure(-1, "newest"),
    _figure(0, "first"),
    of_text("runs", lambda row: str(len(row.points))),
    of_words("between", spread, dispensable=1),
    of_words("moved", lambda row: Cell(moved_by(row), mark="unsettled" * row.moved)),
]
