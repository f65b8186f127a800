"""Builds the engine with cargo and puts it into the wheel, beside the Python package, the C of the
kernels, the static engines of `make engines` where they are, manual pages and completions.

The wheel therefore holds both commands: `ciphermark` (an entry point) and `ciphermark-engine` (the
plain binary, which can be copied to a machine without Python). Editable installs get it as well.

`make wheels` builds engines for other machines itself: CIPHERMARK_ENGINE names the engine to pack,
CIPHERMARK_PLATFORM the wheel's platform, CIPHERMARK_SBOM the bill of the engine's materials.
"""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

KERNELS = [
    *("arm", "common", "include", "lanes", "modes", "portable", "reference", "universal", "x86")
]
"""Folders of our kernels' C, which other processors get as it is, with the files beside them."""

TARGETS = ["firmware", "hal", "runners"]
"""What runs it there."""

COMPLETIONS = {
    "ciphermark.bash": "share/bash-completion/completions/ciphermark",
    "_ciphermark": "share/zsh/site-functions/_ciphermark",
    "ciphermark.fish": "share/fish/vendor_completions.d/ciphermark.fish",
}
"""Files of tools/completions/, and where shells look for them below a prefix."""

BUILD_ENGINE = "cargo build --release --locked -p ciphermark-engine".split()


class EngineBuildHook(BuildHookInterface):
    """Called by hatchling for every wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the engine, the platform that it was built for, and the kernels, to the wheel."""
        root = Path(self.root)
        engine = os.environ.get("CIPHERMARK_ENGINE") or _build_engine(root)
        build_data["shared_scripts"][str(engine)] = "ciphermark-engine"
        build_data["artifacts"].append(f"/{_vega(root).relative_to(root)}")
        build_data["pure_python"] = False
        if version != "editable":  # which finds them in the tree
            beside = sorted(path.name for path in (root / "kernels").glob("*.c"))
            for name in KERNELS + TARGETS + beside:
                path = str(root / "kernels" / name)
                build_data["force_include"][path] = f"ciphermark/kernels/{name}"
            for path in _static_engines(root / "dist" / "engines"):
                build_data["force_include"][str(path)] = f"ciphermark/engines/{path.name}"
            self._manual = tempfile.TemporaryDirectory()  # until the wheel is written
            write = runpy.run_path(str(root / "tools" / "man_pages.py"))["write"]
            for path in write(Path(self._manual.name)):
                build_data["shared_data"][str(path)] = f"share/man/man1/{path.name}"
            for name, place in COMPLETIONS.items():
                build_data["shared_data"][str(root / "tools" / "completions" / name)] = place
        if "CIPHERMARK_SBOM" in os.environ:
            build_data["sbom_files"].append(os.environ["CIPHERMARK_SBOM"])
        build_data["tag"] = f"py3-none-{os.environ.get('CIPHERMARK_PLATFORM') or _platform()}"


def _build_engine(root: Path) -> Path:
    """Runs cargo, which knows what has changed, and returns the path of the binary.

    Cargo is asked where it put it: CARGO_TARGET_DIR and configuration files can move it.
    """
    missing = runpy.run_path(str(root / "tools" / "toolchain.py"))["missing"]()
    if missing:
        sys.exit(missing)
    command = [*BUILD_ENGINE, "--message-format=json-render-diagnostics"]
    cargo = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True)
    if cargo.returncode != 0:
        sys.exit(f"The engine could not be built; the reason is above: {' '.join(BUILD_ENGINE)}")
    messages = [json.loads(line) for line in cargo.stdout.splitlines()]
    return next(Path(message["executable"]) for message in messages if message.get("executable"))


def _vega(root: Path) -> Path:
    """Returns the file of the scripts that draw plots in pages, made once for a version.

    It stays in the tree, where an editable installation finds it.
    """
    folder = root / "python" / "ciphermark" / "view"
    said = (folder / "plots" / "vegalite.py").read_text("utf-8")
    version = re.search(r'^VERSION = "(.+)"$', said, re.MULTILINE)[1]
    made = folder / f"vega-lite-{version}.js"
    if not made.exists():
        import vl_convert

        notice = (folder / "vega-licenses.txt").read_text("utf-8")
        bundle = vl_convert.javascript_bundle(vl_version=version)
        made.write_text(f"/*!\n{notice}*/\n{bundle}", "utf-8")
    return made


def _static_engines(folder: Path) -> list[Path]:
    """The engines for other machines with their index, where `make engines` has made them."""
    index = folder / "index.json"
    if not index.is_file():
        return []
    engines = json.loads(index.read_text("utf-8"))["engines"].values()
    return [index, *(folder / engine["file"] for engine in engines)]


def _platform() -> str:
    """The platform as wheels name it: `linux_x86_64`."""
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")
