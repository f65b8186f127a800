"""`ciphermark limits`."""

from __future__ import annotations

from typing import Annotated

from ciphermark.command.options import (
    EngineOption,
    Help,
    JsonOption,
    MannerOptions,
    Only,
    SelectionOptions,
)

LANES = 192
"""Packets of a call, as in the questions of docs/3gpp.md."""


def limits(
    *,
    selected: Annotated[
        SelectionOptions,
        Only("algorithms", "backends", "sizes"),
        Help(
            algorithms="Algorithms of our kernels, comma-separated, by name or pattern. "
            "Default: those of 3GPP and the universal hashes.",
            backends="Backends, comma-separated, or all. Default: the fastest of each algorithm.",
            sizes="Message sizes: bytes, or 4K. Default: 40 and 1500 for kernels of many "
            "packets, 44, 1500 and 64K for others.",
        ),
    ],
    manner: Annotated[
        MannerOptions,
        Only("lanes"),
        Help(lanes=f"Packets per call for kernels that take many. Default: {LANES}."),
    ],
    json: JsonOption = False,
    engine: EngineOption = None,
) -> None:
    """Say how fast this processor executes each kind of instruction, and how near kernels come.

    The limit of a kernel follows from the instructions that it executes, counted one by one, at the
    rates that were measured; beside it stands the time of the kernel and the share of the limit.
    """
    from ciphermark.answers.limits.asked import measured
    from ciphermark.answers.limits.show import print_limits
    from ciphermark.command.output import print_answer

    found = measured(selected, manner.lanes, engine)
    print_answer(json, lambda: found, lambda console: print_limits(console, found))
