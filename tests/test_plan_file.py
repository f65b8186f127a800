"""Plans as files: those that come with ciphermark, and what is said of a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark import contract
from ciphermark.errors import UsageError
from ciphermark.plan import planfile
from ciphermark.plan.build import build
from ciphermark.plan.manner import Manners
from ciphermark.plan.selection import Selection
from here_example import here
from lent_engine import description

PLAN = {
    "title": '"Two hashes"',
    "workload": '"single"',
    "algorithms": '["md5", "sha256"]',
    "operations": '["digest"]',
    "sizes": "[64]",
    "precision": "0.01",
    "budget_s": "5",
    "max_cases": "10",
}


def written(folder: Path, **changed: str | None) -> Path:
    """A plan file with some of its lines changed or left out."""
    path = folder / "plan.toml"
    lines = {name: text for name, text in (PLAN | changed).items() if text is not None}
    path.write_text("".join(f"{name} = {text}\n" for name, text in lines.items()))
    return path


def test_a_plan_of_ones_own_is_read(tmp_path: Path) -> None:
    plan = planfile.read(written(tmp_path, providers='["openssl"]'))
    assert plan.algorithms == ["md5", "sha256"]
    assert plan.providers == ["openssl"]
    assert plan.backends == "default"


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"sizes": None}, "it lacks sizes: a list of at most 1,000, each a whole number"),
        ({"sizes": None, "title": None}, r"it lacks sizes \(a list.*\), title \(a text\)"),
        ({"sizes": "[-16]"}, r"sizes\[0\] is -16, and must be a whole number, at least 0"),
        ({"sizes": f"[{2 * 2**30}]"}, r"sizes\[0\] is 2147483648, .* at most 1,073,741,824"),
        ({"sizes": '["64"]'}, r'sizes\[0\] is "64", and must be a whole number'),
        ({"precision": "0.0"}, "precision is 0.0, and must be a number, more than 0"),
        ({"precision": "nan"}, "precision is"),
        ({"precision": "1.0"}, "precision is 1.0, and must be a number, .*at most 0.5"),
        ({"budget_s": "-1"}, "budget_s is -1, and must be a number, more than 0"),
        ({"max_cases": "0"}, "max_cases is 0, and must be a whole number, at least 1"),
        ({"workload": '"sesions"'}, 'workload is "sesions", and must be .*"sessions"'),
        ({"algorithms": '"some"'}, 'algorithms is "some", and must be a list .*"survey" or "all"'),
        ({"sises": "[64]"}, "sises is no field; near: sizes"),
        ({"title": '"no end'}, "line 1"),
        ({"title": '"my \\u00"'}, ""),
        ({"sizes": '"64"'}, "sizes is"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, changed: dict[str, str | None], what: str) -> None:
    path = written(tmp_path, **changed)
    with pytest.raises(UsageError, match=f"^the plan {path} is not valid: .*{what}"):
        planfile.read(path)


@pytest.mark.parametrize("changed", [{"sizes": "[]"}, {"operations": '["seal"]'}])
def test_a_plan_that_asks_for_nothing_there_is_refused(
    tmp_path: Path, changed: dict[str, str]
) -> None:
    plan = planfile.read(written(tmp_path, **changed))
    with pytest.raises(UsageError, match="nothing is left to measure"):
        build(plan, Selection(), description())


def test_a_plan_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="is not valid"):
        planfile.read(path)


def test_a_plan_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    with pytest.raises(UsageError, match=f"the plan {path} cannot be read: No such file"):
        planfile.read(path)


PARTS = """
[[also]]
sizes = [1024]
pattern = "incremental"
chunk_bytes = 256
effort = "full"

