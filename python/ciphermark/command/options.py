"""The options of commands: each is declared once, as a field of the group that it belongs to.

A command takes groups, `grouped` makes of them the options that typer sees, in the order of the
fields, and hands the filled groups to the command:

    def packets(selected: SelectionOptions, load: PacketOptions, output: OutputOptions): ...

    app.command("packets")(grouped(packets))

Readers of options take the fields of several groups together:

    selection.from_options(**given(selected, sampling, builds))

A command that takes only some options of a group, or gives one another help text, adds that to the
annotation; fields that are left out have their defaults:

    sampling: Annotated[SamplingOptions, Only("precision", "budget")]
    plan: Annotated[PlanOptions, Only("quick", "seed"), Help(quick="A third of the time.")]

`option` and `flag` declare a field, whose name is the option's. Options of a single command are a
group in the folder of the command, or parameters like `json: JsonOption = False`.
Commands call each other with filled groups: `packets(SelectionOptions(algorithms="aes-128-gcm"),
…)`, and hand a group on whole.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import typer

from ciphermark.command.output import note_runs

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.plan.manner import Manners

Command = Callable[..., None]


class Only:
    """Mark of the fields of a group that are options of the command."""

    def __init__(self, *names: str) -> None:
        self.names = names


class Help:
    """Mark with help texts for fields of a group, instead of their usual ones."""

    def __init__(self, **texts: str) -> None:
        self.texts = texts


def option(metavar: str, text: str, *names: str, **more: Any) -> Any:  # noqa: ANN401  # of typer
    """Declares an option that takes a value; it is called like its field unless named."""
    return typer.Option(*names, metavar=metavar, help=text, **more)


def flag(text: str, *names: str, **more: Any) -> Any:  # noqa: ANN401  # of typer
    """Declares an option without a value; it is called like its field unless named."""
    return typer.Option(*names, help=text, **more)


RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="A stored run: `last`, its identifier, or any unique part of it.",
    ),
]
RunsOption = Annotated[
    str | None,
    option(
        "DIR",
        "Folder of the stored runs, or the URL of a shared one (sftp://user@host/path, "
        "s3://bucket/prefix). Default: the variable CIPHERMARK_RUNS, else the user's data folder.",
        "--runs",
        callback=note_runs,
    ),
]
PolicyOption = Annotated[
    str | None,
    option(
        "LIST",
        "Scheduling policy of the threads that process messages: other (default), batch, idle, "
        "round-robin (real-time).",
        "--policy",
    ),
]
EnergyOption = Annotated[
    bool,
    flag(
        "Also measure joules per byte and watts of each case, one second each, where a power "
        "meter can be read.",
        "--energy",
    ),
]
JsonOption = Annotated[bool, flag("Print JSON for machines on standard output.", "--json")]
OutputOption = Annotated[Path | None, option("PATH", "Where to write.", "--output")]
ForceOption = Annotated[bool, flag("Replace the file of --output if it exists.", "--force")]
OpenOption = Annotated[bool, flag("Also open it in the browser.", "--open")]
EngineOption = Annotated[
    Path | None,
    option(
        "PATH",
        "The ciphermark-engine to use. Default: the variable CIPHERMARK_ENGINE, else the "
        "installed one.",
        "--engine",
    ),
]


@dataclass
class SelectionOptions:
    """Functions to measure, their implementations and sizes."""

    algorithms: Annotated[
        str | None,
        option(
            "LIST", "Algorithms, comma-separated, by name or pattern (`cmac-*`); `all` for all."
        ),
    ] = None
    providers: Annotated[
        str | None,
        option("LIST", "Libraries, comma-separated, by name (ciphermark list providers)."),
    ] = None
    backends: Annotated[
        str | None, option("LIST", "Code paths of a library, comma-separated, such as aesni.")
    ] = None
    operations: Annotated[
        str | None,
        option(
            "LIST",
            "Comma-separated: seal, open, encrypt, decrypt, mac, verify, digest, keystream, setup.",
        ),
    ] = None
    sizes: Annotated[
        str | None,
        option(
            "LIST",
            "Message sizes: bytes, 4K or 1M (powers of 1024), or a range by doubling: 16..64K.",
        ),
    ] = None
    profile: Annotated[
        str | None,
        option(
            "LIST",
            "Mixes of message sizes instead of --sizes: names (ciphermark list profiles), files "
            "(TOML or CSV), or a genome of RFC 6985 (imix:aaaaabbd).",
        ),
    ] = None


@dataclass
class MannerOptions:
    """Ways of calling functions."""

    pattern: Annotated[
        str | None,
        option(
            "LIST",
            "Calling patterns: reused-key (default), rekeyed, one-shot, fetched, incremental, or "
            "all.",
        ),
    ] = None
    chunk: Annotated[
        str | None, option("BYTES", "Bytes per call with the pattern incremental. Default: 64.")
    ] = None
    lanes: Annotated[
        str | None,
        option(
            "LIST",
            "Messages per call, each under its own key; `all`: as many as the implementation "
            "takes. Default: 1.",
        ),
    ] = None
    keys: Annotated[
        str | None,
        option(
            "LIST",
            "Distinct keys in use: 1,1000,1000000. Default: 1; with --lanes, one for each lane.",
        ),
    ] = None
    buffers: Annotated[
        str | None,
        option(
            "LIST",
            "Where messages lie: hot (nearest cache; default), l2 (second-level cache), stream "
            "(memory), cold (memory, all caches refilled before each call), or repeated (one "
            "chunk again and again, with the pattern incremental).",
        ),
    ] = None
    after: Annotated[
        str | None,
        option(
            "LIST",
            "Algorithms of the same library to call before every message: measures a function's "
            "cost after them, beside its cost alone.",
        ),
    ] = None

    def read(self, kinds: tuple[contract.Buffers, ...] | None = None) -> Manners | None:
        """Returns the options as plans take them; None where none is given.

        `kinds` are the buffers that are allowed, all if None.
        """
        from ciphermark.plan import manner

        given = vars(self)
        return manner.from_options(**given, kinds=kinds) if kinds else manner.from_options(**given)


@dataclass
class OffloadOptions:
    """Place of the work, if not the calling core."""

    offload: Annotated[
        str | None,
        option(
            "LIST",
            "Where the work is done: none (the calling CPU; default), cores (other CPUs), opencl, "
            "af_alg (the kernel).",
        ),
    ] = None
    offload_cpus: Annotated[
        str | None,
        option("SET", "CPUs that act as the device cores. Default: CPUs that do nothing else."),
    ] = None


@dataclass
class LoadOptions:
    """Load at once, and the CPUs for it."""

    cpus: Annotated[
        list[str] | None,
        option(
            "SET",
            "CPUs to run on: 0, 0-3, 0,2, physical (one logical CPU of each core), smt (one core "
            "with all its logical CPUs), all; repeatable, one case for each set.",
        ),
    ] = None
    cores: Annotated[
        str | None, option("LIST", "How many CPUs, the first ones: 1,2,4; `each`: from one to all.")
    ] = None
    rate: Annotated[
        str | None,
        option(
            "LIST",
            "Messages per second offered to all sessions together, at random times. Default: each "
            "session sends its next message at once.",
        ),
    ] = None
    duration: Annotated[
        str | None,
        option("TIME", "Execution time t of each case: 5s. Default: chosen for the case."),
    ] = None


@dataclass
class SamplingOptions:
    """Precision, time and CPU of measurements."""

    precision: Annotated[
        str | None, option("SHARE", "Half-width of the 95 % interval to reach: 0.01 or 1%.")
    ] = None
    budget: Annotated[str | None, option("TIME", "Longest time for measuring: 60, 60s, 2m.")] = None
    cpus: Annotated[
        str | None, option("CPU", "The CPU to measure on: 1. Default: the quietest.")
    ] = None


@dataclass
class BuildOptions:
    """Libraries and kernels of the user's own."""

    library: Annotated[
        list[str] | None,
        option(
            "PROVIDER=PATH",
            "Use this library file instead of the installed one; repeatable, also for several "
            "builds of one library.",
        ),
    ] = None
    kernel: Annotated[
        list[str] | None,
        option("PATH", "A shared object of yours with the interface of kernel.h; repeatable."),
    ] = None


