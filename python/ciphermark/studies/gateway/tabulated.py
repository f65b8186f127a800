"""The tables of the study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.studies.gateway import (
    boxes,
    buffers,
    ends,
    features,
    functions,
    links,
    price,
    spreads,
    tunnels,
    without_aes,
)
from ciphermark.studies.gateway.measured import Measured

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.show.findings import Table
    from ciphermark.workloads.single.row import Row


def tables(run: Run, rows: list[Row]) -> list[Table]:
    """The post's table, then what its statements are judged by; without those that have no rows."""
    measured = Measured(run, rows)
    made = [
        functions.throughputs(measured),
        functions.cycles(measured),
        boxes.clocks(measured),
        features.of_the_posts_library(measured),
        features.in_the_way(measured),
        without_aes.without_instructions(measured),
        ends.both_ends(measured),
        spreads.ways(measured),
        tunnels.against_gcm(measured),
        links.lines(measured),
        buffers.by_distance(measured),
        price.by_capacity(measured),
        features.of_all_libraries(measured),
    ]
    return [table for table in made if table.rows]
