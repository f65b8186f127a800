"""What packages further up add to what all commands do; the command line fills it in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.command.measuring import Kept
    from ciphermark.record.run import Run
    from ciphermark.record.store import Store
    from ciphermark.show.plots.panel import Plot
    from ciphermark.workload import AnyRows


class ReportPart(NamedTuple):
    """What a report says besides what its workload does."""

    content: dict[str, Any]
    """For the template."""
    plots: list[Plot]
    shown_as: str = "plots"
    """Where the template has these plots."""


OfReport = Callable[
    ["Run", "AnyRows", "Sequence[contract.Algorithm] | None", "Store | None"], ReportPart
]
"""Makes a part of a run, its rows, the facts of all algorithms, which it asks for if need be, and
the store that the run is in, where it is in one."""

ShowsKept = Callable[["Kept", bool, "str | None"], bool]
"""Shows a run that was collected from another machine, as JSON or not, of the store that is named;
says whether it was one of its own."""


SuitesOfPeer = Callable[[str, str, "contract.Description"], list[str]]
"""Returns the suites of a protocol in a peer's list that this engine has. Raises `UsageError`."""


@dataclass
class Additions:
    """The first that knows a run shows it; a report has all parts, in their order."""

    report_parts: list[OfReport] = field(default_factory=list)
    show_kept: list[ShowsKept] = field(default_factory=list)
    suites_of_peer: SuitesOfPeer = lambda typed, protocol, facts: []  # noqa: ARG005
    library_of: Callable[[str], str | None] = lambda suite: None  # noqa: ARG005
    """Returns the library of the usual tools of a suite."""
    use_of: Callable[[str], str | None] = lambda protocol: None  # noqa: ARG005
    """Returns the use of a protocol's suites, as `advise --for` takes it."""


additions = Additions()


def late(place: str) -> Callable[..., Any]:
    """Returns the function in a place, `cli.show:show`, which is imported when it is called."""
    return partial(_called, place)


def _called(place: str, *arguments: Any) -> Any:  # noqa: ANN401
    module, name = place.split(":")
    return getattr(import_module(f"ciphermark.{module}"), name)(*arguments)
