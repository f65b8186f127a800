"""Sets of CPUs, the times of sessions, what fits, and the cases that come of a plan."""

from __future__ import annotations

from typing import Any

import pytest

from ciphermark import contract
from ciphermark.command.options import LoadOptions, OffloadOptions
from ciphermark.errors import UsageError
from ciphermark.plan import cpu_sets, planfile
from ciphermark.plan.build import Built, build
from ciphermark.plan.cpu_sets import Cpus, Here, Limits
from ciphermark.plan.loads import SessionLoads
from ciphermark.plan.manner import Manners
from ciphermark.plan.sampling import expected_seconds
from ciphermark.plan.selection import Selection
from ciphermark.workloads import load_options
from ciphermark.workloads.sessions import plan as session_plan
from ciphermark.workloads.sessions.options import SessionOptions
from ciphermark.workloads.sessions.plan import wanted
from here_example import TWO, here
from lent_engine import description, in_groups, with_device
from sessions_example import load, session_case

SMT = Cpus(allowed=[0, 1, 2, 3, 4, 5], cores=[[0, 3], [1, 4], [2, 5]])
HERE = here()


def timed(budget_s: float = 60.0, cpus: Cpus = TWO, **loads: Any) -> session_plan.Timed:
    return session_plan.timed(wanted(SessionLoads(**loads), cpus)[0], budget_s)


def loads(**options: Any) -> dict[str, Any]:
    groups = in_groups(options, SessionOptions, LoadOptions, OffloadOptions)
    return load_options.of_sessions(*groups)


def built(selection: Selection | None = None, here: Here = HERE, name: str = "sessions") -> Built:
    return build(planfile.default(name), selection or Selection(), description(), here)


class TestCpus:
    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("0", [0]),
            ("0-3", [0, 1, 2, 3]),
            ("4,0,2-3,0", [0, 2, 3, 4]),
            (" ALL ", [0, 1, 2, 3, 4, 5]),
            ("physical", [0, 1, 2]),
            ("smt", [0, 3]),
        ],
    )
    def test_sets_are_resolved(self, text: str, found: list[int]) -> None:
        assert cpu_sets.resolve(text, SMT) == found

    @pytest.mark.parametrize(
        ("text", "cpus", "said"),
        [
            ("7", TWO, "CPU 7 is not there or not allowed to this process; allowed: 0-1"),
            ("1-3", TWO, "CPUs 2-3 are not there or not allowed"),
            ("3-1", SMT, "--cpus '3-1' begins with the higher: write 1-3"),
            ("x", TWO, "--cpus 'x' is no set of CPUs: write CPUs such as 0, 0-3"),
            ("-1", TWO, "is no set of CPUs"),
            (",", TWO, "names nothing"),
            ("smt", TWO, "each of the 2 allowed here has one: write --cpus physical or all"),
            ("smt", Cpus(allowed=[0, 1]), "the kernel does not tell which CPUs share a core"),
            ("physical", Cpus(allowed=[0, 1]), "write the CPUs themselves, of 0-1"),
        ],
    )
    def test_what_is_not_there_is_refused(self, text: str, cpus: Cpus, said: str) -> None:
        with pytest.raises(UsageError, match=said.replace("(", r"\(")):
            cpu_sets.resolve(text, cpus)

    def test_the_first_cpus_are_on_different_cores(self) -> None:
        assert SMT.first(2) == [0, 1]
        assert SMT.first(4) == [0, 1, 2, 3]
        assert Cpus(allowed=[2, 5]).first(1) == [2]

    def test_cpus_are_listed_in_few_words(self) -> None:
        assert cpu_sets.listed([3, 0, 1, 2, 6]) == "0-3,6"
        assert cpu_sets.listed([]) == ""


