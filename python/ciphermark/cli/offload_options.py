"""The options of commands that can have work done elsewhere than on the calling core."""

from __future__ import annotations

from typing import Annotated

import typer

OffloadOption = Annotated[
    str | None,
    typer.Option(
        "--offload",
        metavar="LIST",
        help="Where the work is done: none, cores (other CPUs), opencl, af_alg (the kernel).",
    ),
]
OffloadCpusOption = Annotated[
    str | None,
    typer.Option(
        "--offload-cpus",
        metavar="SET",
        help="CPUs that are the device cores; else those with nothing to do.",
    ),
]
