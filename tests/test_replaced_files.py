"""Files that are replaced while they are measured: all rows of a run are of one build, or say why
not.

The libraries and kernels here replace files themselves, so that no test waits for a moment.
"""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

import pytest

from ciphermark.run.engine import Engine
from ciphermark.run.interrupts import Interrupts
from engine_fixture import Command, measured, short
from library_fixture import Build, compiled
from test_bad_input_library import HASH, by_provider_and_size, failed, sound

pytestmark = pytest.mark.engine

FIRST = "bytes==1000&&call==1"
"""Once in each process."""
REPLACE = '(void)!rename(getenv("NEW"),getenv("PLACE"))'
"""Puts the new file in place of the old one, once."""
OVERWRITE = (
    '{static char zeros[4096];const int file=first_time("BEGUN")?-1:open(getenv("PLACE"),O_WRONLY);'
    "if(file>=0)(void)!write(file,zeros,sizeof zeros),close(file);}"
)
"""Spoils the first page of the file, from the second process on."""
LOADED = 'close(creat(getenv("LOADED"),0600))'


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Path of the file that is replaced; another one lies at NEW, if the test puts it there."""
    for name in ("PLACE", "NEW", "BEGUN", "LOADED"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    return tmp_path / "place"


def test_a_library_that_is_replaced_is_measured_to_the_end_in_the_build_that_was_opened(
    engine: Engine, library: Build, place: Path, tmp_path: Path
) -> None:
    shutil.copy(library("digest", WHEN=FIRST, MISDEED=REPLACE), place)
    old = place.read_bytes()
    shutil.copy(library("at_load", MISDEED=LOADED), tmp_path / "new")
    rows = measured(engine, place, **HASH)
    assert place.read_bytes() != old, "it was replaced"
    assert not (tmp_path / "loaded").exists(), "no process has opened the new one"
    sound(*rows)


def test_a_library_that_is_overwritten_is_measured_to_the_end(
    engine: Engine, library: Build, place: Path
) -> None:
    shutil.copy(library("digest", WHEN=FIRST, MISDEED=OVERWRITE), place)
    rows = measured(engine, place, **HASH)
    assert place.read_bytes()[:4096] == bytes(4096), "it was overwritten"
    sound(*rows)


def test_a_kernel_that_is_replaced_is_measured_to_the_end(
    command: Command, kernel: Build, tmp_path: Path
) -> None:
    place, new = tmp_path / "place.so", tmp_path / "new"
    shutil.copy(kernel("mine", WHEN="call==1", MISDEED=REPLACE), place)
    new.write_text("no kernel", "utf-8")
    command.environment |= {"PLACE": str(place), "NEW": str(new)}
    ended = command(
        *("survey", "--algorithms", "siphash-2-4-64", "--sizes", "1000", "--kernel", place),
        *("--operations", "mac", "--precision", "5%", "--budget", "1", "--json"),
    )
    assert not new.exists(), "it has replaced the kernel"
    rows = ended.document["rows"]
    assert [it["error"] for it in rows if it["provider"] == "kernel@place"] == [None]


def hello(engine: Engine, library: Path, **plan: Any) -> dict[str, Any]:
    """What a run says about its libraries, by their names."""
    events = engine.measure(short(engine, library, **plan).plan, Interrupts())
    with_libraries = next(events)
    events.close()
    return {it.name: it for it in with_libraries.providers}


def test_a_run_has_the_hash_and_the_path_of_each_library_that_it_opens(
    engine: Engine, libcrypto: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(shutil.copy(libcrypto, tmp_path / "libcrypto.so.3"))
    found = hello(engine, link, **HASH)
    assert found["openssl"].location == str(tmp_path / "libcrypto.so.3")
    assert found["openssl"].sha256 == hashlib.sha256(libcrypto.read_bytes()).hexdigest()
    assert found["rustcrypto"].sha256 == ""


def dependency(compiler: str, target: Path, *options: str) -> Path:
    """A library that others are linked to."""
    source = target.with_suffix(".c")
    source.write_text(f"int number_of_{target.stem}(void) {{ return 1; }}\n", "utf-8")
    return compiled(compiler, target, source, *options)


def test_a_replaced_file_that_a_library_is_linked_to_costs_it_what_is_left(
    engine: Engine, library: Build, compiler: str, place: Path, tmp_path: Path
) -> None:
    needed = dependency(compiler, place)
    dependency(compiler, tmp_path / "new")
    linked = library("digest", needs=[str(needed)], WHEN=FIRST, MISDEED=REPLACE)
    found = by_provider_and_size(measured(engine, linked, **HASH))
    replaced = f"{place} was replaced while it was measured: measure again"
    for size in HASH["sizes"]:
        assert failed(found["openssl", size]) == ("unusable", replaced, None)
        sound(found["rustcrypto", size])


def beside(folder: Path, built: Path) -> Path:
    """A library in the folder of what it needs."""
    return Path(shutil.copy(built, folder / "linked.so"))


def test_a_library_that_looks_beside_itself_is_measured_where_it_lies(
    engine: Engine, library: Build, compiler: str, place: Path, tmp_path: Path
) -> None:
    needed = dependency(compiler, tmp_path / "libneeded.so", "-Wl,-soname,libneeded.so")
    options = [str(needed), "-Wl,-rpath,$ORIGIN"]
    linked = beside(tmp_path, library("digest", needs=options, WHEN="0", MISDEED="return 0"))
    sound(*measured(engine, linked, **HASH))
    assert hello(engine, linked, **HASH)["openssl"].sha256

    replacing = library("digest", needs=options, WHEN=FIRST, MISDEED=REPLACE)
    shutil.copy(beside(tmp_path, replacing), tmp_path / "new")
    beside(tmp_path, replacing).rename(place)
    found = by_provider_and_size(measured(engine, place, **HASH))
    replaced = f"{place} was replaced while it was measured: measure again"
    assert failed(found["openssl", 1000]) == ("unusable", replaced, None)


def test_an_engine_that_is_replaced_measures_to_the_end(
    engine: Engine, library: Build, place: Path, tmp_path: Path
) -> None:
    shutil.copy(engine.path, place)
    (tmp_path / "new").write_text("#!/bin/sh\nexit 1\n", "utf-8")
    (tmp_path / "new").chmod(0o755)
    replacing = library("digest", WHEN=FIRST, MISDEED=REPLACE)
    rows = measured(Engine(place), replacing, **HASH)
    assert place.read_bytes().startswith(b"#!"), "it was replaced"
    sound(*rows)