@dataclass
class PlanOptions:
    """Plan to measure, and its thoroughness."""

    quick: Annotated[bool, flag("A first look: wider intervals in less time.")] = False
    every: Annotated[
        bool, flag("All algorithms, operations, backends and more sizes.", "--all")
    ] = False
    full: Annotated[bool, flag("All that the study can measure, for as long as it takes.")] = False
    plan: Annotated[
        Path | None, option("FILE", "A plan file of your own (TOML) instead of the built-in plan.")
    ] = None
    given: Annotated[
        str | None,
        option(
            "NAME=NUMBER,...",
            "Figures that cannot be measured, where a study asks for them: price=120,watts=10.",
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, max=2**53, help="Seed of inputs and order. Default: random."),
    ] = None
    dry_run: Annotated[bool, flag("Only print the cases and the expected time.")] = False


@dataclass
class TunnelLoadOptions:
    """Suites of tunnels, and the traffic through them."""

    suites: Annotated[
        str | None,
        option(
            "LIST",
            "Suites by name or pattern, or protocols: esp:aes-128-gcm,'tls13:*',openvpn.",
            "--suites",
            "--suite",
        ),
    ] = None
    tunnels: Annotated[
        str | None, option("N", "Tunnels or sessions, each with a key of its own.")
    ] = None
    rate: Annotated[
        str | None, option("RATE", "Payload of each tunnel, per direction: 100M, 1Gbit/s, 10MB/s.")
    ] = None
    all_rate: Annotated[str | None, option("RATE", "Payload of all tunnels together: 2G.")] = None
    link: Annotated[
        str | None,
        option("RATE", "Rate of an Ethernet line to fill, protocol overhead included: 1G."),
    ] = None
    both_ways: Annotated[
        bool, flag("As much traffic comes in as goes out; rates are per direction.")
    ] = False
    path_cost: Annotated[
        str | None,
        option(
            "TIME",
            "CPU time of a packet beside its cryptography: 900ns. Default: from the newest "
            "ciphermark tunnel of this machine.",
        ),
    ] = None


