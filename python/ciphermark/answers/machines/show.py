"""Machines on a terminal: the list, the matrix, and one page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.text import Text

from ciphermark.answers.machines.machine import MachineSummary
from ciphermark.answers.machines.page import History, MachinePage
from ciphermark.record.run import Summary
from ciphermark.show import figures
from ciphermark.show.frame import print_marks
from ciphermark.show.problems import UNSETTLED
from ciphermark.show.stored import runs as listed_runs
from ciphermark.show.tables import Column as FigureColumn
from ciphermark.show.tables import Columns, ListColumn, fits
from ciphermark.show.tables import print_groups as print_table

if TYPE_CHECKING:
    from ciphermark.answers.machines.figures import Cell, MachineMatrix


NO_RUNS = "No runs are stored here; ciphermark survey makes the first."

NOTED = 6
"""Features that a list names of each machine, of those that matter to cryptography."""

TELLING = (
    *("vaes", "avx512f", "avx2", "sha_ni", "vpclmulqdq", "aes", "pclmulqdq", "gfni"),
    *("sve2", "sve", "sha3", "sha512", "sha2", "pmull", "asimd", "neon"),
)
"""Features by which code paths of cryptography are chosen, as the kernel names them, the most
telling first."""


def machines(found: Sequence[MachineSummary]) -> RenderableType:
    """One line for each machine, the one with the newest run first."""
    if not found:
        return Text(NO_RUNS)
    columns: list[ListColumn[MachineSummary]] = [
        ListColumn("machine", lambda it: Text(it.name, "bold")),
        ListColumn("processor", lambda it: it.processor, wraps=True),
        ListColumn("cores", cores, "right"),
        ListColumn("system", system),
        ListColumn("features", _features, wraps=True, from_width=110),
        ListColumn("operating system", lambda it: it.operating_system or "", from_width=140),
        ListColumn("runs", lambda it: figures.grouped(it.runs), "right"),
        ListColumn("newest", lambda it: figures.date(it.newest_unix_ns)[:10]),
    ]
    note = Text("One of them: ciphermark machines show MACHINE", "dim")
    return Group(Columns(columns, found), note)


def cores(it: MachineSummary) -> str:
    """Cores, and CPUs where these are more."""
    if it.cores is None:
        return ""
    return str(it.cores) if it.cores == it.cpus else f"{it.cores} ({it.cpus} CPUs)"


def system(it: MachineSummary) -> str:
    """What kind of system: `x86_64 kvm guest`, `aarch64`."""
    if it.architecture is None:
        return "imported"
    guest = "" if it.virtualisation in (None, "none") else f" {it.virtualisation} guest"
    return f"{it.architecture}{guest}"


def _features(it: MachineSummary) -> str:
    known = it.features or []
    return " ".join([name for name in TELLING if name in known][:NOTED])


def print_matrix(console: Console, matrix: MachineMatrix) -> None:
    """Machines down, algorithms across, in as many tables as it takes to show them all."""
    cells = {(it.machine, it.algorithm): it for it in matrix.cells}
    size = figures.message_size(matrix.message_bytes)
    name = FigureColumn[str]("cycles/byte", lambda it: Text(it), left=True)
    columns = [_of_algorithm(it, cells) for it in matrix.algorithms]
    for place, band in enumerate(_bands(name, columns, matrix.machines, console.width)):
        if place:
            console.print()
        under = "" if matrix.load is None else f", {matrix.load}"
        title = f"Fastest implementations at {size}{under}"
        print_table(console, [name, *band], [(title, matrix.machines)])
    if any(not it.converged for it in matrix.cells):
        print_marks(console)
    if matrix.load is not None:
        console.print(Text(f"cycles/byte: {matrix.figure} over its bytes", "dim"))
    console.print(Text("The run, library and interval of each figure: --json", "dim"))


def _of_algorithm(algorithm: str, cells: dict[tuple[str, str], Cell]) -> FigureColumn[str]:
    def cell(machine: str) -> Text:
        it = cells.get((machine, algorithm))
        if it is None:
            return Text("")
        mark = "" if it.converged else UNSETTLED
        return Text(f"{mark}{figures.significant(it.cycles_per_byte)}")

    return FigureColumn(algorithm, cell)


def _bands(
    name: FigureColumn[str], columns: list[FigureColumn[str]], machines: list[str], width: int
) -> Iterator[list[FigureColumn[str]]]:
    """The columns in tables that are not wider than the terminal, as long as one fits."""
    band: list[FigureColumn[str]] = []
    for column in columns:
        if band and not fits([name, *band, column], machines, width):
            yield band
            band = []
        band.append(column)
    if band:
        yield band


SHOWN = 12
"""Runs of which a line is shown; --json has all."""


def render(page: MachinePage) -> RenderableType:
    """Returns a machine's facts, its runs, and its figures with their changes."""
    parts: list[RenderableType] = [
        *(
            Text.assemble((f"{name:<12}", "bold"), text)
            for name, text in facts(page.machine).items()
        ),
        Text(),
        Text(f"Runs ({figures.grouped(len(page.runs))}, the newest first)", "bold"),
        _runs(page.runs),
    ]
    if page.histories and page.message_bytes is not None:
        parts += [Text(), Text(figures_title(page), "bold"), _histories(page.histories)]
    return Group(*parts)


