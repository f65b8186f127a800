"""Comparisons: their statistics, what is paired with what, verdicts, and the command."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest
import typer
from scipy import stats
from typer.testing import CliRunner, Result

from ciphermark.command.options import grouped
from ciphermark.errors import UsageError
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import estimate_median
from ciphermark.statistics.ratio import (
    OrderStatistics,
    geometric_mean,
    interval_quantile,
    paired_logs,
    unpaired_ratio,
)
from ciphermark.workloads.single.compare_command import compare as command
from ciphermark.workloads.single.comparison import Comparison, Figured, LibraryChange, Pair, compare
from ciphermark.workloads.single.comparison_table import blocks, changes, junit, markdown
from ciphermark.workloads.single.pairing import Selection
from ciphermark.workloads.single.row import BELOW_NOTHING
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from on_screen import blocks_on_screen
from synthetic import CRASH, synthetic_cases, synthetic_run

EVERYTHING = Selection()
OPENSSL, RUSTCRYPTO = Selection("openssl"), Selection("rustcrypto")
PORTABLE, DEFAULT = Selection("openssl", "portable"), Selection("openssl", "default")


def against(run_a: Run, run_b: Run, **changes: Any) -> Comparison:
    facts: dict[str, Any] = dict(select_a=EVERYTHING, select_b=EVERYTHING, threshold=0.05)
    return compare(Figured.of(run_a), Figured.of(run_b), **facts | changes)


def verdicts(comparison: Comparison, algorithm: str) -> set[str]:
    return {pair.verdict for pair in comparison.pairs if pair.algorithm == algorithm}


def shown(comparison: Comparison, every: bool = False) -> str:
    return blocks_on_screen(blocks(comparison, every), width=100)


def a_run(seed: int = 0, **changes: Any) -> Run:
    return synthetic_run(rounds=8, seed=seed, **changes)


class TestRatio:
    """The intervals of ratios, against simulations whose truth is known."""

    @staticmethod
    def groups(kind: str, random: np.random.Generator, count: int) -> np.ndarray:
        """Log costs of groups: normal, skewed as by interrupts, or of two memory layouts."""
        noise = {
            "normal": random.normal(0, 0.01, count),
            "skewed": random.exponential(0.01, count),
            "two layouts": random.choice([0, 0.02], count) + random.normal(0, 0.002, count),
        }
        return noise[kind]

    @pytest.mark.slow
    @pytest.mark.parametrize("kind", ["normal", "skewed", "two layouts"])
    @pytest.mark.parametrize("count", [6, 9, 20])
    def test_unpaired_intervals_cover_the_truth(self, kind: str, count: int) -> None:
        random = np.random.default_rng(count)
        covered = 0
        for _ in range(1500):
            a = 130 * np.exp(self.groups(kind, random, count))
            b = 100 * np.exp(self.groups(kind, random, count + 3))
            found = unpaired_ratio(
                estimate_median(a),
                OrderStatistics(count),
                estimate_median(b),
                OrderStatistics(count + 3),
            )
            covered += found.low <= 1.3 <= found.high
        assert 0.945 <= covered / 1500 <= 0.999

    def test_paired_intervals_cover_the_truth_though_the_machine_drifts(self) -> None:
        random = np.random.default_rng(5)
        covered = 0
        for _ in range(1500):
            drift = np.exp(np.cumsum(random.normal(0, 0.05, 9)))
            a = 130 * drift * np.exp(self.groups("skewed", random, 9))
            b = 100 * drift * np.exp(self.groups("skewed", random, 9))
            found = paired_logs(np.log(a / b))
            covered += found.low <= 1.3 <= found.high
        assert 0.94 <= covered / 1500 <= 0.99

    @pytest.mark.slow
    @pytest.mark.parametrize("count", [6, 12, 20])
    def test_a_detectable_change_is_seen_four_times_in_five(self, count: int) -> None:
        random = np.random.default_rng(count)

        def trial(true: float) -> Any:
            a = 100 * true * np.exp(self.groups("normal", random, count))
            b = 100 * np.exp(self.groups("normal", random, count))
            return unpaired_ratio(
                estimate_median(a),
                OrderStatistics(count),
                estimate_median(b),
                OrderStatistics(count),
            )

        detectable = float(np.median([trial(1.0).detectable for _ in range(800)]))
        seen = np.mean([trial(detectable).low > 1 for _ in range(800)])
        assert 0.75 <= seen <= 0.9

    def test_the_inverse_comparison_gives_the_inverse_ratio(self) -> None:
        a, b = Estimate(130.0, 128.0, 135.0), Estimate(100.0, 99.0, 100.5)
        there = unpaired_ratio(a, OrderStatistics(8), b, OrderStatistics(12))
        back = unpaired_ratio(b, OrderStatistics(12), a, OrderStatistics(8))
        assert there.value == pytest.approx(1 / back.value)
        assert there.low == pytest.approx(1 / back.high)
        assert there.high == pytest.approx(1 / back.low)
        assert there.detectable == pytest.approx(back.detectable)

    @pytest.mark.parametrize("n", [6, 8, 9, 20, 300])
    def test_the_quantile_is_that_of_the_intervals_confidence(self, n: int) -> None:
        rank = max(r for r in range(1, n) if stats.binom.cdf(r - 1, n, 0.5) <= 0.025)
        expected = stats.norm.isf(stats.binom.cdf(rank - 1, n, 0.5))
        assert interval_quantile(OrderStatistics(n)) == pytest.approx(expected)

    def test_the_geometric_mean_has_students_interval(self) -> None:
        ratios = np.array([1.02, 0.97, 1.1, 1.05, 0.99, 1.3, 1.01])
        logs = np.log(ratios)
        low, high = stats.t.interval(0.95, 6, np.mean(logs), stats.sem(logs))
        found = geometric_mean(ratios)
        assert found.value == pytest.approx(stats.gmean(ratios))
        assert (found.low, found.high) == pytest.approx((math.exp(low), math.exp(high)), rel=1e-4)

    @pytest.mark.parametrize("ratios", [[], [1.2]])
    def test_the_geometric_mean_needs_two_cases(self, ratios: list[float]) -> None:
        assert geometric_mean(np.array(ratios)) is None


class TestTwoRuns:
    def test_a_slowdown_is_a_regression_and_the_rest_is_not(self) -> None:
        slow = a_run(1, slower={"sha256": 1.12, "hmac-sha256": 1.03, "aes-128-gcm": 0.9})
        comparison = against(slow, a_run(2))
        assert not comparison.paired
        assert verdicts(comparison, "sha256") == {"regression"}
        assert verdicts(comparison, "hmac-sha256") == {"slower"}
        assert verdicts(comparison, "aes-128-gcm") == {"faster"}
        assert comparison.regressions == 6
        for pair in comparison.pairs:
            if pair.algorithm == "sha256":
                assert pair.ratio_low < pair.ratio < pair.ratio_high
                assert pair.ratio == pytest.approx(1.12, abs=0.02)
                assert pair.ratio == pair.cycles_per_message_a / pair.cycles_per_message_b

    def test_counts_are_those_of_the_pairs(self) -> None:
        comparison = against(a_run(1, slower={"sha256": 1.12}, failed={3: CRASH}), a_run(2))
        counts = (
            comparison.regressions,
            comparison.slower,
            comparison.faster,
            comparison.same,
            comparison.unknown,
        )
        assert sum(counts) == len(comparison.pairs) == 26
        assert (comparison.regressions, comparison.unknown) == (6, 1)

    def test_the_threshold_parts_slower_from_regression(self) -> None:
        slow, usual = a_run(1, slower={"sha256": 1.12}), a_run(2)
        assert verdicts(against(slow, usual, threshold=0.2), "sha256") == {"slower"}
        assert against(slow, usual, threshold=0.2).regressions == 0

    def test_a_slowdown_within_its_interval_is_no_regression(self) -> None:
        """Beyond the threshold by its figure, but so uncertain that it may be none."""
        cases = synthetic_cases(["sha256"], ["openssl"], [64])
        noisy, usual = synthetic_run(cases, seed=1), synthetic_run(cases, seed=2)
        spread = np.exp(np.linspace(-0.4, 0.6, 8))[noisy.samples["round"].to_numpy()]
        _scale(noisy, spread)
        (pair,) = against(noisy, usual).pairs
        assert pair.ratio > 1.05
        assert pair.ratio_low < 1
        assert pair.verdict == "same"
        assert not pair.converged

    def test_the_mean_of_all_ratios_sees_what_they_have_in_common(self) -> None:
        slow = a_run(1, slower=dict.fromkeys(("sha256", "aes-128-gcm", "hmac-sha256"), 1.04))
        comparison = against(slow, a_run(2))
        assert 1 < comparison.geometric_mean_low < comparison.geometric_mean
        assert comparison.geometric_mean < comparison.geometric_mean_high < 1.05
        assert 1 < comparison.detectable_ratio < 1.02

    def test_cases_of_one_run_only_are_named(self) -> None:
        more = a_run(1)
        fewer = synthetic_run(synthetic_cases(["sha256", "aes-128-gcm"], ["openssl"]), seed=2)
        comparison = against(more, fewer)
        assert len(comparison.pairs) == 7
        assert len(comparison.only_a) == 19
        assert comparison.only_b == []
        assert "hmac-sha256 mac 1024 bytes, openssl default" in comparison.only_a
        assert "aes-128-gcm setup, rustcrypto default" in comparison.only_a

    def test_errors_and_lacking_intervals_are_marked(self) -> None:
        failed = a_run(1, failed={3: CRASH})
        short = synthetic_run(rounds=4, seed=2)
        crashed, other = against(failed, short).pairs[3:5]
        assert (crashed.verdict, crashed.ratio, crashed.converged) == ("unknown", None, False)
        assert crashed.reason == f"{failed.context.run}: the library crashed"
        assert (other.verdict, other.ratio) == ("unknown", None)
        assert other.reason == f"{short.context.run}: 4 of the 6 processes that an interval needs"

    def test_a_cost_of_nothing_has_no_ratio(self) -> None:
        cases = synthetic_cases(["sha256"], ["openssl"], [64])
        nothing, usual = synthetic_run(cases, seed=1), synthetic_run(cases, seed=2)
        _scale(nothing, 0.005)
        (pair,) = against(nothing, usual).pairs
        assert pair.reason == f"{nothing.context.run}: {BELOW_NOTHING}"

    def test_a_library_that_took_another_backend_is_still_compared(self) -> None:
        cases = synthetic_cases(["sha256"], ["openssl"])
        new, old = synthetic_run(cases, seed=1), synthetic_run(cases, seed=2)
        for record in old.cases:
            record.implementation.backend = "shani"
        comparison = against(new, old)
        assert [(pair.backend_a, pair.backend_b) for pair in comparison.pairs] == [
            ("default", "shani")
        ] * 3
        assert comparison.only_a == comparison.only_b == []
        text = shown(comparison, every=True)
        assert "openssl default, against shani" in text
        assert "another code path ran in 3 cases: openssl default, against shani" in text

    def test_a_case_is_what_was_asked_for_and_not_what_ran(self) -> None:
        """The default took another path, and the path that it took once is now on request only."""
        cases = synthetic_cases(["sha256"], ["openssl"], [64])
        cases.append(msgspec.structs.replace(cases[0], case=1, backend="portable"))
        new, old = synthetic_run(cases, seed=1), synthetic_run(cases, seed=2)
        new.cases[0].implementation.backend = "portable"
        old.cases[0].implementation.backend = "shani"
        pairs = against(new, old).pairs
        assert [(pair.backend_asked_a, pair.backend_a, pair.backend_b) for pair in pairs] == [
            ("default", "portable", "shani"),
            ("portable", "portable", "portable"),
        ]
        assert [pair.path_changed for pair in pairs] == [True, False]

    @pytest.mark.parametrize(
        "called",
        [
            {"pattern": "one-shot"},
            {"pattern": "incremental", "chunk_bytes": 64},
            {"keys": 1000},
            {"buffers": "stream"},
            {"lanes": 8},
        ],
        ids=lambda called: "-".join(map(str, called.values())),
    )
    def test_the_way_of_calling_is_part_of_a_case(self, called: dict[str, Any]) -> None:
        cases = synthetic_cases(["sha256"], ["openssl"], [64])
        cases.append(msgspec.structs.replace(cases[0], case=1, **called))
        new = synthetic_run(cases, seed=1)
        old = synthetic_run(cases[:1], seed=2)
        comparison = against(new, old)
        assert len(comparison.pairs) == 1
        [alone] = comparison.only_a
        assert alone.startswith("sha256 digest 64 bytes, openssl default, ")
        both = shown(against(new, synthetic_run(cases, seed=3)), every=True)
        assert alone.rpartition(", ")[2] in both

    def test_switches_are_part_of_a_case(self) -> None:
        cases = synthetic_cases(["sha256"], ["openssl"])
        masked, usual = synthetic_run(cases, seed=1), synthetic_run(cases, seed=2)
        masked.cases[0].case = msgspec.structs.replace(
            masked.cases[0].case, switches={"OPENSSL_ia32cap": "0"}
        )
        comparison = against(masked, usual)
        assert (len(comparison.pairs), len(comparison.only_a)) == (2, 1)

    def test_versions_of_libraries_are_compared(self) -> None:
        new, old = a_run(1), a_run(2)
        new.context.hello.providers[0].version = "3.5.0"
        (change,) = against(new, old).libraries
        assert (change.provider, change.version_a, change.version_b) == (
            "openssl",
            "3.5.0",
            "3.0.17",
        )

    def test_other_differences_are_noted(self) -> None:
        one, other = a_run(1), a_run(2)
        assert against(one, other).notes == []
        one.context.cycle_source = "pmu"
        one.context.interrupted = True
        one.context.hello.engine.rustc = "rustc 1.95.0"
        notes = " ".join(against(one, other).notes)
        assert "cycles are pmu in" in notes
        assert "the engines differ" in notes
        assert f"{one.context.run} was interrupted" in notes

    def test_unlike_machines_are_refused_unless_told(self) -> None:
        one, other = a_run(1), a_run(2, machine="core-i7-8650u")
        with pytest.raises(UsageError) as refusal:
            against(one, other)
        for part in ("epyc-9b45-kvm", "core-i7-8650u", "--across-machines"):
            assert part in str(refusal.value)
        comparison = against(one, other, across_machines=True)
        assert comparison.machines == ["epyc-9b45-kvm", "core-i7-8650u"]
        assert len(comparison.notes) == 1

    def test_runs_with_no_case_in_common_are_refused(self) -> None:
        one = synthetic_run(synthetic_cases(["sha256"]), seed=1)
        other = synthetic_run(synthetic_cases(["aes-128-gcm"]), seed=2)
        with pytest.raises(UsageError, match="no case in common"):
            against(one, other)


class TestTwoLibraries:
    def test_libraries_of_one_run_are_compared_round_by_round(self) -> None:
        """The machine slows down fivefold within the run, and the ratios do not notice."""
        run = a_run(1)
        steady = against(run, run, select_a=OPENSSL, select_b=RUSTCRYPTO)
        _scale(run, np.linspace(1, 5, 8)[run.samples["round"].to_numpy()])
        drifting = against(run, run, select_a=OPENSSL, select_b=RUSTCRYPTO)
        assert steady.paired
        assert drifting.paired
        assert len(drifting.pairs) == 13
        for before, after in zip(steady.pairs, drifting.pairs, strict=True):
            assert (after.provider_a, after.provider_b) == ("openssl", "rustcrypto")
            assert after.ratio == pytest.approx(before.ratio, rel=0.02)
            assert after.ratio_high / after.ratio_low < 1.03
            assert not after.converged

    def test_libraries_of_two_runs_are_compared_by_their_estimates(self) -> None:
        comparison = against(a_run(1), a_run(2), select_a=OPENSSL, select_b=RUSTCRYPTO)
        assert not comparison.paired
        assert len(comparison.pairs) == 13
        assert comparison.selections == ["openssl", "rustcrypto"]

    def test_a_selection_on_one_side_holds_for_both(self) -> None:
        comparison = against(a_run(1), a_run(2), select_a=OPENSSL)
        assert comparison.selections == ["openssl", "openssl"]
        assert {pair.provider_b for pair in comparison.pairs} == {"openssl"}

    def test_six_processes_that_both_have_are_needed(self) -> None:
        """Of nine processes one library lacks the first three, the other the last three."""
        run = synthetic_run(synthetic_cases(["sha256"], sizes=[64, 1024]), rounds=9, seed=1)
        case, number = (run.samples[name].to_numpy() for name in ("case", "round"))
        run.samples = run.samples.taken(~((case == 0) & (number < 3) | (case == 2) & (number > 5)))
        pairs = against(run, run, select_a=OPENSSL, select_b=RUSTCRYPTO).pairs
        missing = "3 of 6 pairs of processes in common"
        assert (pairs[0].verdict, pairs[0].reason) == ("unknown", missing)
        assert pairs[1].ratio is not None

    @pytest.mark.parametrize("selection", [EVERYTHING, OPENSSL])
    def test_a_run_is_not_compared_with_itself(self, selection: Selection) -> None:
        run = a_run(1)
        with pytest.raises(UsageError, match="name two providers in it"):
            against(run, run, select_a=selection)

    def test_a_provider_that_is_not_in_the_run_is_refused(self) -> None:
        run = a_run(1)
        with pytest.raises(UsageError, match=r"no case of opensl; it has openssl/default, rust"):
            against(run, run, select_a=Selection("opensl"), select_b=RUSTCRYPTO)

    def test_one_of_several_backends_must_be_named(self) -> None:
        cases = synthetic_cases(["sha256"], sizes=[64])
        cases.append(msgspec.structs.replace(cases[0], case=2, backend="portable"))
        run = synthetic_run(cases, seed=1)
        with pytest.raises(UsageError, match=r"\(default, portable\); name one, for example"):
            against(run, run, select_a=OPENSSL, select_b=RUSTCRYPTO)
        (named,) = against(run, run, select_a=PORTABLE, select_b=RUSTCRYPTO).pairs
        assert (named.backend_a, named.provider_b) == ("portable", "rustcrypto")
        (backends,) = against(run, run, select_a=PORTABLE, select_b=DEFAULT).pairs
        asked = (backends.backend_asked_a, backends.backend_asked_b)
        assert asked == ("portable", "default")

    def test_a_backend_that_is_reached_by_a_switch_is_held_against_the_default(self) -> None:
        cases = synthetic_cases(["sha256"], ["openssl"])
        masked = {"OPENSSL_ia32cap": "0"}
        cases += [
            msgspec.structs.replace(it, case=it.case + 3, backend="portable", switches=masked)
            for it in cases
        ]
        run = synthetic_run(cases, seed=1)
        comparison = against(run, run, select_a=PORTABLE, select_b=DEFAULT)
        assert len(comparison.pairs) == 3
        assert comparison.only_a == comparison.only_b == []

    def test_a_backend_can_be_named_by_what_ran(self) -> None:
        run = synthetic_run(synthetic_cases(["sha256"]), seed=1)
        for record in run.cases:
            record.implementation.backend = "shani"
        comparison = against(run, run, select_a=Selection("openssl", "shani"), select_b=RUSTCRYPTO)
        assert len(comparison.pairs) == 3


class TestShown:
    def test_the_verdict_comes_first_and_then_the_regressions(self) -> None:
        comparison = against(a_run(1, slower={"sha256": 1.12, "hmac-sha256": 1.03}), a_run(2))
        lines = shown(comparison).splitlines()
        headings = [line.strip() for line in lines if line.strip() in ("regression", "slower")]
        assert headings == ["regression", "slower"]
        assert "cases whose interval has 1 in it; --all lists them" in shown(comparison)
        assert "6 regressions beyond 5 % in 26 cases" in lines[0] + lines[1]

    def test_nothing_but_the_verdict_is_said_where_all_is_the_same(self) -> None:
        pair = _pair(verdict="same", ratio=1.001, ratio_low=0.99, ratio_high=1.01)
        text = shown(_comparison([pair]))
        assert "sha256" not in text
        assert "no regression beyond 5 % in 1 case (1 same)" in text
        assert "sha256 digest" in shown(_comparison([pair]), every=True)

    def test_every_case_whose_interval_excludes_1_is_named(self) -> None:
        inside = _pair(verdict="same", ratio=1.001, ratio_low=0.99, ratio_high=1.01)
        outside = dict(verdict="same", ratio=1.02, ratio_low=1.01, ratio_high=1.03)
        slower = dict(verdict="slower", ratio=1.03, ratio_low=1.02, ratio_high=1.04)
        text = shown(
            _comparison(
                [
                    *[inside] * 20,
                    _pair(algorithm="md5", **outside),
                    _pair(algorithm="sha1", **slower),
                ]
            )
        )
        assert "md5 digest" in text and "by chance" in text
        assert "the worst is sha1 digest" in " ".join(text.split())
        assert "20 cases whose interval has 1 in it; --all lists them" in text

    def test_power_is_of_the_cases_that_are_the_same(self) -> None:
        comparison = against(a_run(1, slower={"sha256": 1.3}), a_run(2))
        alike = [it.detectable_ratio for it in comparison.pairs if it.verdict == "same"]
        assert comparison.detectable_ratio == pytest.approx(np.median(alike))
        assert f"in the {len(alike)} cases that are the same, a change" in shown(comparison)

    def test_a_mean_of_unlike_changes_says_so(self) -> None:
        uneven = against(a_run(1, slower={"sha256": 1.3}), a_run(2))
        assert "the changes are not uniform" in " ".join(shown(uneven).split())
        even = against(a_run(1), a_run(2))
        assert "not uniform" not in shown(even)

    def test_unsettled_ratios_are_marked(self) -> None:
        unsettled = dict(ratio=1.2, ratio_low=1.1, ratio_high=1.3, converged=False)
        text = shown(_comparison([_pair(verdict="regression", **unsettled)]))
        assert "~1.200 (1.100–1.300)" in text
        assert "1 ratio of figures that did not settle" in text

    def test_a_lacking_ratio_is_explained(self) -> None:
        text = shown(_comparison([_pair(verdict="unknown", reason="the worker crashed")]))
        assert "the worker crashed" in text

    def test_missing_cases_are_counted_and_the_first_named(self) -> None:
        same = _pair(verdict="same", ratio=1.0, ratio_low=1.0, ratio_high=1.0)
        comparison = _comparison([same], only_b=[f"case {number}" for number in range(8)])
        text = " ".join(shown(comparison).split())
        assert "only in run-b: 8 cases: case 0; case 1; case 2; case 3; case 4; and 3 more" in text

    def test_many_without_a_verdict_are_counted_by_their_reason(self) -> None:
        few = [_pair(verdict="unknown", reason=f"run {it}: 5 of 6 processes") for it in range(5)]
        assert shown(_comparison(few)).count("sha256 digest") == 5
        many = [*few, *few, _pair(verdict="unknown", reason="the worker crashed")]
        text = " ".join(shown(_comparison(many)).split())
        assert text.count("sha256 digest") == 5
        said = "11 cases without a verdict: 5 of 6 processes (10), the worker crashed (1); --all"
        assert said in text
        assert shown(_comparison(many), every=True).count("sha256 digest") == 11


class TestChanges:
    """What changed since the run before, in a line."""

    SLOW = {"ratio": 1.2, "ratio_low": 1.1, "ratio_high": 1.3}

    def test_the_worst_is_named(self) -> None:
        pairs = [
            _pair(verdict="regression", algorithm="md5", **self.SLOW),
            _pair(verdict="slower", ratio=1.02, ratio_low=1.01, ratio_high=1.03),
            _pair(verdict="same", ratio=1.0, ratio_low=0.99, ratio_high=1.01),
        ]
        library = LibraryChange(provider="openssl", version_a="3.5", version_b="3.4")
        said = changes(_comparison(pairs, libraries=[library]))
        assert said == (
            "of 3 cases 2 slower, 1 by more than 5 % (md5 digest 64 B by openssl: 1.20 times the "
            "cycles); openssl 3.4 to 3.5"
        )
        assert changes(_comparison(pairs[:1])).startswith("of 1 case 1 slower by more than 5 % (")

    def test_no_change_and_no_verdict_are_not_the_same(self) -> None:
        same = _pair(verdict="same", ratio=1.0, ratio_low=0.99, ratio_high=1.01)
        unknown = _pair(verdict="unknown", reason="61 % of samples disturbed")
        assert changes(_comparison([same])) == "no change beyond chance in 1 case"
        assert "no verdict on" in changes(_comparison([unknown]))
        assert "1 without a verdict" in changes(_comparison([same, unknown]))


class TestForges:
    """What a forge reads: Markdown and JUnit's XML."""

    RATIO = {"ratio": 1.2, "ratio_low": 1.1, "ratio_high": 1.3}

    @pytest.fixture
    def pairs(self) -> list[Pair]:
        return [
            _pair(verdict="same", ratio=1.0, ratio_low=0.99, ratio_high=1.01),
            _pair(verdict="regression", algorithm="md5", **self.RATIO),
            _pair(verdict="unknown", algorithm="sha1", reason="the worker | crashed"),
        ]

    def test_markdown_has_the_verdict_and_what_differs(self, pairs: list[Pair]) -> None:
        text = markdown(_comparison(pairs), every=False)
        assert text.startswith("**1 regression beyond 5 % in 3 cases")
        rows = [line for line in text.splitlines() if line.startswith("|")]
        assert [row.split("|")[1].strip() for row in rows[2:]] == ["regression", "unknown"]
        assert "the worker \\| crashed" in text, "a bar would end the cell"
        assert "sha256 digest" in markdown(_comparison(pairs), every=True)

    def test_a_regression_fails_and_what_has_no_verdict_is_skipped(self, pairs: list[Pair]) -> None:
        [suite] = ElementTree.fromstring(junit(_comparison(pairs), every=False))
        counts = {name: suite.get(name) for name in ("tests", "failures", "skipped", "errors")}
        assert counts == {"tests": "3", "failures": "1", "skipped": "1", "errors": "0"}
        children = {case.get("classname"): [it.tag for it in case] for case in suite}
        assert children == {"sha256": [], "md5": ["failure"], "sha1": ["skipped"]}


