"""Sizes, shares and times as people type them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.errors import UsageError
from ciphermark.plan import quantities

GIB = 1 << 30


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("16", 16),
        ("4K", 4096),
        ("4k", 4096),
        ("4KiB", 4096),
        ("1 MB", 1 << 20),
        ("1G", GIB),
    ],
)
def test_size(text: str, expected: int) -> None:
    assert quantities.size(text) == expected


@given(st.integers(0, GIB))
def test_every_size_up_to_the_largest_can_be_typed(value: int) -> None:
    assert quantities.size(str(value)) == value


@given(st.integers(0, 1024), st.sampled_from(["K", "k", "KiB", " kb"]))
def test_a_unit_is_a_power_of_1024(value: int, unit: str) -> None:
    assert quantities.size(f"{value}{unit}") == 1024 * value


@pytest.mark.parametrize("text", ["", "-5", "1.5K", "many", "1T", "K", "0x10", "1,5", "nan"])
def test_what_is_no_size_is_named(text: str) -> None:
    with pytest.raises(UsageError, match="is not a message size: write bytes") as refusal:
        quantities.size(text)
    assert repr(text) in str(refusal.value)


@given(st.integers(GIB + 1, 10**20 - 1))
def test_a_size_over_1_gib_is_refused(value: int) -> None:
    with pytest.raises(UsageError, match=f"{value} is over 1 GiB"):
        quantities.size(str(value))


@given(st.text())
def test_any_text_is_a_size_within_bounds_or_refused(text: str) -> None:
    try:
        assert 0 <= quantities.size(text) <= GIB
    except UsageError:
        pass


@pytest.mark.parametrize(
    ("text", "expected"),
    [("64", [64]), ("16..64", [16, 32, 64]), ("100..399", [100, 200]), ("1K..2KiB", [1024, 2048])],
)
def test_sizes_are_one_or_each_doubling_of_a_range(text: str, expected: list[int]) -> None:
    assert quantities.sizes(text) == expected


@pytest.mark.parametrize("text", ["64..16", "0..16", "16.."])
def test_sizes_that_do_not_grow_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="do not go from a smaller one|is not a message size"):
        quantities.sizes(text)


@pytest.mark.parametrize(("text", "expected"), [("0.01", 0.01), ("1%", 0.01), (" 2.5 % ", 0.025)])
def test_share(text: str, expected: float) -> None:
    assert quantities.share(text, "--precision") == pytest.approx(expected)


@given(st.floats(1e-6, 0.5))
def test_a_share_is_the_same_in_per_cent(value: float) -> None:
    assert quantities.share(repr(value), "--precision") == value
    assert quantities.share(f"{100 * value!r}%", "--precision") == pytest.approx(value)


@pytest.mark.parametrize("text", ["0", "-1%", "51%", "1", "inf", "nan", "one", "", "%"])
def test_what_is_no_share_is_named_with_its_option(text: str) -> None:
    with pytest.raises(
        UsageError, match=f"^--precision .*{text}.* (is not a share|is not above 0)"
    ):
        quantities.share(text, "--precision")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("60", 60), ("60s", 60), ("2m", 120), ("0.5m", 30), ("1h", 3600), ("24h", 86_400)],
)
def test_seconds(text: str, expected: float) -> None:
    assert quantities.seconds(text, "--budget") == expected


@pytest.mark.parametrize("text", ["0", "-1s", "25h", "soon", "", "1d", "inf"])
def test_what_is_no_time_is_named_with_its_option(text: str) -> None:
    with pytest.raises(UsageError, match=f"^--budget '{text}' is not a time up to a day"):
        quantities.seconds(text, "--budget")


def test_cpu() -> None:
    assert quantities.cpu("3") == 3


@pytest.mark.parametrize("text", ["0,1", "-1", "all", "", "1.0", "123456"])
def test_what_is_no_cpu_is_named(text: str) -> None:
    with pytest.raises(UsageError, match=f"^--cpus '{text}' is not the number of one CPU"):
        quantities.cpu(text)


def test_memory_is_written_as_a_size() -> None:
    assert quantities.memory("128K", "--flash") == 128 << 10
    assert quantities.memory("3G", "--ram") == 3 * GIB


@pytest.mark.parametrize("text", ["", "0", "-1", "much"])
def test_what_is_no_memory_is_named(text: str) -> None:
    with pytest.raises(UsageError, match="--flash .* is not a size of memory"):
        quantities.memory(text, "--flash")
