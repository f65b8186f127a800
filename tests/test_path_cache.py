"""Code paths that were seen before."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from ciphermark import contract
from ciphermark.run.caches import PathCache
from lent_engine import all_algorithms, implementation, provider

OPENSSL = provider("openssl")
NAME = all_algorithms()[0].name


def seen(path: str, **changes: object) -> contract.Implementation:
    first = implementation(all_algorithms()[0], "openssl")
    return msgspec.structs.replace(first, path=path, **changes)


@pytest.fixture
def cache(tmp_path: Path) -> PathCache:
    return PathCache(tmp_path / "engine", tmp_path / "cache")


def test_nothing_is_known_at_first(cache: PathCache) -> None:
    assert cache.complete(OPENSSL, [NAME]) is None
    assert cache.known(OPENSSL) == []


def test_what_runs_have_seen_adds_up_and_is_not_all(cache: PathCache) -> None:
    other = seen("shani", algorithm="sha256")
    cache.keep(OPENSSL, [seen("aesni")])
    cache.keep(OPENSSL, [seen("aesni"), other])
    assert cache.known(OPENSSL) == [seen("aesni"), other]
    assert cache.complete(OPENSSL, [NAME]) is None


def test_what_was_looked_for_is_all(cache: PathCache) -> None:
    forced = seen("scalar", default=False, switches={"MASK": "aes"})
    cache.keep(OPENSSL, [seen("aesni"), forced], looked=[NAME])
    cache.keep(OPENSSL, [seen("shani", algorithm="sha256")])
    assert cache.complete(OPENSSL, [NAME]) == [seen("aesni"), forced]
    assert cache.complete(OPENSSL, [NAME, "sha256"]) is None


@pytest.mark.parametrize(
    "change", [{"version": "9"}, {"location": "/x.so"}, {"notice": "MASK is set"}, {"build": "-O1"}]
)
def test_another_library_has_other_paths(cache: PathCache, change: dict[str, str]) -> None:
    cache.keep(OPENSSL, [seen("aesni")])
    assert cache.known(msgspec.structs.replace(OPENSSL, **change)) == []


def test_a_file_that_has_changed_is_another_library(cache: PathCache, tmp_path: Path) -> None:
    file = tmp_path / "lib.so"
    file.write_bytes(b"1")
    library = msgspec.structs.replace(OPENSSL, location=str(file))
    cache.keep(library, [seen("aesni")])
    assert cache.known(library)
    file.write_bytes(b"12")
    assert cache.known(library) == []


def test_a_damaged_file_is_no_knowledge(cache: PathCache, tmp_path: Path) -> None:
    cache.keep(OPENSSL, [seen("aesni")])
    [file] = (tmp_path / "cache").iterdir()
    file.write_bytes(b"{")
    assert cache.known(OPENSSL) == []
    cache.keep(OPENSSL, [seen("shani")])
    assert cache.known(OPENSSL) == [seen("shani")]


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = PathCache(tmp_path / "engine", tmp_path / "file" / "cache")
    cache.keep(OPENSSL, [seen("aesni")])
    assert cache.known(OPENSSL) == []