def facts(it: MachineSummary) -> dict[str, str]:
    """What is known of a machine, by name."""
    found = {
        "Machine": it.name,
        "Processor": it.processor,
        "Cores": cores(it),
        "System": system(it),
        "Runs on": " · ".join(filter(None, (it.operating_system, it.kernel))),
        "Identity": it.machine_id,
        "Kind": it.machine_kind,
    }
    return {name: text for name, text in found.items() if text}


def figures_title(page: MachinePage) -> str:
    """The heading of the figures."""
    if page.message_bytes is None:
        return f"No figure is stored for this machine: {page.figure}"
    size = figures.message_size(page.message_bytes)
    return f"{page.figure[:1].upper()}{page.figure[1:]} at {size}, first and newest"


def moved_by(it: History) -> str:
    """How a figure moved, where it did: `×1.12, another code path`."""
    said = [f"×{it.ratio:.2f}"] if it.moved else []
    if it.path_changed:
        said.append(f"{it.points[0].backend} → {it.points[-1].backend}")
    return ", ".join(said)


def spread(it: History) -> str:
    """The lowest and the highest figure of several runs."""
    values = [point.cycles_per_byte for point in it.points]
    if len(values) == 1:
        return ""
    return f"{figures.significant(min(values))} to {figures.significant(max(values))}"


def _runs(runs: list[Summary]) -> RenderableType:
    older = len(runs) - SHOWN
    note = [Text(f"and {figures.grouped(older)} older ones: --json", "dim")] if older > 0 else []
    return Group(listed_runs(runs[:SHOWN]), *note)


def _histories(found: list[History]) -> RenderableType:
    loads = []
    if any(it.load for it in found):
        loads = [ListColumn[History]("load", lambda it: it.load or "", wraps=True)]
    columns = [
        ListColumn[History]("algorithm", lambda it: it.algorithm),
        ListColumn("provider", _provider),
        *loads,
        ListColumn("newest", lambda it: _figure(it, -1), "right"),
        ListColumn("first", lambda it: _figure(it, 0), "right"),
        ListColumn("runs", lambda it: str(len(it.points)), "right"),
        ListColumn("between", spread, from_width=100),
        ListColumn("moved", lambda it: Text(moved_by(it), "yellow" if it.moved else "")),
    ]
    return Columns(columns, found)


def _provider(it: History) -> str:
    return it.provider if it.backend_asked == "default" else f"{it.provider}/{it.backend_asked}"


def _figure(it: History, place: int) -> str:
    point = it.points[place]
    mark = "" if point.converged else UNSETTLED
    return f"{mark}{figures.significant(point.cycles_per_byte)}"
