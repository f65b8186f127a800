"""How the upper bounds of cases that are always disturbed lie to their figures.

One survey, of whose converged cases the disturbed samples alone are looked at, as if no other had
been taken. On a machine without a neighbour there is little to look at: run something beside it.
"""

from __future__ import annotations

import statistics

from common import benchmark, figure, find_engine, options, percentile_90, plan, recorded

from ciphermark.workloads.single.groups import upper_bounds
from ciphermark.workloads.single.rows import rows

ALGORITHMS = ["aes-128-gcm", "aes-128-cbc", "chacha20-poly1305", "sha256", "sha512", "hmac-sha256"]
SIZES = [16, 64, 256, 1024, 1500, 16384]
BUDGET_S = 40.0


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    with benchmark("Upper bounds beside a neighbour", engine):
        budget_s = 10.0 if chosen.quick else BUDGET_S
        run = recorded(engine, plan(engine.describe(), ALGORITHMS, SIZES, budget_s))
        samples, cases = run.samples, rows(run)
        disturbed = samples.filter([bool(marks) for marks in samples["disturbed"].to_pylist()])
        known = {row.case: row.cycles_per_message for row in cases if row.converged}
        bounds = upper_bounds(disturbed, known)
        ratios = sorted(bound / known[case] for case, bound in bounds.items())
        figure("samples disturbed", f"{100 * len(disturbed) / max(len(samples), 1):.0f} %")
        figure("converged cases with a bound", f"{len(ratios)} of {len(cases)}")
        if ratios:
            below = sum(ratio < 1 for ratio in ratios) / len(ratios)
            figure("bounds below the figure", f"{100 * below:.1f} %")
            figure("the lowest, of the figure", f"{ratios[0]:.3f}")
            figure("the median, of the figure", f"{statistics.median(ratios):.2f}")
            figure("the 90th percentile", f"{percentile_90(ratios):.2f}")


if __name__ == "__main__":
    main()