class TestCombinations:
    def test_every_combination_is_one_and_sessions_change_quickest(self) -> None:
        loads = SessionLoads(sessions=(1, 10), cores=(1, 2), placement=("free", "fixed"))
        found = wanted(loads, TWO)[0]
        combinations = [(it.load.placement, it.load.cpus, it.load.sessions) for it in found]
        assert combinations[:3] == [("free", [0], 1), ("free", [0], 10), ("free", [0, 1], 1)]
        assert len(combinations) == 8

    def test_the_same_set_twice_is_one(self) -> None:
        assert len(wanted(SessionLoads(cpus=("all", "0-1", "physical")), TWO)[0]) == 1

    def test_numbers_of_cpus_that_are_not_there_are_left_out(self) -> None:
        assert [it.load.cpus for it in wanted(SessionLoads(cores=(1, 4)), TWO)[0]] == [[0]]
        with pytest.raises(UsageError, match="there are 2 CPUs and none of --cores"):
            wanted(SessionLoads(cores=(4, 8)), TWO)

    def test_each_number_of_cpus_and_of_many_the_doublings(self) -> None:
        def counts(cpus: int) -> list[int]:
            every = Cpus(allowed=list(range(cpus)))
            return [len(it.load.cpus) for it in wanted(SessionLoads(cores="each"), every)[0]]

        assert counts(3) == [1, 2, 3]
        assert counts(48) == [1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 48]


class TestTimes:
    def test_a_window_is_twenty_rounds(self) -> None:
        # 100 threads on 2 CPUs take 0.2 s until each has had its 4 ms.
        (found,) = timed().loads
        assert found.threads == "per-session"
        assert (found.opens_ms, found.closes_ms) == (400, 4400)
        assert found.execution_ms == 4450

    def test_few_sessions_have_the_usual_window(self) -> None:
        (found,) = timed(sessions=(1,)).loads
        assert found.closes_ms - found.opens_ms == 2000

    def test_windows_shrink_before_the_budget_is_broken(self) -> None:
        found = timed(budget_s=12, sessions=(1,), nice=tuple(range(8)))
        assert {it.closes_ms - it.opens_ms for it in found.loads} == {500}
        assert found.needed_s <= 12

    def test_the_largest_crowds_take_turns_where_rounds_do_not_fit(self) -> None:
        found = timed(sessions=(10, 100, 1000))
        assert [it.threads for it in found.loads] == ["per-session", "per-session", "per-cpu"]
        (note,) = found.notes
        assert note.startswith(
            "1000 sessions take turns on a thread for each CPU: 20 scheduler rounds of 1000 "
            "threads × 4 ms / 2 CPUs would take 40 s"
        )
        # What the note says to type is right.
        seconds = float(note.rpartition(" ")[2].rstrip("s"))
        own = timed(budget_s=seconds, sessions=(10, 100, 1000), threads="per-session")
        assert own.needed_s <= seconds * session_plan.FIRST_SHARE

    def test_alike_crowds_are_alike(self) -> None:
        found = timed(budget_s=30, sessions=(100,), nice=tuple(range(8)))
        assert {it.threads for it in found.loads} == {"per-cpu"}

    def test_a_budget_that_is_too_short_is_refused_with_the_arithmetic(self) -> None:
        with pytest.raises(UsageError) as told:
            timed(budget_s=30, sessions=(1000,), threads="per-session")
        assert str(told.value) == (
            "1 case takes at least 45 s (one of 1000 sessions takes 44.5 s, as 20 scheduler rounds "
            "of 1000 threads × 4 ms / 2 CPUs take 40 s), and the budget is 30 s: write --budget "
            "67s, or choose less"
        )

    def test_what_is_given_is_taken(self) -> None:
        (found,) = timed(duration_s=5.0, window_s=(0.5, 4.0)).loads
        assert (found.execution_ms, found.opens_ms, found.closes_ms) == (5000, 500, 4000)
        (found,) = timed(window_s=(0.5, 4.5)).loads
        assert found.execution_ms == 4550 and found.threads == "per-session"
        (found,) = timed(duration_s=0.1).loads
        assert 0 < found.opens_ms < found.closes_ms < found.execution_ms == 100

    def test_a_short_window_makes_sessions_take_turns_unless_told_otherwise(self) -> None:
        (found,) = timed(duration_s=2.0).loads
        assert found.threads == "per-cpu"
        (found,) = timed(duration_s=2.0, threads="per-session").loads
        assert found.threads == "per-session"

    @pytest.mark.parametrize(
        ("times", "said"),
        [
            ({"window_s": (2.0, 2.0)}, "--window 2s-2s is empty"),
            ({"window_s": (3.0, 1.0)}, "--window 3s-1s is empty: write the earlier time first"),
            (
                {"window_s": (1.0, 4.0), "duration_s": 3.0},
                "--window 1s-4s ends after the execution of 3 s: write --duration 4s",
            ),
        ],
    )
    def test_windows_that_cannot_be_are_refused(self, times: dict[str, Any], said: str) -> None:
        with pytest.raises(UsageError, match=said):
            timed(**times)

    def test_looks_are_a_hundred_and_at_least_one_a_second(self) -> None:
        assert timed(sessions=(1,)).loads[0].look_ms == pytest.approx(22.5)
        assert timed(duration_s=600.0, budget_s=1000).loads[0].look_ms == 1000


