"""What users ask of a run of packets besides its rows, and what it says to it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console

    from ciphermark.record.run import Run
    from ciphermark.workloads.packets.break_even import Comparison
    from ciphermark.workloads.packets.cores import CoresNeeded, Wishes
    from ciphermark.workloads.packets.options import QuestionOptions
    from ciphermark.workloads.packets.row import PacketRow


class Question(NamedTuple):
    """What is to be found out."""

    plan: str
    """Name of the default plan that measures it."""
    break_even: bool
    wishes: Wishes


class Found(NamedTuple):
    """Answers; null what was not asked."""

    break_even: list[Comparison] | None
    cores: list[CoresNeeded]


def question(
    asked: QuestionOptions, plan: Path | None, rate: str | None, p99: str | None
) -> Question:
    """Reads the options that say what is asked; of --sweep, --break-even and a plan at most one."""
    from ciphermark.errors import UsageError
    from ciphermark.plan import quantities
    from ciphermark.workloads.packets.cores import Wishes

    if sum((asked.sweep, asked.break_even, plan is not None)) > 1:
        raise UsageError("--sweep, --break-even and --plan exclude each other: give one of them")
    if p99 is not None and not asked.break_even:
        raise UsageError("--p99 goes with --break-even only: write --break-even --p99 50us")
    wishes = Wishes()
    if asked.break_even:
        wishes = Wishes(
            rate_per_s=None if rate is None else quantities.amount(rate, "--rate"),
            p99_ns=None if p99 is None else 1e9 * quantities.seconds(p99, "--p99"),
        )
    return Question("packets-sweep" if asked.sweep else "packets", asked.break_even, wishes)


def findings(run: Run, rows: list[PacketRow], asked: Question) -> Found:
    """What a run says to a question."""
    found = Found(None, [])
    if asked.break_even:
        from ciphermark.workloads.packets.break_even import break_even
        from ciphermark.workloads.packets.cores import cores_needed

        allowed = run.context.engine_hello.environment.state.cpus_allowed
        cores = cores_needed(rows, asked.wishes, len(allowed))
        found = found._replace(break_even=break_even(rows), cores=cores)
    return found


def document(found: Found) -> dict[str, Any]:
    """What `--json` adds."""
    if found.break_even is None:
        return {}
    from ciphermark.workloads.packets import break_even_table as break_even

    return break_even.document(found.break_even, found.cores)


def print_findings(console: Console, found: Found) -> None:
    """Prints the answers below the rows."""
    if found.break_even is not None:
        from ciphermark.workloads.packets.break_even_table import print_break_even
        from ciphermark.workloads.packets.cores import print_cores_needed

        print_break_even(console, found.break_even)
        print_cores_needed(console, found.cores)
