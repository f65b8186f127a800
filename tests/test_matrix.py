"""The matrices of a run: which provider is the fastest, what ties with it, whose answers hold."""

from __future__ import annotations

from typing import Any

import pytest

from ciphermark import contract
from ciphermark.statistics.ratio import Ratio
from ciphermark.workloads.single.matrix import answers, called_alike, matrices
from ciphermark.workloads.single.row import Row
from row_example import a_row
from synthetic import CRASH


def of(provider: str, cycles: float | None, half: float = 0.01, **changes: Any) -> Row:
    """SHA-256 of 1024 bytes with an interval of ± `half`, a share."""
    size = changes.pop("message_bytes", 1024)
    return a_row(size, cycles, half, **{"provider": provider} | changes)


def standings(*rows: Row) -> dict[str, str]:
    """By provider, of the only algorithm of the only matrix."""
    [matrix] = matrices(rows)
    [cells] = matrix.cells.values()
    return {provider: cell.standing for provider, cell in cells.items()}


class TestCosts:
    def test_the_fastest_is_marked_and_those_that_cannot_be_told_from_it_are_ties(self) -> None:
        found = standings(
            of("openssl", 1000), of("nettle", 1010), of("botan", 1030), of("rustcrypto", 4000)
        )
        assert found == {"openssl": "fastest", "nettle": "tie", "botan": "", "rustcrypto": ""}

    def test_intervals_that_barely_overlap_are_told_apart(self) -> None:
        """Both figures would have to be off by as much as they may be, and in opposite ways."""
        assert standings(of("openssl", 1000), of("nettle", 1019))["nettle"] == ""

    def test_rows_of_one_run_are_held_against_each_other_as_pairs(self) -> None:
        """Each has a wide interval, and the one is always the slower by as much."""
        rows = [of("openssl", 1000, 0.1), of("nettle", 1030, 0.1)]

        def paired(a: Row, b: Row) -> Ratio:
            return Ratio(a.cycles_per_message / b.cycles_per_message, 1.029, 1.031)

        [matrix] = matrices(rows, paired)
        assert matrix.cells["sha256"]["nettle"].standing == ""

    def test_a_wide_interval_of_the_fastest_ties_with_many(self) -> None:
        found = standings(of("openssl", 1000, 0.3), of("nettle", 1200), of("botan", 1290))
        assert found == {"openssl": "fastest", "nettle": "tie", "botan": "tie"}

    def test_a_figure_without_interval_may_be_the_fastest_and_never_ties(self) -> None:
        bare = {"cycles_per_message_low": None, "cycles_per_message_high": None}
        assert standings(of("openssl", 1000, **bare), of("nettle", 1000.1)) == {
            "openssl": "fastest",
            "nettle": "",
        }
        assert standings(of("openssl", 1000), of("nettle", 1000.1, **bare))["nettle"] == ""

    def test_who_is_alone_is_not_the_fastest(self) -> None:
        assert standings(of("openssl", 1000)) == {"openssl": ""}
        failed = of("nettle", None, error=CRASH)
        assert standings(of("openssl", 1000), failed) == {"openssl": "", "nettle": ""}

    def test_a_library_stands_for_what_it_chooses_itself(self) -> None:
        rows = [
            of("openssl", 1000),
            of("openssl", 500, backend_asked="avx512"),
            of("openssl", 600, switches={"OPENSSL_ia32cap": "0"}),
            of("nettle", 700),
        ]
        [matrix] = matrices(rows)
        assert matrix.cells["sha256"]["openssl"].row is rows[0]
        assert standings(*rows) == {"openssl": "", "nettle": "fastest"}

    def test_of_requested_backends_alone_the_fastest_stands_for_the_library(self) -> None:
        rows = [
            of("kernels", 900, backend_asked="portable"),
            of("kernels", 300, backend_asked="avx2"),
            of("kernels", None, backend_asked="avx512", error=CRASH),
        ]
        [matrix] = matrices(rows)
        assert matrix.cells["sha256"]["kernels"].row is rows[1]

    def test_each_operation_and_size_has_a_matrix(self) -> None:
        rows = [
            of("openssl", 1000),
            of("openssl", 400, operation="setup", message_bytes=None),
            of("openssl", 90, message_bytes=16),
            of("nettle", 95, message_bytes=16, algorithm="md5"),
        ]
        assert [(it.operation, it.size, list(it.cells)) for it in matrices(rows)] == [
            ("digest", 1024, ["sha256"]),
            ("setup", None, ["sha256"]),
            ("digest", 16, ["sha256", "md5"]),
        ]

    def test_only_rows_that_are_called_alike_stand_beside_each_other(self) -> None:
        usual = [of("openssl", 1000), of("nettle", 1100)]
        lanes = [of("ipsec-mb", 200, lanes=8)]
        assert called_alike(lanes + usual) == usual
        assert called_alike(lanes) == lanes
        assert called_alike([]) == []


class TestAnswers:
    @staticmethod
    def failed(kind: contract.FailureKind) -> Row:
        failure = contract.Failure(kind=kind, message="why")
        return of("openssl", None, error=failure)

    def outcome(self, *rows: Row) -> str:
        [of_provider] = answers(rows).values()
        return of_provider["openssl"].outcome

    def test_vectors_and_witnesses_are_those_of_all_cases(self) -> None:
        rows = [
            of("openssl", 1, vectors_passed=12, agrees_with=["nettle"]),
            of("openssl", 1, vectors_passed=10, agrees_with=["botan", "nettle"]),
        ]
        found = answers(rows)["sha256"]["openssl"]
        assert (found.outcome, found.vectors_passed) == ("right", 12)
        assert found.agreeing == ["botan", "nettle"]
        assert found.error is None

    @pytest.mark.parametrize(
        ("kind", "outcome"),
        [
            ("wrong-answer", "wrong"),
            ("disagreement", "wrong"),
            ("wrong-while-timed", "wrong"),
            ("crash", "no answer"),
            ("timeout", "no answer"),
            ("failed", "no answer"),
            ("unusable", "no answer"),
        ],
    )
    def test_one_failed_case_decides(self, kind: contract.FailureKind, outcome: str) -> None:
        right = of("openssl", 1, vectors_passed=12)
        assert self.outcome(right, self.failed(kind), right) == outcome
        [of_provider] = answers([right, self.failed(kind)]).values()
        assert of_provider["openssl"].error.message == "why"

    def test_what_is_not_supported_says_nothing_against_the_rest(self) -> None:
        right, unsupported = of("openssl", 1, vectors_passed=12), self.failed("unsupported")
        assert self.outcome(unsupported, right) == "right"
        assert self.outcome(unsupported) == "unsupported"

    def test_what_neither_vector_nor_witness_was_asked_about_is_not_called_right(self) -> None:
        assert self.outcome(of("openssl", None)) == "not asked"
        assert self.outcome(of("openssl", 1, agrees_with=["nettle"])) == "right"
