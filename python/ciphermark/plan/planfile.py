"""The format of plans that people write: default plans and studies (TOML)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.files import toml_file
from ciphermark.plan.loads import Attempts, PacketLoads, SessionLoads
from ciphermark.plan.manner import Manners
from ciphermark.plan.paper import Paper, Text
from ciphermark.plan.quantities import LARGEST_MESSAGE_BYTES

DEFAULTS = Path(__file__).parent / "defaults"


Effort = Literal["quick", "usual", "full"]
"""How much of a plan is measured, from the least."""

Share = Annotated[float, msgspec.Meta(gt=0, le=0.5)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)]
Overtime = Annotated[float, msgspec.Meta(ge=0, le=86_400)]


MOST_NAMES = msgspec.Meta(max_length=1000)
"""Of a list in a file; every part of a plan may have the list again."""


class Part(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Functions that are measured at the same sizes and called in the same way."""

    algorithms: Annotated[list[str], MOST_NAMES] | Literal["survey", "all"]
    """Names or patterns; `survey`: those whose facts say so."""
    operations: Annotated[list[str], MOST_NAMES]
    """Operations: `seal`, `open`, `encrypt`, `decrypt`, `mac`, `digest`, `setup` and others."""
    sizes: Annotated[list[Annotated[int, msgspec.Meta(ge=0, le=LARGEST_MESSAGE_BYTES)]], MOST_NAMES]
    """Message sizes, bytes."""
    more_sizes: Annotated[dict[str, list[int]], MOST_NAMES] = {}
    """Sizes added by patterns of algorithms, unless the user names sizes or profiles."""
    profiles: Annotated[list[str], MOST_NAMES] = []
    """Mixes of sizes in their place, by name."""
    providers: Annotated[list[str], MOST_NAMES] | Literal["all", "fastest"] = "all"
    """`fastest`: of each function the one that a quick look beforehand finds."""
    backends: Annotated[list[str], MOST_NAMES] | Literal["default", "all"] = "default"
    """Those that a machine does not have are left out."""
    left_to_libraries: Annotated[list[str], MOST_NAMES] = []
    """Patterns of algorithms for which our kernels are left out where another library has them and
    the user names no algorithm, provider or backend: kernels to be read and simulated, which no
    caller would choose here."""
    switches: dict[str, str] = {}
    """Environment variables that hide features of the processor from the libraries."""
    ablate: bool = False
    """Also with each feature of the processor hidden that a library is seen to use."""
    hidden: Annotated[list[str], MOST_NAMES] = []
    """Features that are hidden together, by the libraries that can be told; those that a processor
    does not have are hidden already."""
    instead_of: str | None = None
    """A provider in whose place this is measured where that cannot be used; absent where it is
    measured in any case."""
    split: bool = False
    """Of a plan of the workload `single` that comes after another: also with each message split
    over all CPUs, where there are several."""
    pattern: contract.Pattern = "reused-key"
    """Way in which keys and contexts are used from message to message."""
    chunk_bytes: Annotated[int, msgspec.Meta(ge=1)] = 64
    """Bytes at a time with the pattern `incremental`."""
    buffers: contract.Buffers = "hot"
    """Place of the messages: in the nearest cache, or in memory."""
    effort: Effort = "quick"
    """The least effort at which it is measured."""
    keys: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """Distinct keys in use, of suites the tunnels that packets go round; else one for each lane."""
    sessions: SessionLoads = SessionLoads()
    """Only of the workload `sessions`."""
    packets: PacketLoads = PacketLoads()
    """Only of the workload `packets`."""

    @property
    def manners(self) -> Manners:
        """The one way of calling."""
        return Manners(
            patterns=(self.pattern,),
            chunk_bytes=self.chunk_bytes,
            buffers=(self.buffers,),
            keys=(self.keys,),
        )

    @property
    def offload(self) -> tuple[contract.Offload, ...]:
        """Where the work of a load is done: by the table of its workload, as the other says
        nothing."""
        return self.sessions.offload if self.packets.offload == ("none",) else self.packets.offload

    def _trying(self, attempts: int | None) -> Self:
        """With so many attempts at most; with its own where that is None."""
        if attempts is None:
            return self
        sessions = msgspec.structs.replace(self.sessions, attempts=attempts)
        return msgspec.structs.replace(self, sessions=sessions)


