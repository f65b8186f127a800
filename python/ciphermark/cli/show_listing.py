"""What `ciphermark list` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ciphermark import contract
from ciphermark.show import figures
from ciphermark.show.stored import STATUS_STYLES
from ciphermark.show.stored import runs as runs
from ciphermark.show.tables import Columns, ListColumn

if TYPE_CHECKING:  # what one list shows takes longer to load than another to print
    from ciphermark.answers.protocols.nodes import Node
    from ciphermark.answers.protocols.protocols import Protocol
    from ciphermark.plan.profile import Profile
    from ciphermark.run.targets.toolchain import TargetSummary
    from ciphermark.studies.registry import Summary as StudySummary


def _then(what: str, command: str) -> Text:
    """The last line of a list: what to type with a name of it."""
    return Text(f"{what}: ciphermark {command}", "dim")


def algorithms(facts: list[contract.Algorithm]) -> RenderableType:
    """Algorithms by kind, with what they are good for."""
    from ciphermark.workloads.single.sections import KINDS

    columns = [
        ListColumn[contract.Algorithm]("algorithm", lambda it: it.name),
        ListColumn("title", lambda it: it.title, from_width=100),
        ListColumn("kind", lambda it: it.kind),
        ListColumn("status", lambda it: Text(it.status, STATUS_STYLES[it.status])),
        ListColumn("bits", lambda it: str(it.strength_bits), "right"),
        ListColumn("against", lambda it: it.strength_kind, from_width=100),
        ListColumn("standard", lambda it: it.standard, wraps=True),
    ]
    order = list(KINDS)
    listed = Columns(columns, sorted(facts, key=lambda it: (order.index(it.kind), it.name)))
    count = figures.counted(len(facts), "algorithm")
    return Group(listed, _then(f"{count}. One of them", "list implementations --algorithms NAME"))


def suites(facts: list[contract.Algorithm]) -> RenderableType:
    """Suites with the bytes that they add to a packet, and what standards say of them."""
    columns = [
        ListColumn[contract.Algorithm]("suite", lambda it: it.name),
        ListColumn("status", lambda it: Text(it.status, STATUS_STYLES[it.status])),
        ListColumn("bits", lambda it: str(it.strength_bits), "right"),
        ListColumn("adds\nbytes", _added, "right"),
        ListColumn(
            "ICV\nbits", lambda it: str(8 * it.suite.framing.icv_bytes) if it.suite else "", "right"
        ),
        ListColumn("standing", lambda it: it.suite.standing if it.suite else "", from_width=110),
    ]
    count = figures.counted(len(facts), "suite")
    return Group(Columns(columns, facts), _then(f"{count}. Measure some", "esp --suites NAME,NAME"))


def _added(facts: contract.Algorithm) -> str:
    """The fewest and the most bytes that a packet grows by: `56-59`."""
    assert facts.suite is not None
    it = facts.suite.framing
    fewest = it.outer_bytes + it.header_bytes + it.iv_bytes + it.trailer_bytes + it.icv_bytes
    return str(fewest) if it.pad_to == 1 else f"{fewest}-{fewest + it.pad_to - 1}"


def providers(libraries: list[contract.Provider]) -> RenderableType:
    """Libraries; those that cannot be used with the reason and what to type."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for column in ("provider", "state"):
        grid.add_column(column, no_wrap=True)
    grid.add_column("library", overflow="fold")  # a long path is there to be read, too
    for it in libraries:
        state = Text("usable", "green") if it.usable else Text("not usable", "red")
        grid.add_row(Text(it.name, "bold"), state, _library(it))
    usable = sum(it.usable for it in libraries)
    said = f"{usable} of {len(libraries)} can be used here; code paths of one"
    return Group(grid, _then(said, "list implementations --providers NAME"))


def _library(provider: contract.Provider) -> RenderableType:
    notice = [Text(provider.notice, style="yellow")] if provider.notice else []
    if not provider.usable:
        return Group(Text(provider.reason), *notice)
    name = Text(f"{provider.title} {provider.version}")
    return Group(name, Text(provider.location, style="dim"), *notice)


