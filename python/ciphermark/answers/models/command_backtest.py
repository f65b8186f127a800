"""`ciphermark model backtest`."""

from __future__ import annotations

from ciphermark.answers.models.data import SIMULATED, CostsOption, MetricOption
from ciphermark.command.options import JsonOption, RunsOption


def backtest(
    data: CostsOption = SIMULATED,
    metric: MetricOption = None,
    json: JsonOption = False,
    runs: RunsOption = None,
) -> None:
    """Say how wrong both models are at processors and algorithms that they have not seen.

    Each processor is left out in turn and predicted from the others, by the paper's model of blocks
    and by that of operations; then each algorithm. With a few functions of the processor itself the
    model of operations does better: by how much, and which to measure first, is said too.
    """
    from ciphermark.answers.models.operations import observed_with_operations

    found = observed_with_operations(data, runs, metric)
    from ciphermark.answers.models.backtests import backtests

    tested = backtests(found)
    if json:
        from ciphermark.command.output import print_json

        print_json(tested)
        return
    from ciphermark.answers.models.show_backtest import print_backtests
    from ciphermark.show.terminal import output_console

    print_backtests(output_console(), tested)
