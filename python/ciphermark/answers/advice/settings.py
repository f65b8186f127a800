"""What to paste where, so that a tool does what is advised."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ciphermark.answers.advice.uses import Tool, Use, suite_parts

MOST_NAMED = 3
"""Suites in a list: what is advised and two to fall back to."""


class Setting(msgspec.Struct, kw_only=True):
    """One line for one tool."""

    tool: str
    title: str
    where: str
    line: str
    note: str
    sources: list[str]


def settings(use: Use, chosen: str, fallbacks: Sequence[str] = ()) -> list[Setting]:
    """A line for each tool that knows the suite. Where a tool takes a list, the best of what else
    fulfils all wishes follows, so that peers without the first find another."""
    found = []
    for tool in use.tools:
        names = [_called(tool, it) for it in (chosen, *fallbacks)]
        if names[0] is None:
            continue
        known = list(dict.fromkeys(it for it in names if it is not None))
        named = tool.separator.join(known[:MOST_NAMED]) if tool.separator else known[0]
        found += [
            Setting(
                tool=tool.name,
                title=tool.title,
                where=tool.where,
                line=tool.line.replace("{name}", part),
                note=tool.note,
                sources=tool.sources,
            )
            for part in named.split(" | ")
        ]
    return found


def _called(tool: Tool, suite: str) -> str | None:
    """What a tool calls a suite: as a whole, or its parts with a dash between them."""
    if suite in tool.suites:
        return tool.suites[suite]
    _, cipher, integrity = suite_parts(suite)
    parts = []
    if tool.ciphers:
        parts.append(tool.ciphers.get(cipher))
    if tool.integrity and (integrity is not None or not tool.ciphers):
        parts.append(None if integrity is None else tool.integrity.get(integrity))
    return "-".join(parts) if parts and None not in parts else None
