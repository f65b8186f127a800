"""Functions that packages further up add to all commands; the command line sets them."""

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
    from ciphermark.view.blocks import Block
    from ciphermark.workload import AnyRows


class ReportPart(NamedTuple):
    """Blocks of a report before and after those of its workload."""

    before: Sequence[Block] = ()
    after: Sequence[Block] = ()
    title: str = ""
    """Title of the report; that of its workload if empty."""


OfReport = Callable[
    ["Run", "AnyRows", "Sequence[contract.Algorithm] | None", "Store | None"], ReportPart
]
"""Function that makes a part of a report.

It takes a run, its rows, the facts of all algorithms (if None, it asks for them when it needs
them), and the store of the run, if it is in one.
"""

ShowsKept = Callable[["Kept", bool, "str | None"], bool]
"""Function that shows a run collected from another machine, as JSON or not, of the store that is
named.

Returns whether the run was one of its own.
"""


SuitesOfPeer = Callable[[str, str, "contract.Description"], list[str]]
"""Function that returns the suites of a protocol in a peer's list that this engine has.

It raises `UsageError`.
"""


@dataclass
class Additions:
    """Functions that were added. The first `show_kept` that returns True shows a run; a report has
    all parts, in their order."""

    report_parts: list[OfReport] = field(default_factory=list)
    show_kept: list[ShowsKept] = field(default_factory=list)
    suites_of_peer: SuitesOfPeer = lambda typed, protocol, facts: []  # noqa: ARG005
    library_of: Callable[[str], str | None] = lambda suite: None  # noqa: ARG005
    """Function that returns the library of the usual tools of a suite."""
    use_of: Callable[[str], str | None] = lambda protocol: None  # noqa: ARG005
    """Function that returns the use of a protocol's suites, as `advise --for` takes it."""


additions = Additions()


def late(place: str) -> Callable[..., Any]:
    """Returns the function in a place, `cli.show:show`, which is imported when it is called."""
    return partial(_called, place)


def _called(place: str, *arguments: Any) -> Any:  # noqa: ANN401
    module, name = place.split(":")
    return getattr(import_module(f"ciphermark.{module}"), name)(*arguments)
