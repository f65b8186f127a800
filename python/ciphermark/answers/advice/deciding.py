"""What the page for decision makers needs beside a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.run import Context


def facts_for(context: Context) -> list[contract.Algorithm]:
    """The facts of all algorithms, of which advice needs more than a run has; none where no engine
    is here or nobody asks."""
    from ciphermark.answers.advice.decision import is_decided_on

    if not is_decided_on(context):
        return []
    from ciphermark.answers.advice.data import Facts

    return Facts(None).get()
