"""From a plan file and a selection to numbered cases."""

from __future__ import annotations

import msgspec
import pytest

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import planfile, profiles
from ciphermark.plan.build import Built, build
from ciphermark.plan.manner import Manners
from ciphermark.plan.profile import Profile
from ciphermark.plan.sampling import PAIRED_PROCESSES, expected_seconds, sampling
from ciphermark.plan.selection import Selection
from ciphermark.view.plan import plan_line
from lent_engine import (
    all_algorithms,
    description,
    description_for,
    implementation,
    provider,
)

SURVEY = planfile.default("survey")
DEFAULTS = sorted(path.stem for path in planfile.DEFAULTS.glob("*.toml"))
FACTS = {it.name: it for it in all_algorithms()}


def built(plan: planfile.PlanFile = SURVEY, **selected: object) -> Built:
    return build(plan, Selection(**selected), description())


def sizes_of(plan: contract.Plan, algorithm: str) -> set[int | None]:
    return {case.message_bytes for case in plan.cases if case.algorithm == algorithm}


def test_the_default_survey_has_all_cases_in_the_order_of_what_they_tell() -> None:
    plan = built(msgspec.structs.replace(SURVEY, max_cases=250)).plan
    sectors = SURVEY.more_sizes["aes-*-xts"]
    assert {case.message_bytes for case in plan.cases} == {None, *SURVEY.sizes, *sectors}
    assert sorted(plan.optional) == [case.case for case in plan.cases]
    first = [plan.cases[number] for number in reversed(plan.optional)]
    sizes = list(dict.fromkeys(case.message_bytes for case in first))
    # Those of the first screen, the fourth of a cost card, and what is left.
    assert sizes[:4] == [1500, 16, 16384, 64]
    assert {case.algorithm for case in first[:50]} == {case.algorithm for case in plan.cases}


@pytest.mark.parametrize("name", ["survey", "survey-all"])
def test_ciphers_of_disks_are_measured_at_the_sizes_of_sectors_too(name: str) -> None:
    plan = planfile.default(name)
    facts = description_for(plan)
    cases = build(plan, Selection(algorithms=["aes-256-xts", "aes-256-ctr"]), facts).plan
    assert sizes_of(cases, "aes-256-xts") == {None, *plan.sizes, 512, 4096}
    assert sizes_of(cases, "aes-256-ctr") == {None, *plan.sizes}
    named = build(plan, Selection(algorithms=["aes-256-xts"], sizes=[1024]), facts).plan
    assert sizes_of(named, "aes-256-xts") == {None, 1024}
    (mix,) = profiles.from_option("sector-4096")
    mixed = build(plan, Selection(algorithms=["aes-256-xts"], profiles=[mix]), facts).plan
    assert {case.profile for case in mixed.cases} == {None, "sector-4096"}


@pytest.mark.parametrize("name", DEFAULTS)
def test_every_default_plan_can_be_built(name: str) -> None:
    plan = planfile.default(name)
    cases = build(plan, Selection(), description_for(plan)).plan.cases
    assert [case.case for case in cases] == list(range(len(cases)))
    assert 0 < len(cases)
    assert len(cases) <= plan.max_cases or plan.all_optional


def test_every_case_is_one_that_the_engine_takes() -> None:
    for case in built(planfile.default("survey-all")).plan.cases:
        facts = FACTS[case.algorithm]
        if case.operation == "setup":
            assert case.message_bytes is None
        else:
            assert case.message_bytes >= facts.min_message_bytes
            assert case.message_bytes % facts.block_bytes == 0


def test_setup_is_measured_once_for_each_implementation() -> None:
    cases = built(
        algorithms=["aes-128-gcm"], operations=["setup", "seal"], sizes=[16, 64]
    ).plan.cases
    assert [(case.provider, case.operation, case.message_bytes) for case in cases] == [
        (name, operation, size)
        for name in ("openssl", "rustcrypto")
        for operation, size in (("setup", None), ("seal", 16), ("seal", 64))
    ]


@pytest.mark.parametrize("option", ["paired", "ablate"])
def test_what_is_compared_round_by_round_gets_more_rounds(option: str) -> None:
    usual, compared = built().plan.sampling, built(**{option: True}).plan.sampling
    assert usual == sampling()
    assert compared == sampling(PAIRED_PROCESSES)
    assert PAIRED_PROCESSES >= 2 * usual.min_processes, "of which a busy machine may take half"