class TestLimits:
    def test_threads_that_do_not_fit_are_counted(self) -> None:
        case = session_case(0, load(5000, neighbours=2))
        few = Limits(threads=4000, threads_by="ulimit -u", memory_bytes=8 << 30)
        with pytest.raises(UsageError) as told:
            session_plan.check([case], few)
        assert str(told.value) == (
            "5000 sessions need 5018 threads (16 of them to spare), and ulimit -u leaves 4000: "
            "write at most --sessions 3982, or --threads per-cpu"
        )
        turns = session_case(0, load(5000, threads="per-cpu"))
        session_plan.check([turns], few)

    def test_memory_that_does_not_fit_is_counted(self) -> None:
        case = session_case(0, load(1000), message_bytes=1 << 20)
        little = Limits(threads=4000, threads_by="ulimit -u", memory_bytes=1 << 30)
        with pytest.raises(UsageError) as told:
            session_plan.check([case], little)
        assert str(told.value) == (
            "1000 sessions of hmac-sha256 need about 2,062 MiB (2.06 MiB each: message, answer and "
            "stack), and 819 MiB of the memory may be used: write at most --sessions 397, or "
            "shorter --sizes"
        )

    def test_ten_thousand_sessions_that_take_turns_fit_into_a_gibibyte(self) -> None:
        case = session_case(0, load(10_000, threads="per-cpu"), message_bytes=16_384)
        session_plan.check(
            [case], Limits(threads=100, threads_by="ulimit -u", memory_bytes=1 << 30)
        )


