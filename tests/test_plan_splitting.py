"""Plans of messages that are split."""

from __future__ import annotations

import pytest

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import splitting
from ciphermark.plan.build import Built
from here_example import cores
from synthetic import synthetic_cases, synthetic_plan

FOUR = cores(4)


def built() -> Built:
    cases = synthetic_cases(["aes-128-gcm"], ["openssl"], [64, 1024])
    return Built(plan=synthetic_plan(cases), algorithms=[], notes=[])


def test_each_message_is_whole_and_split_and_setups_are_whole() -> None:
    whole = built().plan.cases
    setups = [case for case in whole if case.operation == "setup"]
    assert setups
    cases = splitting.spread(built(), ("none", "split"), [0, 1]).plan.cases
    assert [case.case for case in cases] == list(range(len(cases)))
    assert len(cases) == 2 * len(whole) - len(setups)
    found = {(it.operation, it.message_bytes, it.offload, *it.offload_cpus) for it in cases}
    assert found == {
        (it.operation, it.message_bytes, *rest)
        for it in whole
        for rest in ([("none",)] if it.operation == "setup" else [("none",), ("split", 0, 1)])
    }


@pytest.mark.parametrize("offloads", [("none", "split"), ("split",)])
def test_the_least_telling_messages_stay_so(offloads: tuple[splitting.Spread, ...]) -> None:
    ordered = built()
    whole = ordered.plan
    whole.optional = [case.case for case in reversed(whole.cases)]
    plan = splitting.spread(ordered, offloads, [0, 1]).plan

    def order(of: contract.Plan) -> list[tuple[str, int | None, str]]:
        said = [of.cases[number] for number in of.optional]
        return list(dict.fromkeys((it.operation, it.message_bytes, it.provider) for it in said))

    assert sorted(plan.optional) == [case.case for case in plan.cases]
    left = {(it.operation, it.message_bytes, it.provider) for it in plan.cases}
    assert order(plan) == [it for it in order(whole) if it in left]


def test_nothing_is_left_where_only_setups_would_be_split() -> None:
    plan = built()
    plan.plan.cases = [case for case in plan.plan.cases if case.operation == "setup"]
    with pytest.raises(UsageError, match="choose others with --operations"):
        splitting.spread(plan, ("split",), [0, 1])


def test_the_calling_cpu_shares_whether_or_not_it_is_named() -> None:
    assert splitting.sharing_cpus("0-1", FOUR, calling=3) == [0, 1, 3]
    assert splitting.sharing_cpus("0-1", FOUR, calling=1) == [0, 1]
    assert splitting.sharing_cpus(None, FOUR, calling=None) == [0, 1, 2, 3]
    with pytest.raises(UsageError, match="over CPU 3 alone.*allowed: 0-3"):
        splitting.sharing_cpus("3", FOUR, calling=None)


def test_offloads_of_one_message_are_none_and_split() -> None:
    assert splitting.from_option("none,split") == ("none", "split")
    assert splitting.from_option(None) == ("none",)
    with pytest.raises(UsageError, match="'cores'; see: none, split"):
        splitting.from_option("cores")