class TestCommand:
    @pytest.fixture
    def runs(self, tmp_path: Path) -> Path:
        """Runs 0001 and 0002 of the same speed, and 0003, in which SHA-256 is slower."""
        store = Store(tmp_path)
        for seed, slower in ((1, {}), (2, {}), (3, {"sha256": 1.12})):
            run = a_run(seed, slower=slower)
            store.save(run, SINGLE.rows_table(rows(run)))
        return tmp_path

    @staticmethod
    def run(runs: Path, *arguments: str) -> Result:
        app = typer.Typer()
        app.command()(grouped(command))
        return CliRunner().invoke(app, [*arguments, "--runs", str(runs)])

    @pytest.mark.slow
    def test_the_exit_code_tells_a_regression(self, runs: Path) -> None:
        assert self.run(runs, "0002", "0001").exit_code == 0
        assert self.run(runs, "last", "0001").exit_code == 1
        assert self.run(runs, "0001", "last").exit_code == 0
        assert self.run(runs, "last", "0001", "--threshold", "20%").exit_code == 0

    def test_json_has_runs_pairs_and_their_mean(self, runs: Path) -> None:
        result = self.run(runs, "last", "0001", "--json")
        document = json.loads(result.stdout)
        assert [name[-4:] for name in document["runs"]] == ["0003", "0001"]
        assert document["regressions"] == 6
        assert len(document["pairs"]) == 26
        assert document["geometric_mean"] > 1
        assert set(document["pairs"][0]) == set(Pair.__struct_fields__)

    def test_a_form_for_forges_can_be_written_to_a_file(self, runs: Path, tmp_path: Path) -> None:
        path = tmp_path / "speed.xml"
        result = self.run(runs, "last", "0001", "--format", "junit", "--output", str(path))
        assert result.exit_code == 1, "a regression, whatever the form"
        assert ElementTree.parse(path).getroot()[0].get("failures") == "6"

    def test_libraries_are_named_after_the_run(self, runs: Path) -> None:
        result = self.run(runs, "0001:openssl", "0001:rustcrypto", "--json")
        document = json.loads(result.stdout)
        assert document["paired"]
        assert document["selections"] == ["openssl", "rustcrypto"]

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (["last", "last"], "both sides are of run"),
            (["last", "last:openssl"], "both sides are of run"),
            (["last", "nothing"], "there is no run 'nothing'"),
            (["last", "0001", "--threshold", "much"], "--threshold 'much' is not a share"),
            (["last:", "0001:libfoo"], "no case of libfoo"),
            (["last", "0001", "--format", "sarif"], "choose one of markdown, junit"),
            (["last", "0001", "--output", "x"], "--output goes with --format"),
            (["last", "0001", "--format", "junit", "--json"], "--json and --format exclude"),
        ],
    )
    def test_a_mistake_is_a_sentence(self, runs: Path, arguments: list[str], sentence: str) -> None:
        mistake = self.run(runs, *arguments).exception
        assert isinstance(mistake, UsageError)
        assert sentence in str(mistake)


