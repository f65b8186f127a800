"""Names as people type them: aliases, and what is near a name that is not there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.errors import UsageError
from ciphermark.plan import names
from ciphermark.plan.selection import from_options
from lent_engine import all_algorithms, description

FACTS = description()


@given(st.sampled_from(all_algorithms()), st.data())
def test_every_alias_means_its_algorithm_in_any_case(algorithm, data: st.DataObject) -> None:  # noqa: ANN001
    alias = data.draw(st.sampled_from([algorithm.name, *algorithm.aliases]))
    assert names.algorithm_names([alias.upper()], FACTS) == [algorithm.name]


def test_no_two_algorithms_share_a_name() -> None:
    known = [name for it in all_algorithms() for name in [it.name, *it.aliases]]
    assert len(known) == len(set(known))


def test_a_name_that_stands_twice_counts_once() -> None:
    assert names.algorithm_names("md5, sha256,md5", FACTS) == ["md5", "sha256"]


def test_a_pattern_means_all_names_that_it_fits_and_no_aliases() -> None:
    found = names.algorithm_names("md5,UMAC-*", FACTS)
    assert found == ["md5", "umac-128", "umac-32", "umac-64", "umac-96"]


def test_a_pattern_that_fits_nothing_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'umcc-\*' fits no algorithm; see: ciphermark list"):
        names.algorithm_names("umcc-*", FACTS)


@pytest.mark.parametrize(
    ("find", "typed", "sentence"),
    [
        (
            lambda name: names.algorithm_names(name, FACTS),
            "aes-128-gmc",
            "algorithm .* aes-128-gcm",
        ),
        (lambda name: names.provider_names(name, FACTS), "opensll", "provider .* near: openssl"),
        (lambda name: names.operation_names(name), "sael", "operation 'sael'; near: seal"),
        (
            lambda name: names.backend_names(name, FACTS.implementations),
            "defualt",
            "near: default",
        ),
    ],
)
def test_an_unknown_name_says_which_are_near(find, typed: str, sentence: str) -> None:  # noqa: ANN001
    with pytest.raises(UsageError, match=sentence):
        find(typed)


def test_a_name_like_no_other_says_where_they_are_listed() -> None:
    with pytest.raises(UsageError, match="'qqq'; see: ciphermark list algorithms"):
        names.algorithm_names("qqq", FACTS)


def test_a_list_may_have_blanks_and_a_comma_at_its_end() -> None:
    assert names.split(" a, b ,c,") == ["a", "b", "c"]


def test_a_selection_of_nothing_is_nothing() -> None:
    selection = from_options()
    assert selection.algorithms is None and selection.sizes is None and selection.cpu is None


def test_a_selection_reads_each_option() -> None:
    selection = from_options(
        algorithms="md5,sha1", sizes="16,4K", precision="2%", budget="2m", cpus="1",
        library=["openssl=/opt/a=b.so"],
    )  # fmt: skip
    assert selection.algorithms == ["md5", "sha1"]
    assert selection.sizes == [16, 4096]
    assert selection.precision == pytest.approx(0.02)
    assert (selection.budget_s, selection.cpu) == (120, 1)
    assert selection.libraries == {"openssl": "/opt/a=b.so"}


@pytest.mark.parametrize("name", ["x" * 1_000_000, "*a" * 200_000, "[" * 100_000])
def test_a_long_name_is_refused_at_once_and_not_echoed_whole(name: str) -> None:
    known = {"sha256": "sha256"}
    with pytest.raises(UsageError, match="there is no algorithm 'x|'\\*|'\\[") as refusal:
        names.found_names([name], known, "algorithm", "ciphermark list algorithms")
    assert len(str(refusal.value)) < 300
    assert str(refusal.value).endswith("see: ciphermark list algorithms")
