"""Libraries that are broken on purpose: `libraries/*.c`, built in front of the real libcrypto."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ciphermark.measure.engine import Engine

SOURCES = Path(__file__).parent / "libraries"

Build = Callable[..., Path]


@pytest.fixture(scope="session")
def libcrypto(engine: Engine) -> Path:
    """The installed libcrypto."""
    openssl = next(it for it in engine.describe().providers if it.name == "openssl")
    if not openssl.usable:
        pytest.skip(openssl.reason)
    return Path(openssl.location)


@pytest.fixture(scope="session")
def library(libcrypto: Path, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Builds `libraries/NAME.c` with macros set.

    What it lacks comes from the real libcrypto, unless it is to stand alone.
    """
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler: install gcc")
    built: dict[tuple[str, ...], Path] = {}

    def build(name: str, *, alone: bool = False, **macros: str) -> Path:
        arguments = [f"-D{macro}={value}" for macro, value in macros.items()]
        arguments.append(str(SOURCES / f"{name}.c"))
        if not alone:
            # Nothing of it is called by name, so the linker would leave it out.
            arguments += ["-Wl,--no-as-needed", str(libcrypto), "-ldl"]
        if (key := tuple(arguments)) not in built:
            built[key] = tmp_path_factory.mktemp(name) / "libcrypto.so.3"
            command = [compiler, "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror"]
            subprocess.run([*command, "-o", built[key], *key], check=True, timeout=60)
        return built[key]

    return build
