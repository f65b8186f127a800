"""What all tries share and is made once: stored runs, broken libraries, an engine that repeats."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import ciphermark

TESTS = Path(__file__).resolve().parents[1]
PACKAGE = Path(ciphermark.__file__).resolve().parents[1]

FEW = (
    *("--algorithms", "sha256,hmac-sha256", "--providers", "openssl,rustcrypto"),
    *("--sizes", "64,1024", "--precision", "5%", "--budget", "2", "--seed", "1"),
)
"""The survey that is recorded once, and repeated by the engine that repeats."""

_RECORDING = """#!/bin/sh
# Passes everything on to the engine, and keeps what it answers.
if [ "$1" = run ]; then
    exec {engine} "$@" | tee {folder}/events
else
    exec {engine} "$@"
fi
"""

_REPEATING = r"""#!/bin/sh
# Answers what the engine has answered before; what it was not asked then the engine answers.
case "$*" in
    "run --plan -")
        cat > /dev/null
        if [ -n "$ATTACK_REFUSES" ]; then
            echo 'the engine of the attack measures nothing' >&2
            exit 2
        fi
        if [ -n "$ATTACK_HOOK" ]; then sh "$ATTACK_HOOK"; fi
        exec cat {folder}/events ;;
    describe|describe\ --code-paths*) exec cat {folder}/description ;;
    environment) exec cat {folder}/environment ;;
    *) exec {engine} "$@" ;;
esac
"""

_SLOW_TO_IMPORT = ("ciphermark.farm",)
"""Packages that start threads when they are imported, and are not attacked."""


@dataclass(frozen=True)
class Setting:
    """Paths; all is read-only to tries."""

    folder: Path
    engine: Path
    package: Path = PACKAGE
    tests: Path = TESTS

    @property
    def golden(self) -> Path:
        """Stored runs of the repository, in all formats that there were."""
        return self.folder / "golden"

    @property
    def replay(self) -> Path:
        """The engine that repeats."""
        return self.folder / "repeating" / "ciphermark-engine"

    @property
    def recorded(self) -> Path:
        """The run that it repeats."""
        [run] = (self.folder / "recorded").glob("*-*")
        return run

    @property
    def lying(self) -> Path:
        return self.folder / "lying.so"

    @property
    def remembering(self) -> Path:
        return self.folder / "remembering.so"

    @property
    def caches(self) -> Path:
        """A cache folder of somebody who has measured before."""
        return self.folder / "cache"

    def golden_runs(self) -> dict[str, str]:
        """Their identifiers; those of several formats have one."""
        return json.loads((self.folder / "identifiers").read_text())


def made(folder: Path) -> Setting:
    """Makes it in an empty folder, in half a minute, or takes what was made there before."""
    engine = Path(os.environ.get("CIPHERMARK_ENGINE") or shutil.which("ciphermark-engine") or
                  Path(sys.executable).parent / "ciphermark-engine").absolute()  # fmt: skip
    setting = Setting(folder, engine)
    folder.mkdir(parents=True, exist_ok=True)
    if (folder / "lying.so").exists():
        return setting  # it was kept
    _copy_golden(setting)
    _record(setting)
    _compile(setting)
    return setting


def import_all() -> None:
    """Imports what commands import when they run, so that they are quick in copies of this process,
    which must have one thread only."""
    for module in pkgutil.walk_packages(ciphermark.__path__, "ciphermark."):
        if not module.name.startswith(_SLOW_TO_IMPORT) and not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ImportError:
                continue  # an extra that is not installed
    for name in ("duckdb", "pyarrow.parquet", "vl_convert"):
        importlib.import_module(name)


def _copy_golden(setting: Setting) -> None:
    """With the identifiers that their contexts tell, by which a store names their folders."""
    script = (
        "import sys, pyarrow.parquet as p\n"
        "for it in sys.argv[1:]:\n"
        "    print(p.read_table(it + '/context.parquet', columns=['run'])['run'][0])\n"
    )
    folders = sorted((TESTS / "golden").glob("run-*"))
    printed = _ran([sys.executable, "-c", script, *map(str, folders)])
    names = dict(zip([it.name for it in folders], printed.split(), strict=True))
    (setting.folder / "identifiers").write_text(json.dumps(names))
    for source in folders:
        shutil.copytree(source, setting.golden / source.name)


def _record(setting: Setting) -> None:
    folder = setting.replay.parent
    folder.mkdir()
    recording = setting.folder / "recording"
    recording.write_text(_RECORDING.format(engine=setting.engine, folder=folder))
    recording.chmod(0o755)
    environment = os.environ | {
        "CIPHERMARK_ENGINE": str(recording),
        "CIPHERMARK_RUNS": str(setting.folder / "recorded"),
        "XDG_CACHE_HOME": str(setting.caches),
        "PYTHONPATH": str(PACKAGE),
    }
    _ran([sys.executable, "-m", "ciphermark", "survey", *FEW], environment)
    for name, command in (("description", "describe"), ("environment", "environment")):
        (folder / name).write_text(_ran([str(setting.engine), command]))
    events = [json.loads(line) for line in (folder / "events").read_text().splitlines()]
    assert len(events) > 20, "the survey that is recorded has measured nothing"
    setting.replay.write_text(_REPEATING.format(engine=setting.engine, folder=folder))
    setting.replay.chmod(0o755)


def _compile(setting: Setting) -> None:
    from wrapped_kernels import wrapped

    compiler = shutil.which("cc")
    assert compiler is not None, "no C compiler: install gcc"
    wrapped(compiler, "lying", setting.lying)
    wrapped(compiler, "remembering", setting.remembering)


def _ran(command: Sequence[str], environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, f"{command[0]}: {done.stderr[-2000:]}"
    return done.stdout
