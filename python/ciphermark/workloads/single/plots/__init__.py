"""The plots of a survey. To add one, write a file with a `PLOT` and name it here."""

from __future__ import annotations

from ciphermark.workloads.single.plots import cost, cycles, stability, throughput

PLOTS = (cycles.PLOT, throughput.PLOT, cost.PLOT, stability.PLOT)
