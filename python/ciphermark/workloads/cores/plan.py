"""The plans of `ciphermark cores`: the same functions on one core and on several, in three ways."""

from __future__ import annotations

from typing import Literal

import msgspec

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import cpu_sets, splitting
from ciphermark.plan.build import Built, build
from ciphermark.plan.cpu_sets import Cpus, Here
from ciphermark.plan.planfile import PlanFile, default
from ciphermark.plan.selection import Selection

Way = Literal["message", "flow", "tunnels"]
"""One message split, the packets of one flow in their order, many tunnels."""

WAYS: tuple[Way, ...] = ("message", "flow", "tunnels")
NAMES: dict[Way, str] = {way: f"cores-{way}" for way in WAYS}
"""Names of the default plans."""

SHARES: dict[Way, float] = {"message": 0.4, "flow": 0.3, "tunnels": 0.3}
"""Of the budget: the first has the most sizes."""

QUICK_SHARE = 1 / 3
"""Of the usual budget that a quick look has."""

EXECUTION_S = 0.6
"""What an execution of the tunnels takes, with its fresh process."""

AMPLE_S = 3600.0
"""More than any plan here takes."""

FLOW_CASE_S = 1.0
"""The least that a case of packets has, with the making and checking of them."""

FEWEST, MOST = 2, 6
"""Executions of the tunnels: the fewest that have an interval, and enough for a narrow one."""

SUITE = "esp:aes-128-cbc+hmac-sha1-96"
"""CBC and HMAC on the same packet, where the engine has suites."""


class Sharing(msgspec.Struct, frozen=True, kw_only=True):
    """The CPUs of all three ways."""

    cpus: list[int]
    """Those that share, ascending, at least two."""

    @property
    def alone(self) -> int:
        """The one that works where one does: the first CPUs serve most interrupts."""
        return self.cpus[-1]


def sharing(named: str | None, cpus: Cpus) -> Sharing:
    """The CPUs that a set names, or all."""
    found = cpus.allowed if named is None else cpu_sets.resolve(named, cpus)
    if len(found) < 2:
        raise UsageError(
            f"work cannot be spread over one CPU ({cpu_sets.listed(found)}): write --cpus with "
            f"two or more of {cpu_sets.listed(cpus.allowed)}"
        )
    return Sharing(cpus=sorted(found))


def plan_file(
    way: Way, facts: contract.Description, budget_s: float | None, quick: bool
) -> PlanFile:
    """The default plan of a way, with the suite of CBC and HMAC where there is one."""
    file = default(NAMES[way])
    budget_s = file.budget_s if budget_s is None else SHARES[way] * budget_s
    file.budget_s = budget_s * (QUICK_SHARE if quick else 1)
    if any(it.name == SUITE for it in facts.algorithms):
        file.algorithms = [*file.algorithms, SUITE]
    return file


def built(
    way: Way,
    file: PlanFile,
    selection: Selection,
    facts: contract.Description,
    here: Here,
    on: Sharing,
) -> Built:
    """The cases of a way on one CPU and on all that share."""
    chosen = msgspec.structs.replace(selection, budget_s=file.budget_s)
    if way == "message":
        chosen.cpu = on.alone
        chosen.sizes = selection.sizes and sorted({*selection.sizes, *file.sizes})
        return splitting.spread(build(file, chosen, facts), ("none", "split"), on.cpus)
    chosen.loads = {"cpus": (str(on.alone), cpu_sets.listed(on.cpus))}
    if way == "flow":
        # Passes take their time: a short budget has fewer of them, and not fewer cases.
        chosen.budget_s = AMPLE_S
        cases = len(build(file, chosen, facts, here).plan.cases)
        chosen.budget_s = max(file.budget_s, FLOW_CASE_S * cases)
        return build(file, chosen, facts, here)
    # How long an execution takes is said, and so is how often: the budget is what comes of both.
    chosen.budget_s = None
    return _repeated(build(file, chosen, facts, here), file.budget_s)


def _repeated(built: Built, budget_s: float) -> Built:
    """Every case several times, one after the other, so that what drifts hits all alike."""
    once = built.plan.cases
    times = max(FEWEST, min(MOST, int(budget_s / (EXECUTION_S * len(once)))))
    cases = [
        msgspec.structs.replace(case, case=number)
        for number, case in enumerate(case for _ in range(times) for case in once)
    ]
    needed_s = 2 * EXECUTION_S * len(cases)
    plan = msgspec.structs.replace(built.plan, cases=cases, budget_s=max(budget_s, needed_s))
    return msgspec.structs.replace(built, plan=plan)
