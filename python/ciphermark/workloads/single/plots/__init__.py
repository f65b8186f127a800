"""The plots of a survey. To add one, write a file with a `PLOT` and name it here."""

from __future__ import annotations

from ciphermark.workloads.single.plots import cost, over_size, stability

PLOTS = (over_size.CYCLES, over_size.THROUGHPUT, cost.PLOT, stability.PLOT)
