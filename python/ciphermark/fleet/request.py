"""What is asked of every machine of a fleet: a plan file and options as they were typed.

Machines have different libraries, so that each gets numbered cases of its own; the seed, which
decides keys, messages and order, is the same for all. All of it is kept with the fleet as JSON, for
a fleet that goes on another day.
"""

from __future__ import annotations

import msgspec

from ciphermark.plan import manner, selection
from ciphermark.plan.planfile import Effort, PlanFile
from ciphermark.plan.selection import Selection


class FleetRequest(msgspec.Struct, kw_only=True, frozen=True):
    """A plan and what the user said of it."""

    plan: PlanFile
    plan_name: str
    """Name of the default plan, of the user's file, or of the study."""
    study: str | None = None
    """The study that it is, whose further plans are measured after its first."""
    effort: Effort = "usual"
    options: dict[str, str] = {}
    """Those of `plan.selection.from_options` that were given."""
    manners: dict[str, str] = {}
    """Those of `plan.manner.from_options`."""
    given: dict[str, float] = {}
    """What a study was told."""
    seed: int

    def selection(self) -> Selection:
        """What the user asked for. Raises UsageError for what means nothing."""
        ways = ("pattern", "chunk", "lanes", "keys", "buffers")
        manners = manner.from_options(*(self.manners.get(name) for name in ways))
        chosen = selection.from_options(**self.options, manners=manners)
        chosen.seed = self.seed
        return chosen
