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
SplitOption = Annotated[
    str | None,
    typer.Option(
        "--offload",
        metavar="LIST",
        help="Where a message is worked on: none (the calling core), split (shared with others).",
    ),
]
SharingOption = Annotated[
    str | None,
    typer.Option(
        "--offload-cpus",
        metavar="SET",
        help="CPUs that share each message, with the calling one; else all.",
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
