"""How the cases of a part run: without a load, or with one as their workload says."""

from __future__ import annotations

import msgspec

from ciphermark import contract
from ciphermark.plan import names
from ciphermark.plan.cpu_sets import Here
from ciphermark.plan.manner import Manners
from ciphermark.plan.planfile import Part
from ciphermark.plan.selection import Selection


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """The load of a case, of which its workload knows more than is said here."""

    def suits(self, case: contract.Case) -> bool:
        """Whether a case can run so."""
        raise NotImplementedError

    def refusal(self, case: contract.Case) -> str | None:
        """Why a case cannot be called so, whoever does its work; None where that is not worth
        saying."""
        return None


class Working(msgspec.Struct, kw_only=True):
    """What of a part depends on the workload."""

    operations: list[str]
    manners: Manners
    first_manner_only: bool = False
    """Whether an implementation is called in the first of these ways that it has, and no other."""
    wanted: list[Wanted | None] = msgspec.field(default_factory=lambda: [None])
    """How sessions run or packets pass; None alone where there are neither."""
    left_out: list[str] = []
    """What of it cannot be here, one sentence each."""


class Placed(msgspec.Struct):
    """Cases with their loads."""

    cases: list[contract.Case]
    budget_s: float
    notes: list[str]


class Loading:
    """What gives the cases of a workload their loads."""

    def working(
        self,
        part: Part,
        selection: Selection,
        facts: contract.Description,
        algorithms: list[contract.Algorithm],
        here: Here | None,
    ) -> Working:
        """How the cases of these algorithms run; without `here` that is left open."""
        raise NotImplementedError

    def placed(
        self,
        cases: list[tuple[contract.Case, Wanted | None]],
        budget_s: float,
        selection: Selection,
        keyless: set[str],
        seed: int,
        here: Here,
    ) -> Placed:
        """The cases with their loads; raises UsageError where they do not fit. Functions without a
        key are named."""
        raise NotImplementedError

    def seconds(self, case: contract.Case) -> float:
        """Wall time that a case takes."""
        raise NotImplementedError


def working(part: Part, selection: Selection) -> Working:
    """How cases without a load run."""
    return Working(
        operations=names.operation_names(selection.operations or part.operations),
        manners=selection.manners or part.manners,
    )


def offloads_of(part: Part, selection: Selection) -> tuple[contract.Offload, ...]:
    """Where the work of sessions or packets is done."""
    return selection.loads.get("offload") or part.offload