def _scale(run: Run, factor: Any) -> None:
    """Multiplies the cycles and the time of each sample."""
    for name in ("cycles", "wall_ns"):
        scaled = run.samples[name].to_numpy() * factor
        run.samples = run.samples.with_column(name, scaled)


def _pair(**changes: Any) -> Pair:
    facts: dict[str, Any] = dict(
        algorithm="sha256",
        operation="digest",
        workload="single",
        pattern="reused-key",
        chunk_bytes=None,
        offload="none",
        lanes=1,
        keys=1,
        buffers="hot",
        switches={},
        message_bytes=64,
        provider_a="openssl",
        provider_b="openssl",
        backend_asked_a="default",
        backend_asked_b="default",
        backend_a="shani",
        backend_b="shani",
        cycles_per_message_a=500.0,
        cycles_per_message_b=500.0,
        converged=True,
    )
    return Pair(**facts | changes)


def _comparison(pairs: list[Pair], **changes: Any) -> Comparison:
    counts = {name: 0 for name in ("slower", "faster", "same", "unknown", "regressions")}
    for pair in pairs:
        counts["regressions" if pair.verdict == "regression" else pair.verdict] += 1
    facts: dict[str, Any] = dict(
        runs=["run-a", "run-b"],
        selections=[None, None],
        machines=["here", "here"],
        figure="cycles a message",
        paired=False,
        threshold=0.05,
        geometric_mean=None,
        geometric_mean_low=None,
        geometric_mean_high=None,
        geometric_mean_detectable=None,
        detectable_ratio=None,
        pairs=pairs,
        only_a=[],
        only_b=[],
        libraries=[],
        notes=[],
    )
    return Comparison(**facts | counts | changes)
