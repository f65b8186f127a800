"""What a plan must know of the machine that it is for."""

from __future__ import annotations

import msgspec

from ciphermark.plan.cpu_sets import Cpus
from ciphermark.plan.session_limits import Limits


class Here(msgspec.Struct, frozen=True, kw_only=True):
    """The CPUs and the limits of this user on this machine."""

    cpus: Cpus
    limits: Limits
    may_bound_cpu: bool
    """Whether sessions can be given a quota of CPU time."""