[[also]]
algorithms = ["sha1"]
backends = ["avx2", "neon"]
effort = "usual"
"""


def with_parts(folder: Path, text: str = PARTS) -> Path:
    path = written(folder)
    path.write_text(path.read_text() + text)
    return path


def test_further_parts_have_what_the_first_has_unless_they_say_otherwise(tmp_path: Path) -> None:
    first, second, third = planfile.read(with_parts(tmp_path)).parts
    assert (first.sizes, first.manners) == ([64], Manners())
    assert (second.algorithms, second.sizes) == (["md5", "sha256"], [1024])
    assert second.manners == Manners(patterns=("incremental",), chunk_bytes=256)
    assert (third.algorithms, third.sizes) == (["sha1"], [64])
    assert (second.backends, third.backends) == ("default", ["avx2", "neon"])


@pytest.mark.parametrize(
    ("effort", "parts", "precision"), [("quick", 1, 0.2), ("usual", 2, 0.01), ("full", 3, 0.005)]
)
def test_an_effort_chooses_parts_precision_and_budget(
    tmp_path: Path, effort: planfile.Effort, parts: int, precision: float
) -> None:
    path = with_parts(tmp_path, PARTS + "[quick]\nprecision = 0.2\nbudget_s = 3\n")
    plan = planfile.read(path).at(effort)
    assert (len(plan.parts), plan.precision) == (parts, precision)
    assert plan.budget_s == {"quick": 3, "usual": 5, "full": 3600}[effort]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            "[[also]]\nsizes = [-1]\n",
            r"also\[0\].sizes\[0\] is -1, .* at least 0",
        ),
        ('[[also]]\ntitle = "x"\n', r"also\[0\].title is no field"),
        ('[[also]]\neffort = "some"\n', r'also\[0\].effort is "some", and must be "quick" or'),
        ("[also]\nsizes = [1]\n", "also is .*and must be a list of at most 100, each a table"),
    ],
)
def test_what_is_wrong_in_a_part_is_named(tmp_path: Path, text: str, what: str) -> None:
    path = with_parts(tmp_path, text)
    with pytest.raises(UsageError, match=f"is not valid: .*{what}"):
        planfile.read(path)


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("algorithms", f"algorithms = {['a'] * 1001}"),
        ("sizes", f"sizes = {[1] * 1001}"),
        ("also", 'algorithms = ["aes-128-gcm"]' + "\n[[also]]" * 101),
        ("then", 'algorithms = ["aes-128-gcm"]' + "\n[[then]]" * 21),
    ],
)
def test_a_list_that_would_be_multiplied_is_bounded(tmp_path: Path, field: str, text: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=rf"{field} is .*a list of at most \d+"):
        planfile.read(path)


LOADS = {
    "sessions": (
        {"algorithms": '["hmac-sha256"]', "operations": '["mac"]'},
        "[sessions]\nsessions = [1, 10]\nattempts = 1\n"
        "[[also]]\nsizes = [1024]\n[also.sessions]\ncores = [1]\n",
    ),
    "packets": (
        {"algorithms": '["uea1"]', "operations": '["encrypt+decrypt"]'},
        '[packets]\npackets = [1000]\nkey_setup = ["cached", "per-packet"]\n'
        '[[also]]\nsizes = [500]\n[also.packets]\nkey_setup = ["per-batch"]\n',
    ),
}
"""Plans of loads, whose part changes the table of the first."""


def with_loads(folder: Path, workload: str, changed: str = "", into: str = "") -> Path:
    fields, tables = LOADS[workload]
    assert changed in tables
    usual = {"workload": f'"{workload}"', "providers": '["openssl"]', "budget_s": "60"}
    path = written(folder, **usual | fields)
    path.write_text(path.read_text() + tables.replace(changed, into, 1))
    return path


def test_parts_have_the_table_of_the_first(tmp_path: Path) -> None:
    def cases(workload: str) -> list[contract.Case]:
        plan = planfile.read(with_loads(tmp_path, workload))
        return build(plan, Selection(), description(), here()).plan.cases

    found = [
        (it.message_bytes, it.sessions.sessions, it.sessions.cpus, it.sessions.most_attempts)
        for it in cases("sessions")
    ]
    assert found == [
        *((64, 1, [0, 1], 1), (64, 10, [0, 1], 1)),
        *((1024, 1, [0], 1), (1024, 10, [0], 1)),
    ]
    packets = cases("packets")
    assert [(it.message_bytes, it.packets.packets, it.packets.key_setup) for it in packets] == [
        *((64, 1000, "cached"), (64, 1000, "per-packet"), (500, 1000, "per-batch"))
    ]
    assert [it.case for it in packets] == [0, 1, 2]


@pytest.mark.parametrize(
    ("workload", "changed", "into", "what"),
    [
        ("sessions", "[1, 10]", "[0]", r"sessions.sessions\[0\] is 0, and must be"),
        ("sessions", "attempts = 1", 'policy = ["fifo"]', r'sessions.policy\[0\] is "fifo"'),
        ("sessions", "attempts = 1", "window = [1, 2]", "no field; near: sessions.window_s"),
        ("packets", "[1000]", "[0]", r"packets.packets\[0\] is 0"),
        ("packets", "[1000]", "[1000]\nflush = 1", "no field; near: packets.flush_us"),
        ("packets", '["per-batch"]', '["never"]', r'also\[0\].packets.key_setup\[0\] is "never"'),
    ],
)
def test_what_is_wrong_in_a_table_of_loads_is_named(
    tmp_path: Path, workload: str, changed: str, into: str, what: str
) -> None:
    with pytest.raises(UsageError, match=what):
        planfile.read(with_loads(tmp_path, workload, changed, into))


@pytest.mark.parametrize(("workload", "asked"), [("sessions", "single"), ("packets", "sessions")])
def test_a_plan_is_sent_to_the_command_of_its_workload(
    tmp_path: Path, workload: str, asked: str
) -> None:
    with pytest.raises(UsageError, match=f"write ciphermark {workload} --plan"):
        planfile.read(with_loads(tmp_path, workload), asked)
