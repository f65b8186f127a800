"""Machines on a terminal: the list, the matrix, the groups, what is better hidden, and one page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.text import Text

from ciphermark.answers.machines.likeness import Likeness
from ciphermark.answers.machines.machine import MachineSummary
from ciphermark.answers.machines.page import History, MachinePage
from ciphermark.record.run import Summary
from ciphermark.show import figures
from ciphermark.show.problems import UNSETTLED
from ciphermark.show.stored import runs as listed_runs
from ciphermark.show.tables import Column as FigureColumn
from ciphermark.show.tables import Columns, ListColumn, fits
from ciphermark.show.tables import print_groups as print_table

if TYPE_CHECKING:
    from ciphermark.answers.machines.figures import Cell, MachineMatrix
    from ciphermark.answers.machines.likeness import Groups, MachineGroup
    from ciphermark.answers.machines.masks import Evidence, MaskRule


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
        console.print(Text(f"{UNSETTLED} did not settle", "dim"))
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


def groups(found: Groups) -> RenderableType:
    """The machines that are alike, and those that are not."""
    if not (found.groups or found.alone or found.untold):
        return Text(NO_RUNS)
    said: list[RenderableType] = [Text(_summary(found), "bold"), Text()]
    for number, it in enumerate(found.groups, start=1):
        said.append(Text(group_title(number, it), "bold"))
        said += [Text(f"  {name}") for name in it.machines]
    said += _others(ALONE, found.alone)
    said += _others(UNTOLD, found.untold)
    return Group(*said, Text(), Text(f"{alike_rule(found)}.", "dim"))


def _summary(found: Groups) -> str:
    """How many machines are alike, and how many are not."""
    alike = sum(len(it.machines) for it in found.groups)
    machines = alike + len(found.alone) + len(found.untold)
    if not alike:
        return f"No two of {figures.counted(machines, 'machine')} are alike."
    groups = figures.counted(len(found.groups), "group")
    return f"{alike} of {figures.counted(machines, 'machine')} are alike, in {groups}."


ALONE = "Like no other"
UNTOLD = "Unknown: too few figures in common with other machines; ciphermark survey measures more"


def alike_rule(found: Groups) -> str:
    """What alike means."""
    return (
        f"Two machines are alike if their figures differ by less than {_percent(found.alike)} on "
        f"average, over at least {found.fewest_figures} common figures of at least "
        f"{found.fewest_algorithms} algorithms; each machine of a group is like every other"
    )


def group_title(number: int, group: MachineGroup) -> str:
    """How many machines a group has, and how far apart they are."""
    return (
        f"Group {number}: {figures.counted(len(group.machines), 'machine')}, within "
        f"{_percent(group.factor)}, on {group.fewest_figures} common figures or more"
    )


def _others(title: str, names: list[str]) -> list[RenderableType]:
    return [Text(title, "bold"), *(Text(f"  {name}") for name in names)] if names else []


def _percent(factor: float) -> str:
    return figures.percent(factor - 1)


def masks(rules: Sequence[MaskRule], asked: int) -> RenderableType:
    """What is better hidden from which library, with what speaks against it."""
    if not rules:
        runs = figures.counted(asked, "run")
        return Text(
            f"No library is faster with a feature hidden, in {runs} that tried. Such runs come "
            "from ciphermark study gateway and ciphermark survey --ablate."
            if asked
            else "No stored run has hidden a feature from a library: ciphermark study gateway "
            "and ciphermark survey --ablate do."
        )
    meaning = "×1.25: 1.25 times as fast with the feature hidden (95 % interval); below 1: slower"
    return Group(*(part for it in rules for part in _rule(it)), Text(meaning, "dim"))


def _rule(it: MaskRule) -> Iterator[RenderableType]:
    settings = " ".join(f"{name}={value}" for name, value in it.switches.items())
    yield Text(f"{it.processor}: hide {it.feature} from {it.provider}", "bold")
    yield Text(
        f"  gain       ×{it.gain:.2f} (×{it.gain_low:.2f} to ×{it.gain_high:.2f}) in "
        f"{figures.counted(len(it.gains), 'case')}, on {it.machines_gaining} of "
        f"{figures.counted(it.machines, 'machine')} of this model"
    )
    yield Text(f"  set        {settings}  (for the whole process)")
    for place, evidence in enumerate(it.gains[:3]):
        yield _evidence("faster" if place == 0 else "", evidence)
    against = [*it.losses, *it.without_effect]
    for place, evidence in enumerate(against[:5]):
        yield _evidence("against" if place == 0 else "", evidence)
    if len(against) > 5:
        yield Text(f"             and {len(against) - 5} more against it: --json", "dim")
    if not against:
        yield Text("  against    no figure", "dim")
    if it.indifferent:
        yield Text(f"  no matter  to {figures.counted(it.indifferent, 'other case')}", "dim")
    yield Text()


def _evidence(label: str, it: Evidence) -> Text:
    size = it.profile or (figures.message_size(it.message_bytes) if it.message_bytes else "")
    what = " ".join(filter(None, (it.algorithm, it.operation, size)))
    version = f" (v{it.version})" if it.version else ""
    return Text(
        f"  {label:<10} ×{it.gain:.2f} (×{it.gain_low:.2f} to ×{it.gain_high:.2f}) {what} on "
        f"{it.machine}{version}"
    )


SHOWN = 12
"""Runs and machines of which a line is shown; --json has all."""


def render(page: MachinePage) -> RenderableType:
    """What it is, its runs, its figures and how they moved, and machines like it."""
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
    parts += [Text(), Text("Machines like it", "bold"), *_alike(page)]
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


def differs(it: Likeness) -> str:
    """How far two machines are from each other: `1.3 %`."""
    return "" if it.factor is None else figures.percent(it.factor - 1)


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


def _alike(page: MachinePage) -> list[RenderableType]:
    untold = (
        [Text(f"Too few figures in common: {figures.counted(page.untold, 'machine')}", "dim")]
        if page.untold
        else []
    )
    if not page.alike:
        return [Text("No machine can be compared with it."), *untold]
    columns = [
        ListColumn[Likeness]("machine", lambda it: it.b),
        ListColumn("differs by", differs, "right"),
        ListColumn("figures", lambda it: str(it.figures), "right"),
        ListColumn("most in", lambda it: f"×{it.largest:.2f} {it.largest_of}", wraps=True),
    ]
    return [Columns(columns, page.alike[:SHOWN]), *untold]