class TestCases:
    def test_the_default_plan_has_both_patterns_and_one_library_each(self) -> None:
        facts = description()
        for it in facts.implementations:
            it.patterns = ["reused-key", "rekeyed"]
        plan = build(planfile.default("sessions"), Selection(), facts, HERE).plan
        assert plan.workload == "sessions"
        for pattern in ("reused-key", "rekeyed"):
            functions = [case.algorithm for case in plan.cases if case.pattern == pattern]
            assert sorted(functions) == [
                *("aes-128-gcm", "chacha20-poly1305", "cmac-aes-128", "hmac-sha256")
            ]
        assert {case.sessions.sessions for case in plan.cases} == {100}
        assert [case.case for case in plan.cases] == list(range(8))

    def test_default_plans_fit_into_their_budgets(self) -> None:
        for name in ("sessions", "sessions-sweep", "sessions-soak"):
            plan = built(name=name).plan
            assert expected_seconds(plan) <= plan.budget_s * session_plan.FIRST_SHARE, name

    def test_a_sweep_goes_over_cpus_and_sessions(self) -> None:
        cases = built(name="sessions-sweep").plan.cases
        combinations = {(len(it.sessions.cpus), it.sessions.sessions) for it in cases}
        assert combinations == {(c, n) for c in (1, 2) for n in (1, 2, 5, 10, 100, 1000)}

    def test_the_fastest_library_is_taken_where_it_is_known(self) -> None:
        fastest = {("hmac-sha256", "mac"): "rustcrypto"}
        cases = built(Selection(algorithms=["hmac-sha256"], fastest=fastest)).plan.cases
        assert {case.provider for case in cases} == {"rustcrypto"}

    def test_libraries_that_are_named_are_all_measured(self) -> None:
        named = Selection(algorithms=["hmac-sha256"], providers=["openssl", "rustcrypto"])
        assert {case.provider for case in built(named).plan.cases} == {"openssl", "rustcrypto"}

    def test_options_take_the_place_of_the_plan(self) -> None:
        given = loads(sessions="1,10", nice="0,5", cpus=["0", "all"])
        chosen = Selection(
            algorithms=["sha256"], operations=["digest"], providers=["openssl"], loads=given
        )
        found = [(it.sessions.sessions, it.sessions.nice) for it in built(chosen).plan.cases]
        assert sorted(set(found)) == [(1, 0), (1, 5), (10, 0), (10, 5)]
        assert len(found) == 8

    def test_a_budget_grows_with_a_duration_that_is_named(self) -> None:
        long = Selection(algorithms=["hmac-sha256"], loads={"duration_s": 300.0})
        assert built(long).plan.budget_s > 300
        long.budget_s = 60
        with pytest.raises(UsageError, match="and the budget is 60 s"):
            built(long)

    def test_a_shared_context_has_one_key_and_threads_of_their_own(self) -> None:
        facts = description()
        for it in facts.implementations:
            it.patterns = ["reused-key", "rekeyed"]
        shared = Selection(algorithms=["hmac-sha256"], loads={"contexts": ("own", "shared")})
        found = build(planfile.default("sessions"), shared, facts, HERE)
        combinations = {(it.pattern, it.sessions.contexts) for it in found.plan.cases}
        assert combinations == {
            ("reused-key", "own"),
            ("rekeyed", "own"),
            ("reused-key", "shared"),
        }
        assert any("a shared context has one key" in note for note in found.notes)
        with pytest.raises(UsageError, match="leave out --threads per-cpu"):
            timed(contexts=("shared",), threads="per-cpu")
        assert timed(contexts=("shared",), sessions=(1000,), budget_s=600).loads[0].threads == (
            "per-session"
        )

    def test_real_time_sessions_leave_a_cpu_to_others(self) -> None:
        with pytest.raises(
            UsageError, match="would stop the machine: leave a CPU free, for example"
        ):
            timed(policy=("round-robin",))
        (found,) = session_plan.timed(
            wanted(SessionLoads(policy=("round-robin",), cpus=("0",)), TWO)[0], 60
        ).loads
        assert found.policy == "round-robin"

    def test_a_quota_that_is_not_allowed_is_refused_or_left_out(self) -> None:
        unable = here(bound=False)
        found = built(here=unable, name="sessions-conditions")
        assert all(case.sessions.quota_cpus is None for case in found.plan.cases)
        assert any("a quota of CPU time needs a control group" in note for note in found.notes)
        with pytest.raises(UsageError, match="a quota of CPU time needs a control group"):
            built(Selection(loads={"quota_cpus": (0.5,)}), unable)

    def test_patterns_that_are_named_are_each_there_once(self) -> None:
        chosen = Selection(algorithms=["hmac-sha256"], manners=Manners(patterns=("reused-key",)))
        assert len(built(chosen).plan.cases) == 1


