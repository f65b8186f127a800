"""Our portable kernels, compiled for words of 32 and of 64 bits, and timed here in turn.

A processor of 64 bits runs programs of 32 bits too, so both builds run on the same core at the same
clock: what differs between them is the width of words.
"""

from __future__ import annotations

import platform
import statistics
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from ciphermark.contract.others import BesideFigure
from ciphermark.errors import WorkError
from ciphermark.run.speed_tools import pinned
from ciphermark.run.targets import process
from ciphermark.run.targets.object_files import groups
from ciphermark.run.targets.target import TARGETS, Target
from ciphermark.run.targets.toolchain import Toolchain, kernel_sources

NARROW, WIDE = "32-bit build", "64-bit build"
"""As the programs of figures."""

MESSAGE_BYTES = 65536
"""As `kernels/firmware/speed.c` has it."""

_FOLDERS = ("reference", "portable")
"""Of kernels in plain C."""

_FILES = ("aes", "hmac", "md5", "rc6", "rc_key", "serpent", "sha", "twofish", "vmac")
"""How the names of those begin that have the functions."""

_GROUPS = {
    *("hmac_portable", "vmac_portable", "aes_table_cmac", "aes_portable_cmac"),
    *("rc6_portable_cmac", "rc6_reference_cmac", "serpent_portable_cmac", "twofish_table_cmac"),
}
"""What is timed; of each algorithm the quickest counts."""


class Timed(msgspec.Struct):
    """A line of `kernels/firmware/speed.c`."""

    algorithm: str
    backend: str
    message_bytes: int
    messages: int
    ns: int
    tag: int


class _Build(msgspec.Struct):
    """The kernels for one width of words."""

    image: Path
    made_by: str
    """Compiler and flags."""
    runs: list[list[Timed]] = []


def word_sizes(algorithms: Iterable[str], cpu: int, rounds: int) -> list[BesideFigure]:
    """CPU time of each function in both builds, which run in turn so many times; or the reason why
    there is none."""
    names = list(algorithms)
    try:
        with tempfile.TemporaryDirectory(prefix="ciphermark-") as folder:
            builds = _builds(Path(folder))
            for _ in range(rounds):
                for build in builds.values():
                    build.runs.append(_run(build.image, cpu))
    except WorkError as error:
        lacking: dict[str, Any] = {"message_bytes": MESSAGE_BYTES, "reason": str(error)}
        return [
            BesideFigure(program=program, algorithm=name, **lacking)
            for program in (NARROW, WIDE)
            for name in names
        ]
    wrong = _unequal(builds)
    return [
        _figure(program, build, name, name in wrong)
        for program, build in builds.items()
        for name in names
    ]


def _builds(folder: Path) -> dict[str, _Build]:
    """Both builds. Raises `WorkError` where one cannot be made or run here."""
    kernels = kernel_sources()
    narrow, wide = _narrow_targets(), [_in_plain_c(TARGETS.named("host"))]
    return {
        NARROW: _build(narrow, kernels, folder / "narrow"),
        WIDE: _build(wide, kernels, folder / "wide"),
    }


def _narrow_targets() -> list[Target]:
    """Those of 32 bits that this processor runs, the first choice first."""
    match platform.machine():
        case "x86_64":
            cross = _in_plain_c(TARGETS.named("i686"))
            own = msgspec.structs.replace(cross, prefix="", flags=["-m32", *cross.flags])
            return [own, cross]
        case "aarch64":
            return [_in_plain_c(TARGETS.named("arm"), flags=["-march=armv7-a"])]
        case machine:
            raise WorkError(f"no 32-bit build is known that runs on {machine}")


def _in_plain_c(target: Target, **changed: list[str]) -> Target:
    """A target whose images run here by themselves, of kernels in plain C alone."""
    packages = [it for it in target.packages if not it.startswith("qemu")]
    alike = {"kernels": _FOLDERS, "simulator": None, "packages": packages}
    return msgspec.structs.replace(target, **alike | changed)


def _build(targets: list[Target], kernels: Path, folder: Path) -> _Build:
    """By the first compiler that is there."""
    for number, target in enumerate(targets):
        toolchain = Toolchain(target, kernels, folder / str(number))
        missing = toolchain.missing()
        if missing is None:
            made_by = [toolchain.compiler, *target.flags, target.optimise]
            return _Build(_image(toolchain), " ".join(made_by))
    raise WorkError(missing)


def _image(toolchain: Toolchain) -> Path:
    sources = [
        path
        for path in toolchain.sources()
        if path.parent.name not in _FOLDERS or path.name.startswith(_FILES)
    ]
    toolchain.archive(sources)
    toolchain.compile([toolchain.kernels / "firmware" / "speed.c"])
    timed = [group.symbol for group in groups(toolchain) if group.name in _GROUPS]
    return toolchain.link("speed", "plain", timed)


def _run(image: Path, cpu: int) -> list[Timed]:
    printed = process.check(*pinned(cpu), image)
    return [msgspec.json.decode(line, type=Timed) for line in printed.splitlines()]


def _unequal(builds: dict[str, _Build]) -> set[str]:
    """The algorithms whose tags are not the same in all runs of both builds."""
    tags: dict[str, set[int]] = {}
    for build in builds.values():
        for timed in (it for run in build.runs for it in run):
            tags.setdefault(timed.algorithm, set()).add(timed.tag)
    return {algorithm for algorithm, found in tags.items() if len(found) > 1}


def _figure(program: str, build: _Build, algorithm: str, is_wrong: bool) -> BesideFigure:
    """That of the quickest kernel: the median of its runs."""
    by_backend: dict[str, list[float]] = {}
    for timed in (it for run in build.runs for it in run if it.algorithm == algorithm):
        per_byte = timed.ns / timed.messages / timed.message_bytes
        by_backend.setdefault(timed.backend, []).append(per_byte)
    medians = {backend: statistics.median(found) for backend, found in by_backend.items()}
    best = min(medians, key=medians.__getitem__, default=None)
    figure = BesideFigure(
        program=program,
        detail=f"{build.made_by}, {best}",
        algorithm=algorithm,
        message_bytes=MESSAGE_BYTES,
    )
    if best is None:
        figure.reason = "no portable kernel has it"
    elif is_wrong:
        figure.reason = "the two builds do not give the same tag"
    else:
        figure.ns_per_byte = medians[best]
    return figure
