"""What the report of tunnels says, in words and tables."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any

from ciphermark.run.doctor import examine, overall
from ciphermark.show import figures
from ciphermark.show.column import Fact, page_cells, page_heads
from ciphermark.show.machine import processor
from ciphermark.workloads.surroundings import about
from ciphermark.workloads.tunnel.columns import columns
from ciphermark.workloads.tunnel.remarks import method, missing, remarks
from ciphermark.workloads.tunnel.row import TunnelRow

if TYPE_CHECKING:
    from ciphermark.contract.tunnel import Tunnel
    from ciphermark.record.run import Run


def tunnel_page(run: Run, rows: list[TunnelRow]) -> dict[str, Any]:
    """All that the template needs but the plots."""
    environment = run.context.engine_hello.environment
    shown = [row for row in rows if row.is_measured]
    table = columns(shown)
    return about(run) | {
        "title": f"What tunnels carry on {processor(environment.machine)}",
        "doctor": overall(examine(environment)).line,
        "study": None,
        "timed": {},
        "facts": _facts(run, shown),
        "remarks": list(remarks(rows)),
        "summary_heads": page_heads(table),
        "summary": [{"section": row.title, "cells": page_cells(table, row)} for row in shown],
        "sections": list(dict.fromkeys(row.title for row in shown)),
        "missing": list(missing(rows)),
        "settings": _settings(run.tunnels),
        "method": method(),
    }


def _facts(run: Run, shown: list[TunnelRow]) -> list[Fact]:
    used = next((it for it in run.tunnels if it.manner), None)
    kinds = list(dict.fromkeys(row.kind for row in shown))
    cpus = run.context.engine_hello.environment.machine.cpus_online
    facts = [
        Fact("Kinds", str(len(kinds)), ", ".join(kinds) or "none could be run"),
        Fact("Cores", str(cpus), "shared by sender, gateways and receiver"),
        Fact("Took", f"{run.context.elapsed_s:.0f} s", figures.counted(len(shown), "figure")),
    ]
    if used is not None:
        offloads = "offloads on" if used.offloads else "offloads off"
        facts.insert(
            1, Fact("Link", f"{used.mtu} B", f"MTU between the gateways, veth, {offloads}")
        )
        facts.insert(2, Fact("As", used.manner.partition(" ")[0], used.manner))
    if softirq := _softirq(run.tunnels):
        facts.append(Fact("Softirq", softirq, "of each CPU's time, of all that the machine did"))
    return facts


def _softirq(tunnels: list[Tunnel]) -> str:
    """Of each CPU, in the middle of all trials; in threads of its own the kernel spends none."""
    each = [it.softirq_share for tunnel in tunnels for it in tunnel.trials if it.softirq_share]
    return " · ".join(figures.percent(median(shares), 2) for shares in zip(*each, strict=False))


def _settings(tunnels: list[Tunnel]) -> dict[str, str]:
    """How each kind was called."""
    found = {}
    for tunnel in tunnels:
        if tunnel.version:
            found[tunnel.case.kind] = ", ".join(filter(None, [tunnel.version, tunnel.setting]))
    return found