class TestOffloads:
    @staticmethod
    def combined(here: Cpus = TWO, **loads: Any) -> tuple[list[tuple[Any, ...]], list[str]]:
        ways, left_out = wanted(SessionLoads(**loads), here)
        return [(it.offload, it.load.cpus, it.offload_cpus) for it in ways], left_out

    def test_the_device_has_the_cpus_that_run_no_sessions(self) -> None:
        both = {"offload": ("none", "cores")}
        told, _ = self.combined(**both, cpus=("0",))
        assert told == [("none", [0], []), ("cores", [0], [1])]
        told, _ = self.combined(SMT, **both, cores=(2,), offload_cpus="3-4")
        assert told == [("none", [0, 1], []), ("cores", [0, 1], [3, 4])]

    def test_without_a_cpu_for_the_device_the_others_still_run(self) -> None:
        told, left_out = self.combined(offload=("none", "cores"))
        assert told == [("none", [0, 1], [])]
        assert left_out == [
            "the offload cores has no CPU left where 0-1 run sessions: write for example --cpus 0 "
            "--offload-cpus 1"
        ]
        told, left_out = self.combined(offload=("cores",), cpus=("0",), offload_cpus="0-1")
        assert told == [] and "its 0-1 are among the 0 that run sessions" in left_out[0]
        with pytest.raises(UsageError, match="--offload-cpus 'x' is no set of CPUs"):
            self.combined(offload=("cores",), cpus=("0",), offload_cpus="x")

    def test_where_the_work_is_done_is_in_the_cases(self) -> None:
        loads = {"offload": ("none", "cores", "af_alg"), "cpus": ("0",)}
        chosen = Selection(algorithms=["hmac-sha256"], sizes=[1024], loads=loads)
        facts = with_device("af_alg", ("hmac-sha256",))
        cases = build(planfile.default("sessions"), chosen, facts, HERE).plan.cases
        told = {(it.provider, it.offload, tuple(it.offload_cpus)) for it in cases}
        assert told == {
            ("openssl", "none", ()),
            ("openssl", "cores", (1,)),
            ("af_alg", "af_alg", ()),
        }

    def test_sessions_that_sleep_have_threads_of_their_own_and_short_windows(self) -> None:
        loads = {"sessions": (100,), "cores": (1,), "offload": ("none", "cores", "af_alg")}
        none, cores, af_alg = timed(budget_s=6, **loads).loads
        assert (none.threads, cores.threads, af_alg.threads) == (
            *("per-cpu", "per-session", "per-cpu"),
        )
        assert cores.closes_ms - cores.opens_ms == none.closes_ms - none.opens_ms
        told = timed(budget_s=6, threads="per-cpu", **loads).loads
        assert {it.threads for it in told} == {"per-cpu"}

    def test_devices_keep_their_keys(self) -> None:
        facts = description()
        for it in facts.implementations:
            it.patterns = ["rekeyed"]
        loads = {"offload": ("none", "cores"), "cpus": ("0",)}
        chosen = Selection(algorithms=["hmac-sha256"], sizes=[1024], loads=loads)
        chosen.manners = Manners(patterns=("reused-key", "rekeyed"))
        found = build(planfile.default("sessions"), chosen, facts, HERE)
        assert ("rekeyed", "cores") not in {(it.pattern, it.offload) for it in found.plan.cases}
        assert ("rekeyed", "none") in {(it.pattern, it.offload) for it in found.plan.cases}
        assert any("a device keeps its keys" in note for note in found.notes)

    def test_a_device_that_is_not_here_gives_its_reason(self) -> None:
        both = Selection(algorithms=["hmac-sha256"], loads={"offload": ("none", "opencl")})
        found = build(planfile.default("sessions"), both, description("opencl"), HERE)
        assert "left out: the offload opencl: not here" in found.notes
        assert {it.offload for it in found.plan.cases} == {"none"}
        alone = Selection(algorithms=["hmac-sha256"], loads={"offload": ("opencl",)})
        with pytest.raises(UsageError, match="the offload opencl: not here"):
            build(planfile.default("sessions"), alone, description("opencl"), HERE)
        named = Selection(algorithms=["hmac-sha256"], providers=["opencl"])
        with pytest.raises(UsageError, match="write --offload opencl instead of --providers"):
            build(planfile.default("sessions"), named, with_device("opencl"), HERE)


def test_a_load_has_the_fields_of_the_contract() -> None:
    """What is added there must be decided here."""
    (found,) = timed().loads
    assert type(found) is contract.SessionLoad
    assert found.most_attempts == 3
