"""Folder of extensions: algorithms, kernels, studies and importers of the user's own.

`algorithms/NAME.toml` and `algorithms/vectors/NAME.json` are read by the engine, which inherits the
variable. `kernels/NAME.so` has the interface of kernel.h. `studies/` has packages in the form of
`ciphermark.studies`, and `importers/NAME.py` defines `FORMAT`. Both are Python code, which runs as
part of ciphermark.
"""

from __future__ import annotations

import os
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from ciphermark.errors import UsageError

VARIABLE = "CIPHERMARK_EXTENSIONS"
PARTS = ("algorithms", "kernels", "studies", "importers")


def use(folder: Path) -> None:
    """Uses a folder in this process and in every engine that it starts. Raises `UsageError`."""
    found = folder.expanduser().absolute()
    if not found.is_dir():
        raise UsageError(f"--extensions {folder} is no folder")
    if not any((found / part).is_dir() for part in PARTS):
        raise UsageError(f"--extensions {folder} has none of the folders {', '.join(PARTS)}")
    os.environ[VARIABLE] = str(found)


def part(name: str) -> Path | None:
    """Returns a folder within that of extensions, None where there is none."""
    folder = os.environ.get(VARIABLE)
    found = Path(folder, name) if folder else None
    return found if found is not None and found.is_dir() else None


def kernels() -> list[str]:
    """Returns the paths of the user's kernels."""
    folder = part("kernels")
    return [] if folder is None else sorted(map(str, folder.glob("*.so")))


def modules(name: str) -> list[ModuleType]:
    """Runs the Python files of a part. Raises `UsageError` with the file whose code fails."""
    folder = part(name)
    return [] if folder is None else [_module(path) for path in sorted(folder.glob("*.py"))]


def _module(path: Path) -> ModuleType:
    spec = spec_from_file_location(f"ciphermark_extension_{path.stem}", path)
    assert spec is not None and spec.loader is not None  # every path that ends in .py has them
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # code of the user's, which may raise anything
        raise UsageError(f"the extension {path} fails: {error!r}") from error
    return module
