"""Profiles: the mixes that there are, the lengths that follow from them, and what is refused."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.errors import UsageError
from ciphermark.plan import profiles
from ciphermark.plan.profile import FEW_MESSAGES, Part, Profile
from lent_engine import all_algorithms

SEED = 1


def the(name: str) -> Profile:
    [profile] = profiles.from_option(name)
    return profile


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text)
    return path


def test_imix_keeps_its_shares_exactly() -> None:
    for lanes in (1, 4, 16, 64, 192):
        counts = Counter(the("imix").lengths(lanes, SEED))
        assert counts[40] * 4 == counts[576] * 7 and counts[1500] * 7 == counts[40], lanes


def test_packets_are_spread_evenly_between_the_ends() -> None:
    lengths = sorted(the("packets-40-1500").lengths(64, SEED))
    steps = {after - before for before, after in zip(lengths, lengths[1:], strict=False)}
    assert len(lengths) == 64 and steps <= {22, 23}
    assert 40 <= lengths[0] < 63 and 1477 < lengths[-1] <= 1500
    assert sum(lengths) / 64 == pytest.approx(770, abs=1)


def test_the_order_follows_from_the_seed() -> None:
    imix = the("imix")
    assert imix.lengths(16, 1) == imix.lengths(16, 1) != imix.lengths(16, 2)
    assert imix.lengths(16, 1) != sorted(imix.lengths(16, 1))


@given(
    weights=st.lists(st.integers(1, 1000), min_size=1, max_size=6),
    lanes=st.integers(1, 4096),
)
def test_shares_are_as_near_to_the_weights_as_whole_calls_allow(
    weights: list[int], lanes: int
) -> None:
    parts = tuple(Part(bytes=place, weight=weight) for place, weight in enumerate(weights))
    lengths = Profile("any", "", parts).lengths(lanes, SEED)
    assert len(lengths) % lanes == 0 and len(lengths) >= min(FEW_MESSAGES // 2, lanes)
    counts = Counter(lengths)
    for part in parts:
        exact = len(lengths) * part.weight / sum(weights)
        assert abs(counts[part.bytes] - exact) < 1


def test_a_file_of_ones_own_is_called_by_its_stem(tmp_path: Path) -> None:
    path = written(tmp_path, 'title = "one"\n[[messages]]\nbytes = 40\nweight = 1\n')
    assert (the(str(path)).name, set(the(str(path)).lengths(4, SEED))) == ("mine", {40})


def test_a_function_must_have_all_lengths() -> None:
    by_name = {it.name: it for it in all_algorithms()}
    assert the("imix").lacks(by_name["uea1"]) is None
    assert the("imix").lacks(by_name["aes-128-cbc"]) == 40
    whole = Profile("whole", "", (Part(bytes=[16, 32], weight=1),))
    assert whole.lacks(by_name["aes-128-cbc"]) == 17, "between the ends"
    long = Profile("long", "", (Part(bytes=2501, weight=1),))
    assert long.lacks(by_name["uea1"]) == 2501


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "mine.toml is not valid: it lacks title .a text., messages"),
        ('title = "x"\nmessages = []', "messages is .*a list of at least 1"),
        (
            'title = "x"\n[[messages]]\nbytes = 40\nweight = 0',
            "weight is 0, .* at least 1",
        ),
        (
            'title = "x"\n[[messages]]\nbytes = 40\nweight = -3',
            "weight is -3, .* at least 1",
        ),
        (
            'title = "x"\n[[messages]]\nbytes = 40.5\nweight = 1',
            "bytes is 40.5, and must be a whole",
        ),
        (
            'title = "x"\n[[messages]]\nbytes = -1\nweight = 1',
            "bytes is -1, .* at least 0",
        ),
        ('title = "x"\n[[messages]]\nbytes = [9, 8]\nweight = 1', r"write \[8, 9\]"),
        (
            'title = "x"\n[[messages]]\nbytes = 40\nwieght = 1',
            "wieght is no field; near: ",
        ),
        ("title", "mine.toml is not valid"),
    ],
)
def test_what_is_no_profile_is_refused_with_its_file(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        the(str(written(tmp_path, text)))


def test_what_is_not_there_is_refused_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no profile 'imx'; near: imix"):
        the("imx")
    with pytest.raises(UsageError, match="no profile 'qqqq'; see: ciphermark list profiles, or"):
        the("qqqq")
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        the(str(tmp_path / "none.toml"))
    with pytest.raises(UsageError, match="cannot be read: Is a directory"):
        the(f"{tmp_path}/")
    with pytest.raises(UsageError, match="names nothing"):
        profiles.from_option(" ,")


def test_two_profiles_of_one_name_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "imix.toml"
    path.write_text((profiles.PROFILES.folder / "imix.toml").read_text())
    with pytest.raises(UsageError, match="two profiles are called imix"):
        profiles.from_option(f"imix,{path}")
