"""The plots of a run. To add one, write a file with a `PLOT` and name it here."""

from __future__ import annotations

from ciphermark.show.plots import cycles, throughput

PLOTS = (cycles.PLOT, throughput.PLOT)