class Thoroughness(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """What another effort than the usual one changes for all parts."""

    precision: Share
    """Wanted half-width of the 95 % interval, as a share."""
    budget_s: Seconds
    """Time for measuring, seconds."""
    overtime_s: Overtime = 0
    """Seconds beyond the budget for cases that would else lack processes."""
    attempts: Attempts | None = None
    """At each case of many sessions."""


class PlanFile(Part, kw_only=True, forbid_unknown_fields=True):
    """What to measure, in words; `plan.build` turns it into numbered cases."""

    title: str
    """Title of the run and its report."""
    workload: contract.Workload
    """Single messages, many sessions at once, or packets through a queue."""
    precision: Share
    """Wanted half-width of the 95 % interval, as a share."""
    budget_s: Seconds
    """Time for measuring, seconds."""
    overtime_s: Overtime = 0
    """By so much the budget may be exceeded where cases would else lack the processes that an
    interval needs; not where the user gives a budget."""
    max_cases: Annotated[int, msgspec.Meta(ge=1)]
    """Cases at most; of more, the least telling are left out."""
    cost_cards: bool = True
    """Whether the sizes that a cost card needs stay where there are more cases than that."""
    all_optional: bool = False
    """Whether no case is left out, however many there are: the most telling ones are measured
    first, and the others as far as the budget has room for them."""
    also: Annotated[list[Part], msgspec.Meta(max_length=100)] = []
    """Further parts; in a file each has the fields of the first that it does not have itself."""
    quick: Thoroughness = msgspec.field(
        default_factory=lambda: Thoroughness(precision=0.05, budget_s=30)
    )
    """Changes of the option `--quick`."""
    full: Thoroughness = msgspec.field(
        default_factory=lambda: Thoroughness(precision=0.005, budget_s=3600)
    )
    """Changes of the option `--full`."""
    paper: Paper | None = None
    """Of a study: what it repeats."""
    begins: Text | None = None
    """Of a study of a paper that is not known by name: the first words of its copy."""
    name: str = ""
    """Of a plan within another: what its run is called after the other's name."""
    then: Annotated[list[PlanFile], msgspec.Meta(max_length=20)] = []
    """Plans of other workloads that are measured after this one and kept with it; in a file each
    has the fields of this one's first part, its precision and its limits, that it does not have
    itself."""

    @property
    def source(self) -> str | None:
        """Authors, title, venue and date of what a study repeats; else how its copy begins."""
        if self.paper is None and self.begins:
            return (
                f"a paper without title and authors in the copy used, which begins “{self.begins}”"
            )
        return self.paper.line if self.paper else None

    @property
    def in_turn(self) -> list[PlanFile]:
        """This plan, and those that are measured after it."""
        return [self, *(plan for then in self.then for plan in then.in_turn)]

    @property
    def parts(self) -> list[Part]:
        """The first, which is the file's own, and those that it has also."""
        return [self, *self.also]

    def at(self, effort: Effort) -> PlanFile:
        """What is measured at that effort."""
        changed = {"quick": self.quick, "full": self.full}.get(effort)
        kept = [part for part in self.also if _place(part.effort) <= _place(effort)]
        then = [plan.at(effort) for plan in self.then if _place(plan.effort) <= _place(effort)]
        if changed is None:
            return msgspec.structs.replace(self, also=kept, then=then)
        return msgspec.structs.replace(
            self._trying(changed.attempts),
            also=[part._trying(changed.attempts) for part in kept],
            then=then,
            precision=changed.precision,
            budget_s=changed.budget_s,
            overtime_s=changed.overtime_s,
        )


def _place(effort: Effort) -> int:
    return get_args(Effort).index(effort)


COMMANDS: dict[contract.Workload, str] = {
    "single": "survey",
    "sessions": "sessions",
    "packets": "packets",
}
"""Which command measures a plan of a workload."""


def read(path: Path, workload: contract.Workload | None = None) -> PlanFile:
    """Reads a plan file, if need be one of a workload; the error is a sentence that names the file
    and the field."""
    file = _read(path)
    if workload is not None and file.then:
        raise UsageError(
            f"the plan {path} has plans that are measured after it, which only a study has: leave "
            "out its [[then]]"
        )
    if workload not in (None, file.workload):
        raise UsageError(
            f"the plan {path} has the workload {file.workload}: write "
            f"ciphermark {COMMANDS[file.workload]} --plan {path}"
        )
    return file


def _read(path: Path) -> PlanFile:
    table = toml_file.read(path, "the plan")
    return toml_file.as_kind(_completed(table), f"the plan {path}", PlanFile)


_SHARED = ("title", "workload", "paper", "precision", "max_cases", "cost_cards", "all_optional")
"""What a plan that is measured after another has of it besides the fields of its first part."""


def _completed(table: dict[str, Any]) -> dict[str, Any]:
    """With the fields of the first part in the others, where they say nothing else."""
    first = {name: table[name] for name in Part.__struct_fields__ if name in table}
    completed = dict(table)
    if _is_list_of_tables(table.get("also")):
        completed["also"] = [_laid_over(first, part) for part in table["also"]]
    if _is_list_of_tables(table.get("then")):
        shared = first | {name: table[name] for name in _SHARED if name in table}
        completed["then"] = [_completed(_laid_over(shared, plan)) for plan in table["then"]]
    return completed


def _is_list_of_tables(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(it, dict) for it in value)


def _laid_over(first: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """A part with the fields that it does not have itself, within its tables too."""
    tables = {
        name: first[name] | value
        for name, value in part.items()
        if isinstance(value, dict) and isinstance(first.get(name), dict)
    }
    return first | part | tables


def default(name: str) -> PlanFile:
    """The default plan of that name."""
    return read(DEFAULTS / f"{name}.toml")