@pytest.mark.parametrize(
    ("selected", "said"),
    [
        ({"algorithms": ["md5", "aes-128-cbc"], "sizes": [16, 43]}, "aes-128-cbc takes whole"),
        ({"algorithms": ["aes-128-cbc"], "sizes": [43]}, "write --sizes 32 or --sizes 48$"),
        ({"algorithms": ["aes-128-cbc"], "sizes": [1]}, "write --sizes 16$"),
        ({"algorithms": ["aes-128-cbc"], "sizes": [0]}, "no message of 0 bytes: .* --sizes 16"),
        ({"algorithms": ["md5", "sha1"], "operations": ["seal"]}, "write --operations digest"),
        ({"algorithms": ["sha265"]}, "no algorithm 'sha265'; near: sha256"),
        ({"libraries": {"opnssl": "/opt/x.so"}}, "no provider 'opnssl'; near: openssl"),
    ],
)
def test_what_there_is_not_is_an_error(selected: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        built(**selected)


def test_an_empty_message_is_measured_where_there_is_one() -> None:
    assert sizes_of(built(algorithms=["sha256"], sizes=[0]).plan, "sha256") == {0}


@pytest.mark.parametrize("algorithms", [None, ["all"]])
def test_sizes_alone_leave_out_the_functions_that_lack_them(algorithms: list[str] | None) -> None:
    found = built(algorithms=algorithms, sizes=[43], operations=["encrypt", "digest"])
    assert not sizes_of(found.plan, "aes-128-cbc")
    assert sizes_of(found.plan, "sha256") == {43}
    [note] = found.notes
    assert note.startswith("left out, no such messages: 43 bytes of aes-128-cbc, ")
    assert len(note) < 140


def test_an_algorithm_alone_leaves_out_the_default_sizes_that_it_lacks() -> None:
    found = built(algorithms=["aes-128-cbc"], operations=["encrypt"])
    assert sizes_of(found.plan, "aes-128-cbc") == {16, 64, 256, 1024, 16384}
    assert found.notes == ["left out, no such messages: 1500 bytes of aes-128-cbc"]


def test_nothing_is_noted_where_nothing_is_left_out() -> None:
    assert built(algorithms=["sha256"]).notes == []


def test_an_algorithm_that_nobody_has_is_left_out_with_a_note() -> None:
    facts = description()
    facts.implementations = [it for it in facts.implementations if it.algorithm != "md5"]
    found = build(SURVEY, Selection(algorithms=["md5", "sha1"]), facts)
    assert {it.name for it in found.algorithms} == {"sha1"}
    assert found.notes == ["left out, no chosen provider or backend has it: md5"]


def test_algorithms_that_nobody_has_are_an_error() -> None:
    facts = description()
    facts.implementations = []
    with pytest.raises(UsageError, match="no provider here has md5, sha1: see ciphermark list"):
        build(SURVEY, Selection(algorithms=["sha1", "md5"]), facts)


def test_a_provider_that_cannot_be_used_is_an_error_when_named() -> None:
    facts = description()
    facts.providers.append(provider("wolfssl", "not found: apt-get install libwolfssl-dev"))
    with pytest.raises(UsageError, match="wolfssl cannot be used: not found: apt-get install"):
        build(SURVEY, Selection(providers=["openssl", "wolfssl"]), facts)
    assert build(SURVEY, Selection(), facts).plan.cases


def test_only_named_providers_are_measured() -> None:
    assert {case.provider for case in built(providers=["rustcrypto"]).plan.cases} == {"rustcrypto"}


@pytest.mark.parametrize(
    ("backends", "expected"),
    [
        (None, {"default"}),
        (["default"], {"default"}),
        (["portable"], {"portable"}),
        (["aesni"], {"default"}),
        (["all"], {"default", "portable"}),
    ],
)
def test_backends(backends: list[str] | None, expected: set[str]) -> None:
    """What a library does by itself is not asked for by its name."""
    facts = description()
    aes = FACTS["aes-128-gcm"]
    facts.implementations = [
        implementation(aes, "openssl", "aesni"),
        implementation(aes, "openssl", "portable", default=False),
    ]
    found = build(SURVEY, Selection(algorithms=[aes.name], backends=backends), facts)
    assert {case.backend for case in found.plan.cases} == expected


def test_a_plan_whose_sizes_none_has_is_an_error() -> None:
    plan = msgspec.structs.replace(SURVEY, algorithms=["aes-128-cbc"], operations=["encrypt"])
    with pytest.raises(UsageError, match="nothing is left to measure for aes-128-cbc at 43 bytes"):
        built(plan, sizes=[43])


@pytest.mark.slow
def test_too_many_cases_are_refused() -> None:
    with pytest.raises(UsageError, match="cases are more than 20000: .* --algorithms"):
        built(algorithms=["all"], operations=["encrypt", "digest"], sizes=list(range(16, 3200, 16)))


def test_many_libraries_that_are_not_here_take_one_line() -> None:
    facts = description()
    facts.providers += [provider(name, "not found") for name in ("nettle", "wolfssl")]
    [note] = build(SURVEY, Selection(algorithms=["sha256"]), facts).notes
    assert note == "2 libraries are not here (nettle, wolfssl): see ciphermark list providers"


def test_two_builds_alone_are_measured_with_all_that_they_have() -> None:
    facts = description()
    names = ["kernel@new", "kernel@old"]
    facts.providers += [provider(name) for name in names]
    xtea = FACTS["xtea-ecb"]
    facts.implementations += [implementation(xtea, name) for name in names]
    selection = Selection()
    selection.choose_only({name: "/mine.so" for name in names})
    cases = build(SURVEY, selection, facts).plan.cases
    assert {(case.algorithm, case.provider) for case in cases} == {
        ("xtea-ecb", name) for name in names
    }


def test_a_kernel_of_ones_own_is_measured_though_the_survey_has_not_its_algorithm() -> None:
    facts = description()
    facts.providers.append(provider("kernel@mine"))
    facts.implementations.append(implementation(FACTS["xtea-ecb"], "kernel@mine"))
    cases = build(SURVEY, Selection(libraries={"kernel@mine": "/mine.so"}), facts).plan.cases
    assert "kernel@mine" in {case.provider for case in cases}


@pytest.mark.parametrize(
    ("backends", "expected"), [(None, {""}), (["aesni"], {"aesni"}), (["all"], {"", "aesni"})]
)
def test_code_paths_are_chosen_by_their_names(
    backends: list[str] | None, expected: set[str]
) -> None:
    facts = description()
    default = implementation(FACTS["aes-128-gcm"], "openssl")
    forced = msgspec.structs.replace(
        default, default=False, path="aesni", switches={"OPENSSL_ia32cap": "~0x1"}
    )
    facts.implementations = [msgspec.structs.replace(default, path="vaes"), forced]
    found = build(SURVEY, Selection(algorithms=["aes-128-gcm"], backends=backends), facts)
    switched = {"": {}, "aesni": {"OPENSSL_ia32cap": "~0x1"}}
    assert [case.switches for case in found.plan.cases if case.message_bytes == 64] == [
        switched[name] for name in sorted(expected) for _ in ("seal", "open")
    ]


def test_a_kernel_of_ones_own_is_measured_beside_named_providers() -> None:
    facts = description()
    facts.providers.append(provider("kernel@mine"))
    facts.implementations.append(implementation(FACTS["sha256"], "kernel@mine"))
    selection = Selection(libraries={"kernel@mine": "/mine.so"}, providers=["openssl"])
    cases = build(SURVEY, selection, facts).plan.cases
    assert {case.provider for case in cases} == {"openssl", "kernel@mine"}


def test_ablation_hides_each_feature_that_is_used_and_can_be_hidden() -> None:
    facts = description()
    facts.providers[0].switches = {"aes": {"MASK": "aes"}, "sha_ni": {"MASK": "sha_ni"}}
    facts.implementations = [
        msgspec.structs.replace(
            implementation(FACTS["aes-128-gcm"], name), features=["aes", "pclmulqdq"]
        )
        for name in ("openssl", "rustcrypto")
    ]
    found = build(SURVEY, Selection(operations=["seal"], sizes=[64], ablate=True), facts)
    assert [(case.provider, case.switches) for case in found.plan.cases] == [
        ("openssl", {}),
        ("openssl", {"MASK": "aes"}),
        ("rustcrypto", {}),
    ]


def test_manners_that_an_implementation_lacks_are_left_out_with_a_note() -> None:
    facts = description()
    facts.implementations = [
        msgspec.structs.replace(
            implementation(FACTS["hmac-sha256"], "openssl"), patterns=["reused-key", "fetched"]
        ),
        implementation(FACTS["hmac-sha256"], "rustcrypto"),
    ]
    manners = Manners(patterns=("reused-key", "fetched"), keys=(1, 1000))
    found = build(
        SURVEY,
        Selection(algorithms=["hmac-sha256"], operations=["mac"], sizes=[64], manners=manners),
        facts,
    )
    assert [(case.provider, case.pattern, case.keys) for case in found.plan.cases] == [
        ("openssl", "reused-key", 1),
        ("openssl", "reused-key", 1000),
        ("openssl", "fetched", 1),
        ("rustcrypto", "reused-key", 1),
        ("rustcrypto", "reused-key", 1000),
    ]
    assert found.notes[-1] == "left out, without the pattern fetched: hmac-sha256 by rustcrypto"


def test_repeated_buffers_are_those_of_macs_and_hashes_in_chunks() -> None:
    manners = Manners(patterns=("incremental",), buffers=("repeated",))
    facts = description()
    facts.implementations = [
        msgspec.structs.replace(it, patterns=["incremental"], takes_repeats=takes)
        for it, takes in [
            (implementation(FACTS["hmac-sha256"], "openssl"), True),
            (implementation(FACTS["hmac-sha256"], "rustcrypto"), False),
            (implementation(FACTS["aes-128-ctr"], "openssl"), False),
        ]
    ]
    both = Selection(algorithms=["hmac-sha256", "aes-128-ctr"], sizes=[64], manners=manners)
    found = build(SURVEY, both, facts)
    assert [(case.provider, case.operation) for case in found.plan.cases] == [("openssl", "mac")]
    assert found.notes[-1] == (
        "left out, without buffers that repeat, as MACs and hashes have that take chunks: "
        "hmac-sha256 by rustcrypto, aes-128-ctr by openssl"
    )
    with pytest.raises(UsageError, match="without buffers that repeat"):
        build(SURVEY, Selection(algorithms=["aes-128-ctr"], sizes=[64], manners=manners), facts)
    mixed = Selection(profiles=[*profiles.from_option("imix")], manners=manners)
    with pytest.raises(UsageError, match="goes with --sizes only: leave out --profile"):
        build(SURVEY, mixed, facts)


def test_a_function_is_called_after_another_of_the_same_library() -> None:
    facts = description()
    facts.implementations = [
        implementation(FACTS["md5"], "openssl"),
        implementation(FACTS["md5"], "rustcrypto"),
        implementation(FACTS["aes-128-gcm"], "openssl"),
    ]
    after = Manners(after=(None, "AES128-GCM"))
    found = build(SURVEY, Selection(algorithms=["md5"], sizes=[64], manners=after), facts)
    assert [(case.provider, case.after) for case in found.plan.cases] == [
        ("openssl", None),
        ("openssl", "aes-128-gcm"),
        ("rustcrypto", None),
    ]
    assert found.notes[-1] == "left out, without aes-128-gcm: md5 by rustcrypto"
    mixed = Selection(profiles=[*profiles.from_option("imix")], manners=after)
    with pytest.raises(UsageError, match="--after goes with --sizes only"):
        build(SURVEY, mixed, facts)


def test_a_profile_has_no_single_call_to_be_cold() -> None:
    mixed = Selection(
        profiles=[*profiles.from_option("imix")], manners=Manners(buffers=("hot", "cold"))
    )
    with pytest.raises(UsageError, match="--buffers cold goes with --sizes only"):
        build(SURVEY, mixed, description())


def test_what_is_selected_goes_before_the_plan() -> None:
    plan = built(precision=0.02, budget_s=7.0, cpu=1, seed=0, libraries={"openssl": "/x.so"}).plan
    assert (plan.precision, plan.budget_s, plan.cpu, plan.seed) == (0.02, 7.0, 1, 0)
    assert plan.libraries == {"openssl": "/x.so"}


def test_without_a_seed_each_plan_has_its_own() -> None:
    assert built().plan.seed != built().plan.seed


def test_only_facts_of_measured_algorithms_are_kept() -> None:
    assert [
        it.name for it in built(operations=["digest"], algorithms=["md5", "aes-128-gcm"]).algorithms
    ] == ["md5"]


def test_only_a_usual_budget_may_be_exceeded() -> None:
    usual, given = built().plan, built(budget_s=60.0).plan
    assert (usual.budget_s, usual.overtime_s) == (60, 30)
    assert (given.budget_s, given.overtime_s) == (60, 0)
    assert "at most 90 s" in plan_line(usual) and "at most 60 s" in plan_line(given)


def test_expected_time_stays_within_the_budget() -> None:
    assert expected_seconds(built(budget_s=0.5).plan) == 0.5


def test_expected_time_grows_with_precision_cases_and_sizes() -> None:
    usual = expected_seconds(built(algorithms=["sha256"]).plan)
    assert expected_seconds(built(algorithms=["sha256"], precision=0.005).plan) > usual
    assert expected_seconds(built(algorithms=["sha256", "sha1"]).plan) > usual
    assert expected_seconds(built(algorithms=["sha256"], sizes=[1 << 20]).plan) > usual
    cold = Manners(buffers=("cold",))
    assert expected_seconds(built(algorithms=["sha256"], manners=cold).plan) > 10 * usual


def profiled(*names: str, **selected: object) -> Built:
    found = profiles.from_option(",".join(names))
    return built(profiles=found, seed=7, **selected)


def test_a_profile_stands_in_the_place_of_all_sizes() -> None:
    chosen = {"algorithms": ["uea1"], "operations": ["setup", "encrypt"], "providers": ["openssl"]}
    setup, mixed = profiled("imix", **chosen).plan.cases
    assert (setup.operation, setup.profile, setup.lengths) == ("setup", None, [])
    assert (mixed.profile, mixed.message_bytes) == ("imix", None)
    assert mixed.lengths == the_imix().lengths(1, 7)
    assert expected_seconds(profiled("imix", **chosen).plan) > 0


def test_a_profile_with_lengths_that_a_function_lacks_is_as_a_size_that_it_lacks() -> None:
    words = "the profile imix has messages of 40 bytes, and aes-128-cbc has none"
    with pytest.raises(UsageError, match=words):
        profiled("imix", algorithms=["aes-128-cbc"])
    found = profiled("imix")
    assert "aes-128-cbc" not in {case.algorithm for case in found.plan.cases if case.profile}
    assert any(note.startswith("left out, no such messages: imix of") for note in found.notes)


def test_lanes_that_the_default_lacks_are_taken_by_the_first_backend_that_has_them() -> None:
    def backend(name: str, most_lanes: int, default: bool = False) -> contract.Implementation:
        made = implementation(FACTS["uea1"], "openssl", name, default)
        return msgspec.structs.replace(made, most_lanes=most_lanes)

    facts = description()
    facts.implementations = [
        backend("table", 1, default=True),
        backend("few", 16),
        backend("wide", 4096),
        backend("wider", 4096),
    ]
    chosen = {"algorithms": ["uea1"], "operations": ["encrypt"], "sizes": [40]}

    def called(lanes: tuple[int | None, ...], **more: object) -> list[tuple[str, int, int]]:
        selection = Selection(manners=Manners(lanes=lanes), **chosen, **more)
        cases = build(SURVEY, selection, facts).plan.cases
        return [(case.backend, case.lanes, case.keys) for case in cases]

    assert called((1, 16, 192)) == [("default", 1, 1), ("few", 16, 16), ("wide", 192, 192)]
    assert called((16, None)) == [("few", 16, 16)], "as many as it takes, which are named already"
    assert called((192,), backends=["wider"]) == [("wider", 192, 192)]
    with pytest.raises(UsageError, match="left out, without 192 lanes: uea1 by openssl$"):
        called((192,), backends=["table"])
    every = build(
        SURVEY, Selection(manners=Manners(lanes=(192,)), **chosen, backends=["all"]), facts
    )
    assert every.notes[-1] == (
        "left out, without 192 lanes: uea1 by openssl (table), uea1 by openssl (few)"
    )


def test_a_profile_fills_whole_calls() -> None:
    facts = description()
    for it in facts.implementations:
        it.most_lanes = 128
    selection = Selection(
        algorithms=["uea1"],
        operations=["encrypt"],
        providers=["openssl"],
        profiles=[the_imix()],
        manners=Manners(lanes=(1, 16, None), keys=(1,)),
    )
    cases = build(SURVEY, selection, facts).plan.cases
    assert [(case.lanes, case.keys) for case in cases] == [(1, 1), (16, 1), (128, 1)]
    assert all(len(case.lengths) % case.lanes == 0 for case in cases)


def the_imix() -> Profile:
    [found] = profiles.from_option("imix")
    return found


PARTS = msgspec.convert(
    {
        "title": "Parts",
        "workload": "single",
        "algorithms": ["md5", "sha1"],
        "operations": ["digest"],
        "sizes": [64, 1024],
        "precision": 0.01,
        "budget_s": 5,
        "max_cases": 100,
        "also": [
            {"algorithms": ["sha1"], "operations": ["digest"], "sizes": [1024, 4096]},
            {
                "algorithms": ["sha1"],
                "operations": ["digest"],
                "sizes": [4096],
                "buffers": "stream",
                "providers": ["openssl"],
            },
        ],
    },
    planfile.PlanFile,
)


def test_parts_are_numbered_as_one_plan_and_no_case_is_there_twice() -> None:
    cases = built(PARTS).plan.cases
    assert [case.case for case in cases] == list(range(len(cases)))
    of_openssl = [case for case in cases if case.provider == "openssl"]
    assert [(case.algorithm, case.message_bytes, case.buffers) for case in of_openssl] == [
        ("md5", 64, "hot"),
        ("md5", 1024, "hot"),
        ("sha1", 64, "hot"),
        ("sha1", 1024, "hot"),
        ("sha1", 4096, "hot"),
        ("sha1", 4096, "stream"),
    ]
    assert {case.buffers for case in cases if case.provider == "rustcrypto"} == {"hot"}


def test_a_provider_that_a_part_does_not_have_leaves_the_others() -> None:
    cases = built(PARTS, providers=["rustcrypto"]).plan.cases
    assert {case.provider for case in cases} == {"rustcrypto"}
    assert {case.buffers for case in cases} == {"hot", "stream"}


def test_what_is_said_of_several_parts_is_said_once() -> None:
    assert built(PARTS, algorithms=["aes-128-cbc", "sha1"], operations=["digest"]).notes == []
    facts = description()
    facts.implementations = [it for it in facts.implementations if it.algorithm != "sha1"]
    found = build(PARTS, Selection(), facts)
    assert found.notes == ["left out, no chosen provider or backend has it: sha1"]


def with_backends(*backends: str) -> contract.Description:
    """SHA-1 with these backends, the first of which it takes by itself."""
    facts = description()
    facts.implementations = [
        implementation(FACTS["sha1"], "openssl", name, default=name == backends[0])
        for name in backends
    ]
    return facts


def test_backends_of_a_file_that_a_machine_lacks_are_left_out() -> None:
    plan = msgspec.structs.replace(PARTS, backends=["sse2", "avx2", "neon"], also=[])
    cases = build(plan, Selection(), with_backends("avx2", "sse2", "portable")).plan.cases
    assert {case.backend for case in cases} == {"default", "sse2"}
    with pytest.raises(UsageError, match="no backend 'neon'"):
        build(plan, Selection(backends=["neon"]), with_backends("avx2", "sse2"))


class TestLeftToLibraries:
    """Kernels of ours that no caller would choose beside a library."""

    LEFT = ("aes-128-cbc", "chacha20-poly1305")

    def providers(
        self, algorithm: str, *, has_library: bool = True, **selected: object
    ) -> set[str]:
        facts = description()
        usual = [it for it in facts.implementations if it.provider != "kernels"]
        libraries = usual if has_library else [it for it in usual if it.algorithm != algorithm]
        own = [implementation(FACTS[name], "kernels") for name in (*self.LEFT, "sha256")]
        facts.implementations = [*libraries, *own]
        facts.providers = [
            *(it for it in facts.providers if it.name != "kernels"),
            provider("kernels"),
        ]
        plan = build(SURVEY, Selection(**selected), facts).plan
        return {case.provider for case in plan.cases if case.algorithm == algorithm}

    @pytest.mark.parametrize("algorithm", LEFT)
    def test_a_default_plan_leaves_them_out_where_a_library_has_the_algorithm(
        self, algorithm: str
    ) -> None:
        found = self.providers(algorithm)
        assert found
        assert "kernels" not in found
        assert "kernels" in self.providers("sha256")

    @pytest.mark.parametrize("algorithm", LEFT)
    def test_they_stay_where_no_library_has_it_and_where_they_are_named(
        self, algorithm: str
    ) -> None:
        assert self.providers(algorithm, has_library=False) == {"kernels"}
        assert "kernels" in self.providers(algorithm, algorithms=[algorithm])
        assert self.providers(algorithm, providers=["kernels"]) == {"kernels"}