def studies(found: list[StudySummary]) -> RenderableType:
    """Published studies, each with its source and the command that runs it."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for it in found:
        grid.add_row(
            Text(it.study, "bold"),
            Group(
                Text(it.title),
                Text(it.source or "", style="dim"),
                Text(f"ciphermark study {it.study}", style="cyan"),
            ),
        )
    return grid


def nodes(known: list[Node]) -> RenderableType:
    """Nodes, with the target whose cycles are their processor's."""
    columns = [
        ListColumn["Node"]("node", lambda it: it.name),
        ListColumn("title", lambda it: it.title, wraps=True),
        ListColumn("target", lambda it: it.target),
        ListColumn("MHz", lambda it: f"{it.clock_mhz:g}", "right"),
        ListColumn(
            "battery mAh", lambda it: f"{it.battery.capacity_mah:g}", "right", from_width=100
        ),
        ListColumn(
            "unverified",
            lambda it: f"{len(it.unverified)} of {len(it.values)}",
            "right",
            from_width=100,
        ),
    ]
    return Group(
        Columns(columns, known), _then("Cost of protocols on one", "protocol all --node NODE")
    )


def protocols(known: list[Protocol]) -> RenderableType:
    """Protocols that secure messages, with what they are worth today."""
    columns = [
        ListColumn["Protocol"]("protocol", lambda it: it.name),
        ListColumn("title", lambda it: it.title, from_width=120),
        ListColumn("cipher", lambda it: it.cipher, from_width=100),
        ListColumn("key bits", lambda it: str(it.key_bits), "right", from_width=100),
        ListColumn("tag bytes", lambda it: str(it.tag_bytes), "right"),
        ListColumn("status", lambda it: Text(it.status, STATUS_STYLES[it.status])),
        ListColumn("because", lambda it: it.status_reason, wraps=True),
    ]
    note = _then("Cost of one on a node", "protocol PROTOCOL --node NODE")
    return Group(Columns(columns, known), note)


def profiles(known: list[Profile]) -> RenderableType:
    """Mixes of message sizes, with how large their messages are."""
    columns = [
        ListColumn["Profile"]("profile", lambda it: it.name),
        ListColumn("title", lambda it: it.title, wraps=True),
        ListColumn("bytes of", lambda it: it.layer, from_width=100),
        ListColumn("mean", lambda it: figures.significant(it.mean_bytes), "right"),
        ListColumn("largest", lambda it: str(it.largest_bytes), "right"),
        ListColumn("bursts", lambda it: it.bursts.kind if it.bursts else ""),
        ListColumn("source", lambda it: it.source, wraps=True, from_width=160),
    ]
    note = Text("--json has the sources; files of your own: docs/capacity.md", "dim")
    use = _then("Traffic of such packets", "capacity --profile NAME")
    return Group(Columns(columns, known), note, use)


def targets(found: list[TargetSummary]) -> RenderableType:
    """Simulated processors, with what their figures are, and what is to be typed for the others."""
    from ciphermark.workloads.simulation.remarks import METRICS

    columns = [
        ListColumn["TargetSummary"]("target", lambda it: Text(it.target, "bold")),
        ListColumn("processor", lambda it: it.title, wraps=True),
        ListColumn("bits", lambda it: str(it.word_bits), "right"),
        ListColumn("MHz", lambda it: f"{it.clock_mhz:g}", "right"),
        ListColumn("multiplies", _multiplies, from_width=100),
        ListColumn("figures", lambda it: METRICS[it.metric]),
        ListColumn("here", _usable),
    ]
    reasons = [Text(it.reason, "yellow") for it in found if it.reason]
    note = _then("Cycles of functions on one", "simulate TARGET")
    return Group(Columns(columns, found), note, *([Text(), *reasons] if reasons else []))


def _multiplies(target: TargetSummary) -> str:
    return f"{target.multiply_bits} bits" if target.multiply_bits else "no"


def _usable(target: TargetSummary) -> Text:
    return Text("no", "yellow") if target.reason else Text("yes", "green")
