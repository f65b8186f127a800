"""Libraries that are broken on purpose: `libraries/*.c`, built in front of the real libcrypto; and
the kernel of the documentation, as it is or broken."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ciphermark.run.engine import Engine

SOURCES = Path(__file__).parent / "libraries"
ROOT = SOURCES.parents[1]
KERNELS = ROOT / "kernels"

Build = Callable[..., Path]


@pytest.fixture(scope="session")
def libcrypto(engine: Engine) -> Path:
    """The installed libcrypto."""
    openssl = next(it for it in engine.describe().providers if it.name == "openssl")
    if not openssl.usable:
        pytest.skip(openssl.reason)
    return Path(openssl.location)


@pytest.fixture(scope="session")
def compiler() -> str:
    found = shutil.which("cc")
    if found is None:
        pytest.skip("no C compiler: install gcc")
    return found


def compiled(compiler: str, target: Path, *arguments: object) -> Path:
    """A shared object."""
    command = [compiler, "-O2", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o", target]
    subprocess.run([*map(str, command), *map(str, arguments)], check=True, timeout=60)
    return target


@pytest.fixture(scope="session")
def library(libcrypto: Path, compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Builds `libraries/NAME.c` with macros set.

    What it lacks comes from the real libcrypto, unless it is to stand alone. `needs` are words for
    the linker, such as the path of another library that it needs.
    """
    built: dict[tuple[str, ...], Path] = {}

    def build(name: str, *, alone: bool = False, needs: Sequence[str] = (), **macros: str) -> Path:
        arguments = [*definitions(macros), str(SOURCES / f"{name}.c")]
        if not alone:
            # Nothing of it is called by name, so the linker would leave it out.
            arguments += ["-Wl,--no-as-needed", str(libcrypto), "-ldl", *needs]
        if (key := tuple(arguments)) not in built:
            built[key] = compiled(
                compiler, tmp_path_factory.mktemp(name) / "libcrypto.so.3", *arguments
            )
        return built[key]

    return build


@pytest.fixture(scope="session")
def kernel(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Builds the example of docs/kernels.md in a file of that name; with WHEN and MISDEED set it
    does as `libraries/kernel.c` says."""

    def build(name: str, **macros: str) -> Path:
        return example_kernel(compiler, tmp_path_factory.mktemp("kernel") / f"{name}.so", **macros)

    return build


def example_kernel(compiler: str, target: Path, **macros: str) -> Path:
    """Builds the example of docs/kernels.md; its source lies beside the target."""
    text = (ROOT / "docs" / "kernels.md").read_text("utf-8")
    example = target.with_suffix(".c")
    example.write_text(re.search(r"```c\n(.*?)```", text, re.DOTALL)[1], "utf-8")
    source = SOURCES / "kernel.c" if macros else example
    arguments = definitions(macros | {"EXAMPLE": f'"{example}"'})
    return compiled(compiler, target, f"-I{KERNELS / 'include'}", *arguments, source)


def definitions(macros: dict[str, str]) -> list[str]:
    return [f"-D{macro}={value}" for macro, value in macros.items()]
