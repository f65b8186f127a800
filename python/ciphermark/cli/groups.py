"""Commands of `ciphermark`, sorted by purpose, with the place of each.

A command is loaded when it is typed: all of them take a fifth of a second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from ciphermark.command.options import grouped
from ciphermark.errors import UsageError, as_sentence


class Verb(NamedTuple):
    """Command, or a group of them."""

    line: str
    """Purpose, in a line that fits into 80 columns."""
    place: str
    """Place of its function, or of the `typer.Typer` of a group: `cli.show:show`, in this
    package."""


GROUPS = {
    "Measure": {
        "survey": Verb(
            "Measure every algorithm of every library on this machine.",
            "workloads.single.command:survey",
        ),
        "esp": Verb(
            "Measure what a tunnel's suite costs per packet.", "workloads.suites.command:esp"
        ),
        "tunnel": Verb(
            "Measure what real tunnels carry, and where CPU time goes.",
            "workloads.tunnel.command:tunnel",
        ),
        "sessions": Verb("Measure many sessions at once.", "workloads.sessions.command:sessions"),
        "packets": Verb(
            "Measure packets handed from one core to others.", "workloads.packets.command:packets"
        ),
        "verify": Verb(
            "Check every implementation by test vectors, without measuring.", "cli.verify:verify"
        ),
        "doctor": Verb(
            "Say what disturbs measuring on this machine, and the remedy.",
            "answers.doctor:doctor",
        ),
        "fleet": Verb("Run the same survey on many machines.", "fleet.command:fleet"),
    },
    "Decide": {
        "advise": Verb(
            "Say which suite to use here, and what to paste where.", "answers.advice.command:advise"
        ),
        "capacity": Verb(
            "Say how much traffic this machine protects.", "answers.capacity.command:capacity"
        ),
        "protocol": Verb(
            "Say what a protocol's security costs a sensor node.",
            "answers.protocols.command:protocol",
        ),
    },
    "Show and compare": {
        "show": Verb("Print the figures of a run.", "cli.show:show"),
        "report": Verb("Write a run's report: one HTML file.", "cli.report:report"),
        "site": Verb("Write all runs as a site: search, machines, functions.", "site.command:site"),
        "compare": Verb(
            "Compare two runs, or two libraries of one run.",
            "workloads.single.compare_command:compare",
        ),
        "machines": Verb(
            "Compare the stored runs of many machines.", "answers.machines.command:app"
        ),
    },
    "Simulate and predict": {
        "simulate": Verb(
            "Count cycles of ciphermark's kernels on simulated processors.",
            "workloads.simulation.command:simulate",
        ),
        "model": Verb(
            "Predict costs on processors that were not measured.", "answers.models.command:app"
        ),
    },
    "Published studies": {
        "study": Verb("Repeat a published study and judge its claims.", "studies.command:study"),
    },
    "Manage runs and catalogues": {
        "list": Verb("List algorithms, libraries, targets, runs and more.", "cli.listing:app"),
        "export": Verb("Write a run's figures in another format.", "cli.export:export"),
        "import": Verb("Import figures of other programs.", "workloads.imported.command:import_"),
    },
}
"""Headings with their commands, in the order in which they are shown."""

SESSION_TARGETS = ("--p99", "--each-rate", "--all-rate")
GONE = {
    "cores": "was removed: type ciphermark esp --spread packets for one tunnel, ciphermark esp "
    "--spread tunnels for many, or ciphermark survey --offload none,split for one message",
    "fleet run": "was removed: type ciphermark fleet with the same options",
    "fleet resume": "was removed: type the command again that began the fleet, which goes on",
    "fleet show": "was removed: type ciphermark list runs, or ciphermark machines matrix",
    "fleet --study": "was removed: type ciphermark study NAME on each machine",
    "fleet --full": "was removed: type ciphermark study NAME --full on each machine",
    "fleet --given": "was removed: type ciphermark study NAME --given … on each machine",
    "fleet --local": "was removed: type ciphermark survey, which measures this machine",
    "fleet --patience": "was removed: a machine is waited for as long as Dask keeps its worker",
    "limits": "was removed: type python benchmarks/limits.py in ciphermark's source tree",
    "packets --breakdown": "was removed: type python benchmarks/limits.py in ciphermark's source "
    "tree, which counts the instructions of each kernel",
    "packets --terms": "was removed: type ciphermark study kasumi, whose tables have the terms",
    "packets --p99": "was removed: type ciphermark packets --rate N --cores each, which shows the "
    "latencies on each number of cores",
    **dict.fromkeys(
        (f"{name} {target}" for name in ("sessions", "show") for target in SESSION_TARGETS),
        "was removed: type ciphermark sessions --sweep, whose table has the latency and the rate "
        "of each number of sessions and CPUs",
    ),
    "tune": "was removed: type ciphermark simulate TARGET --flags=-O3 --flags=-Os, which counts "
    "each build, or ciphermark survey --ab OLD NEW, which compares two builds here",
    "machines groups": "was removed: type ciphermark machines matrix, which shows "
    "what each algorithm costs on each machine",
    "machines masks": "was removed: type ciphermark survey --ablate, which measures libraries with "
    "features hidden",
}
"""Commands and options of earlier versions, with a sentence on the replacement."""

VERBS = {name: verb for verbs in GROUPS.values() for name, verb in verbs.items()}


class Commands(Mapping[str, Any]):
    """All commands by their names, each made when it is looked up."""

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401  # of click, which typer vendors
        return _command(name, VERBS[name].place)

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)


@cache
def _command(name: str, place: str) -> Any:  # noqa: ANN401
    module, attribute = place.split(":")
    placed = getattr(import_module(f"ciphermark.{module}"), attribute)
    if isinstance(placed, typer.Typer):
        for one in placed.registered_commands:
            one.cls = OneSubject
        placed.info.cls = CommandGroup
        command = get_group(placed)
        command.name = name
        return command
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=OneSubject)(grouped(placed))
    return get_command(alone)


SUBJECTS = {"--run", "--on", "--for", "--node", "--machine"}
"""Options that name the subject of an answer: a second one is no correction of the first."""


def _refuse_removed(typed: str) -> None:
    """Raises UsageError for a command or an option that was removed."""
    if typed in GONE:
        raise UsageError(f"{typed} {GONE[typed]}")


class OneSubject(TyperCommand):
    """Command that refuses to answer for the last of several subjects alone."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401
        for word in args:
            _refuse_removed(f"{self.name} {word.partition('=')[0]}")
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for one in given:
            named = SUBJECTS.intersection(one.opts)
            if named and given.count(one) > 1 and not getattr(one, "multiple", False):
                times = given.count(one)
                raise UsageError(f"{named.pop()} is written {times} times: write it once")
        return super().parse_args(ctx, args)


class CommandGroup(TyperGroup):
    """Group of commands that names the replacement of a removed one."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        _refuse_removed(args[0] if self.name == "ciphermark" else f"{self.name} {args[0]}")
        return super().resolve_command(ctx, args)


@contextmanager
def _readable_errors() -> Iterator[None]:
    """Shortens the message of a parser's error, which quotes arguments whole."""
    try:
        yield
    except Exception as error:
        # Of click's exceptions, which typer vendors without a public name.
        message = vars(error).get("message")
        if isinstance(message, str):
            error.message = as_sentence(message)  # type: ignore[attr-defined]
        raise


class GroupedCommands(CommandGroup):
    """A command with many commands, listed under headings."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401
        super().__init__(**settings)
        self.commands: Mapping[str, Any] = Commands()  # type: ignore[assignment]

    def make_context(self, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401
        with _readable_errors():
            return super().make_context(*arguments, **named)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        with _readable_errors():
            return super().invoke(ctx)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002
        for heading, verbs in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, verb.line) for name, verb in verbs.items()])
