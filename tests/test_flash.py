"""What a function takes of flash: linked alone, without what only its neighbours need."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from ciphermark.run.targets import flash, object_files
from ciphermark.run.targets.target import FOLDER, Target, read
from ciphermark.run.targets.toolchain import Toolchain, kernel_sources

pytestmark = pytest.mark.targets

HMAC = ("hmac-md5", "hmac-sha1", "hmac-sha224", "hmac-sha256", "hmac-sha384", "hmac-sha512")
"""The rows of `kernels/reference/hmac.c`, in their order."""


def toolchain(folder: Path, **changed: object) -> Toolchain:
    target: Target = msgspec.structs.replace(
        read(FOLDER / "cortex-m0.toml"), kernels=("reference",), **changed
    )
    found = Toolchain(target, kernel_sources(), folder)
    if missing := found.missing():
        pytest.skip(missing)
    sources = [
        *(found.kernels / "common" / name for name in ("hash.c", "incremental.c")),
        *(found.kernels / "modes" / "hmac.c",),
        *(found.kernels / "reference" / f"{name}.c" for name in ("hmac", "md5", "sha1")),
        *(found.kernels / "reference" / f"{name}.c" for name in ("sha256", "sha512")),
    ]
    found.sources = lambda: sources  # type: ignore[method-assign]  # few compile quickly
    found.compile(found._hal_sources(), *found._hal_flags())
    return found


def alone(tools: Toolchain, algorithm: str) -> int:
    source = tools.kernels / "reference" / "hmac.c"
    return flash.bytes_of(tools, source, "rows", [HMAC.index(algorithm)], tools.sources())


def test_a_function_takes_its_own_hash_and_not_those_of_its_neighbours(tmp_path: Path) -> None:
    tools = toolchain(tmp_path)
    md5, sha256, sha512 = (alone(tools, f"hmac-{it}") for it in ("md5", "sha256", "sha512"))
    source = tools.kernels / "reference" / "hmac.c"
    objects = {it.source: it for it in object_files.look_at(tools)}
    every = sum(it.code_bytes for it in object_files.linked(objects.values(), objects[source]))
    assert 0 < sha256 < sha512 < every, "80 constants of 64 bits and not 64 of 32"
    numbers = [HMAC.index("hmac-md5"), HMAC.index("hmac-sha256")]
    both = flash.bytes_of(tools, source, "rows", numbers, tools.sources())
    assert max(md5, sha256) < both < md5 + sha256, "they share HMAC"


def test_rows_that_were_not_folded_are_not_taken_for_one_function(tmp_path: Path) -> None:
    """Whose members the compiler does not know, as they are no constants."""
    tools = toolchain(tmp_path / "built")
    source = tmp_path / "variable.c"
    original = (tools.kernels / "reference" / "hmac.c").read_text("utf-8")
    source.write_text(original.replace("static const row rows", "row rows"), "utf-8")
    with pytest.raises(flash.RowsRemain):
        others = [it for it in tools.sources() if it != tools.kernels / "reference" / "hmac.c"]
        flash.bytes_of(tools, source, "rows", [0], others)
