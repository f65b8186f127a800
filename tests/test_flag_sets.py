"""Sets of flags: the package's have reasons, and the user's are looked at before anything runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ciphermark.errors import UsageError
from ciphermark.plan import flag_sets
from ciphermark.run.targets.target import FOLDER, read
from ciphermark.run.targets.toolchain import kernel_sources
from ciphermark.run.tuning import variants


def test_every_set_of_the_package_says_why() -> None:
    sets = [it for file in flag_sets.FLAG_FILES.all() for it in file.sets]
    assert len(sets) > 8
    assert all(len(it.reason) > 15 and it.flags for it in sets)
    assert len({it.name for it in sets}) == len(sets)


def test_no_set_of_the_package_changes_arithmetic_or_needs_this_processor_unsaid() -> None:
    for file in flag_sets.FLAG_FILES.all():
        for it in file.sets:
            again = flag_sets.of_user(it.text)  # refuses what is never tried
            assert (it.shippable, it.hosts_only) == (again.shippable, again.hosts_only), it.name


def test_usual_sets_are_tried_unless_the_user_says_otherwise() -> None:
    usual = flag_sets.chosen(None, [])
    assert {"o1", "o2", "o3", "os", "oz", "o3-scalar"} <= {it.name for it in usual}
    assert all(it.shippable for it in usual)
    assert [it.flags for it in flag_sets.chosen(None, ["-O2 -fno-inline"])] == [
        ("-O2", "-fno-inline")
    ]
    both = flag_sets.chosen("native", ["-O1"])
    assert [it.name for it in both] == ["o2-native", "o3-native", "o1"]


def test_the_same_flags_are_tried_once_and_names_differ() -> None:
    found = flag_sets.chosen("levels", ["-O2", "-DX=1", "-Dx=1"])
    assert len({it.flags for it in found}) == len({it.name for it in found}) == len(found) == 7


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        ("-Ofast", "-Ofast is never tried: it is -O3 with -ffast-math"),
        ("-O2 -ffast-math", "-ffast-math is never tried: it lets the compiler change the results"),
        ("-O2 -o x.o", "-o of --flags says what the compiler is to make"),
        ("O2", "'O2' of --flags is no flag"),
        ("-O2 '", "cannot be read"),
        ("", "--flags is empty"),
    ],
)
def test_what_must_not_be_given_is_refused(flags: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=re.escape(sentence)):
        flag_sets.of_user(flags)


def test_a_wrong_file_of_flags_says_which_there_are() -> None:
    with pytest.raises(UsageError, match="there is no file of flags 'level'; near: levels"):
        flag_sets.chosen("level", [])


@pytest.mark.parametrize(
    ("flags", "shippable", "hosts_only"),
    [
        ("-O3 -march=native", False, True),
        ("-O3 -mavx2", False, False),
        ("-O2 -mtune=native", True, True),
        ("-O2 -funroll-loops", True, False),
    ],
)
def test_flags_for_one_processor_are_known(flags: str, shippable: bool, hosts_only: bool) -> None:
    found = flag_sets.of_user(flags)
    assert (found.shippable, found.hosts_only) == (shippable, hosts_only)


def test_flags_for_this_machine_are_refused_for_another() -> None:
    with pytest.raises(UsageError, match="which is not ATmega128"):
        variants.check(read(FOLDER / "atmega128.toml"), [flag_sets.of_user("-march=native")])


def test_the_default_of_hosts_is_what_the_engine_is_compiled_with() -> None:
    """As `kernels/build.rs` has it, which is not in the package."""
    build = Path(kernel_sources()) / "build.rs"
    if not build.exists():
        pytest.skip("kernels/build.rs is not here")
    levels = dict(re.findall(r'^    \("([\w.]+)", (\d)\),$', build.read_text(), re.MULTILINE))
    assert levels["reference"] == "2"
    host = read(FOLDER / "host.toml")
    for folder, level in levels.items():
        assert variants.optimise(host, folder) == f"-O{level}", folder
