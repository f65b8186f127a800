"""Which code path a library takes, and whether it takes its fastest."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from ciphermark import contract
from ciphermark.plan import paths
from ciphermark.record.run import Run
from ciphermark.workloads.single.code_paths import Choice, CodePaths, ablations, choices
from ciphermark.workloads.single.code_paths_table import blocks, features
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.rows import rows
from lent_engine import all_algorithms, implementation, provider
from on_screen import blocks_on_screen
from row_example import a_row
from synthetic import synthetic_cases, synthetic_run

HIDDEN = {"OPENSSL_ia32cap": "~0x200000200000000"}


def row(path: str, cost: float | None, switches: dict[str, str] | None = None, **more: Any) -> Row:
    """A code path of AES-128-GCM with an interval of ±1 %."""
    size = more.pop("message_bytes", 1024)
    per_byte = {}
    if cost is not None:
        per_byte = {"cycles_per_byte": cost, "ci_low": cost * 0.99, "ci_high": cost * 1.01}
    usual = {"algorithm": "aes-128-gcm", "operation": "seal", "backend": path, "converged": False}
    evidence = {"backend_evidence": "forced" if switches else "inferred"}
    known = usual | evidence | per_byte | {"switches": switches or {}}
    return a_row(size, cost and size * cost, 0.01, **known | more)


def test_a_library_that_takes_its_fastest_path_is_not_flagged() -> None:
    [choice] = choices([row("vaes", 0.5), row("aesni", 1.0, HIDDEN)])
    assert (choice.default, choice.fastest, choice.flagged, choice.gain) == (
        "vaes",
        "vaes",
        False,
        1.0,
    )


def test_a_library_whose_other_path_is_faster_is_flagged_with_the_gain() -> None:
    [choice] = choices([row("vaes", 1.2), row("aesni", 1.0, HIDDEN)])
    assert (choice.fastest, choice.flagged, choice.gain) == ("aesni", True, pytest.approx(1.2))
    assert [(it.path, it.default) for it in choice.paths] == [("aesni", False), ("vaes", True)]


def test_what_has_no_interval_is_not_flagged() -> None:
    bare = {"cycles_per_message_low": None, "cycles_per_message_high": None}
    [choice] = choices([row("vaes", 1.2), row("aesni", 1.0, HIDDEN, **bare)])
    assert (choice.flagged, choice.gain) == (False, pytest.approx(1.2))


@pytest.mark.parametrize("default", [1.01, 1.018])
def test_what_is_as_fast_is_not_flagged(default: float) -> None:
    assert not choices([row("vaes", default), row("aesni", 1.0, HIDDEN)])[0].flagged


def test_without_a_figure_nothing_is_said() -> None:
    [choice] = choices([row("vaes", None), row("aesni", None, HIDDEN)])
    assert (choice.fastest, choice.flagged, choice.gain) == (None, False, None)


def test_providers_and_sizes_are_judged_apart() -> None:
    found = choices(
        [row("a", 1.0), row("b", 1.0, provider="botan"), row("a", 1.0, message_bytes=64)]
    )
    assert len(found) == 3


def offered(*found: str) -> list[contract.Implementation]:
    first = implementation(all_algorithms()[0], "openssl")
    return [
        msgspec.structs.replace(
            first, path=path, default=number == 0, switches=HIDDEN if number else {}
        )
        for number, path in enumerate(found)
    ]


def listed(flagged: bool) -> str:
    first = offered("vaes", "aesni")
    name = first[0].algorithm
    figures = [row("vaes", 1.2 if flagged else 0.8), row("aesni", 1.0, HIDDEN)]
    found = [msgspec.structs.replace(it, algorithm=name) for it in choices(figures)]
    return blocks_on_screen(blocks(CodePaths(first, found, "20261121-091500-7f3a", [])))


def test_the_list_names_default_fastest_and_what_else_there_is() -> None:
    text = listed(flagged=True)
    assert "vaes 1.2" in text and "aesni 1" in text and "⚑" in text
    assert "takes vaes by default, but its aesni is 1.20 times as fast here" in text
    assert "1 pair of algorithm and provider, 2 code paths" in text


def test_the_list_flags_nothing_where_the_default_is_fastest() -> None:
    text = listed(flagged=False)
    assert "the same" in text and "⚑" not in text


def test_many_pairs_have_a_line_for_each_provider() -> None:
    facts = all_algorithms()[:30]
    both = [implementation(it, name) for it in facts for name in ("openssl", "nettle")]
    known = [msgspec.structs.replace(it, path="aesni", default=True) for it in both]
    text = blocks_on_screen(blocks(CodePaths(known, [], None, [])), 100)
    assert text.startswith("60 pairs of algorithm and provider, 60 code paths")
    [line] = [it for it in text.splitlines() if it.startswith("openssl")]
    assert line.split() == ["openssl", "30", "30", "aesni", "30"]
    assert "list implementations --algorithms NAME" in text
    each = blocks_on_screen(blocks(CodePaths(known, [], None, []), each=True), 100)
    assert len(each.splitlines()) > 60


def test_paths_of_what_has_one_need_no_measuring() -> None:
    assert paths.with_several(offered("vaes")) == []
    assert len(paths.with_several(offered("vaes", "aesni"))) == 2


def ablated_run() -> Run:
    """AES-128-GCM with all features, and with one hidden that doubles nothing but its name."""
    cases = synthetic_cases(algorithms=["aes-128-gcm"], providers=["openssl"], sizes=[1024])
    hidden = [
        msgspec.structs.replace(case, case=case.case + len(cases), switches=HIDDEN)
        for case in cases
    ]
    run = synthetic_run(cases + hidden, rounds=12, seed=4)
    run.context.hello.providers[0].switches = {"aes": HIDDEN}
    return run


def test_features_are_hidden_from_what_a_library_takes_by_itself() -> None:
    """Which path is left is not known before it has run."""
    library = provider("openssl")
    library.switches = {"sha_ni": {"MASK": "sha"}, "aes": {"MASK": "aes"}}
    first = implementation(all_algorithms()[0], "openssl")
    taken = msgspec.structs.replace(first, path="shani", features=["sha_ni", "sse2"])
    forced = msgspec.structs.replace(taken, default=False, switches={"MASK": "sse2"})
    without = msgspec.structs.replace(first, default=False, switches={"MASK": "sha"})
    assert paths.ablated([taken, forced], [library]) == [taken, without, forced]


def test_a_feature_is_worth_the_ratio_of_the_rows() -> None:
    run = ablated_run()
    found = ablations(run, rows(run))
    assert {(it.operation, it.feature) for it in found} == {("setup", "aes"), ("seal", "aes")}
    for it in found:
        assert it.ratio_low < it.ratio < it.ratio_high
        assert it.ratio == pytest.approx(1, abs=0.02)


def test_a_run_without_hidden_features_has_no_ablation(run: Run) -> None:
    assert ablations(run, rows(run)) == []


def test_what_a_feature_is_worth_is_said_with_the_paths() -> None:
    run = ablated_run()
    found = ablations(run, rows(run))
    found[0].path, found[0].path_without = "aesni", "scalar"
    text = blocks_on_screen([features(found)], 120)
    assert "aesni → scalar" in text and "times (" in text


def test_choices_can_be_written_as_json() -> None:
    [choice] = choices([row("vaes", 1.2), row("aesni", 1.0, HIDDEN)])
    assert msgspec.json.decode(msgspec.json.encode(choice), type=Choice) == choice