@dataclass
class OutputOptions:
    """Output of the command, and the folder of runs."""

    json: JsonOption = False
    output: OutputOption = None
    force: ForceOption = False
    runs: RunsOption = None


@dataclass
class EngineOptions:
    """Engine that measures, and its machine."""

    on: Annotated[
        str | None,
        option(
            "MACHINE",
            "Measure on that machine over SSH; it needs only a shell: user@host, or a Host of "
            "~/.ssh/config.",
        ),
    ] = None
    engine: EngineOption = None


def given(*groups: object) -> dict[str, Any]:
    """Returns the fields of groups by name, for functions that read them together."""
    return {name: value for group in groups for name, value in vars(group).items()}


def grouped(command: Command) -> Command:
    """Returns a command for typer, with the fields of its groups as parameters."""
    taken = [
        (it, list(_fields(it)) if _group(it) else None)
        for it in inspect.signature(command, eval_str=True).parameters.values()
    ]

    @functools.wraps(command)
    def flat(**chosen: Any) -> None:
        for it, parts in taken:
            if parts is not None:
                values = {part.name: chosen.pop(part.name) for part in parts}
                chosen[it.name] = _group(it)(**values)
        command(**chosen)

    parameters = [
        part.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for it, parts in taken
        for part in ([it] if parts is None else parts)
    ]
    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # of functions
    flat.__annotations__ = {it.name: it.annotation for it in parameters}
    return flat


def _group(parameter: inspect.Parameter) -> Any:
    """Returns the dataclass that a parameter takes; None for types that typer supports."""
    kind = parameter.annotation
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    return kind if is_dataclass(kind) else None


def _fields(parameter: inspect.Parameter) -> Iterator[inspect.Parameter]:
    """Yields the fields of a group as parameters, with the changes for the command."""
    group = _group(parameter)
    options = dict(_annotations(group))
    taken = list(options)
    for mark in getattr(parameter.annotation, "__metadata__", ()):
        if isinstance(mark, Only):
            taken = [name for name in taken if name in mark.names]
            if unknown := set(mark.names) - set(taken):
                raise KeyError(*unknown)
        elif isinstance(mark, Help):
            for name, text in mark.texts.items():
                kind, declared = get_args(options[name])
                declared = copy(declared)
                declared.help = text
                options[name] = Annotated[kind, declared]
    defaults = {field.name: field.default for field in fields(group)}
    for name in taken:
        default = inspect.Parameter.empty if defaults[name] is MISSING else defaults[name]
        yield inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=options[name]
        )


@functools.cache
def _annotations(group: type) -> dict[str, Any]:
    """Returns the fields with their options; each flag has a name, and so no opposite."""
    hints = get_type_hints(group, include_extras=True)
    for name, hint in hints.items():
        kind, declared = get_args(hint)
        if kind is bool and not declared.param_decls and declared.default is ...:
            declared.param_decls = (f"--{name.replace('_', '-')}",)
    return hints
