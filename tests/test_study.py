"""The study mechanism: found by their plans, each with its module, and nothing else to touch."""

from __future__ import annotations

import hashlib
import importlib
import io
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from rich.console import Console
from typer.testing import CliRunner

from ciphermark import studies
from ciphermark.cli.main import app
from ciphermark.errors import UsageError
from ciphermark.plan.build import build
from ciphermark.plan.selection import Selection
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.studies import registry
from ciphermark.studies.export import bibtex
from ciphermark.studies.show import statement_blocks, study_blocks
from ciphermark.view.findings import Column, NotTestable, Statement, Table, judge
from ciphermark.view.screen import show
from ciphermark.workloads.single.rows import rows
from lent_engine import LentEngine, description, description_for
from study_example import PLAN, add
from synthetic import synthetic_cases, synthetic_run

ROOT = Path(__file__).resolve().parent.parent
NAMES = [summary.study for summary in registry.summaries()]

MODULE = """
from ciphermark.view.findings import Column, Table
from ciphermark.studies.statements import Questions


def tables(run, rows):
    cells = [[row.provider, row.cycles_per_byte] for row in rows]
    columns = [Column(heading="provider"), Column(heading="cycles/byte")]
    return [Table(title="SHA-256", columns=columns, rows=cells)]


def claims(run, rows):
    return QUESTIONS.claims(rows)


def _is_slow(rows):
    fastest = min(row.cycles_per_byte for row in rows)
    return fastest > 30, f"{fastest:.1f} cycles/byte"


QUESTIONS = Questions(__file__, {"slow": _is_slow})
"""


@pytest.fixture
def added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A study that somebody adds: a plan and a package in a folder of the package."""
    add(tmp_path, "hash-speed", PLAN, MODULE)
    monkeypatch.setattr(studies, "__path__", [*studies.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    yield "hash-speed"
    sys.modules.pop("ciphermark.studies.hash_speed", None)
    vars(studies).pop("hash_speed", None)


ASIDE = """
from ciphermark.contract.others import BesideFigure


def aside(effort, cpu):
    return [BesideFigure(program=effort, algorithm="sha256", message_bytes=cpu, ns_per_byte=1.5)]
"""


@pytest.mark.slow
def test_what_other_programs_say_is_kept_with_the_run(
    added: str, tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(tmp_path, "hash-speed", PLAN, MODULE + ASIDE)
    monkeypatch.setattr("ciphermark.run.engine.Engine", LentEngine)
    arguments = ["study", added, "--quick", "--cpus", "0", "--json", "--runs", str(store.root)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    [figure] = store.load(store.summaries()[0].run).beside
    assert (figure.program, figure.message_bytes, figure.ns_per_byte) == ("quick", 0, 1.5)


@pytest.fixture(scope="module")
def hashing() -> Run:
    return synthetic_run(synthetic_cases(["sha256"], sizes=(1024,)), rounds=6)


def test_an_added_study_is_listed(added: str) -> None:
    listed = {summary.study: summary for summary in registry.summaries()}
    assert listed[added].title == "Is SHA-256 fast?"
    assert listed[added].source == (
        "Ann B. Some, Ötzi Other, On Hashing & Speed, A Journal, 2001, doi:10.1000/182"
    )
    assert set(NAMES) < set(listed)


def test_an_added_study_has_its_plan_tables_and_claims(added: str, hashing: Run) -> None:
    study = registry.load(added)
    cases = build(study.plan, Selection(), description()).plan.cases
    assert [(case.algorithm, case.message_bytes) for case in cases] == 2 * [("sha256", 1024)]
    [table] = study.tables(hashing, rows(hashing))
    assert [provider for provider, _ in table.rows] == ["openssl", "rustcrypto"]
    [claim] = study.claims(hashing, rows(hashing))
    assert (claim.claim, claim.holds) == ("slow", False)
    assert claim.published == "30 cycles/byte"


def test_a_study_is_found_in_any_case() -> None:
    assert registry.load("Gateway").name == "gateway"


def test_a_runs_study_is_found_by_its_plan(added: str) -> None:
    assert registry.of_plan(added).name == added
    assert registry.of_plan("survey") is None


def test_a_study_finds_tables_claims_and_charts(added: str, hashing: Run) -> None:
    findings = registry.load(added).findings(hashing, rows(hashing))
    assert [len(findings.tables), len(findings.claims), findings.charts] == [1, 1, []]


def test_an_unknown_study_says_which_are_near() -> None:
    with pytest.raises(UsageError, match="there is no study 'gatway'; near: gateway"):
        registry.load("gatway")


def test_a_study_with_an_invalid_plan_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.toml").write_text(PLAN.replace("[1024]", "[-1]"))
    monkeypatch.setattr(studies, "__path__", [str(tmp_path)])
    with pytest.raises(UsageError, match="broken.toml is not valid"):
        registry.summaries()


@pytest.mark.parametrize("name", NAMES)
def test_every_study_can_be_measured_and_names_its_source(name: str) -> None:
    study = registry.load(name)
    assert study.plan.source
    assert sum(it.budget_s for it in study.plan.in_turn) <= 480
    assert sum(it.budget_s for it in study.plan.at("quick").in_turn) <= 90
    assert build(study.plan, Selection(), description_for(study.plan)).plan.cases


@pytest.mark.parametrize("name", NAMES)
def test_every_statement_has_an_identifier_of_its_own_and_a_place(name: str) -> None:
    statements = registry.load(name).statements
    assert len({statement.claim for statement in statements}) == len(statements) > 0
    for statement in statements:
        assert statement.claim == statement.claim.lower().replace(" ", "-")
        assert statement.text and statement.place and statement.published


@pytest.mark.parametrize("name", NAMES)
def test_a_run_without_figures_decides_nothing_of_the_machine_and_says_why(name: str) -> None:
    study, run = registry.load(name), synthetic_run([])
    claims = study.claims(run, [])
    assert [claim.claim for claim in claims] == [it.claim for it in study.statements]
    of_machine = [claim for claim in claims if not claim.claim.endswith("-printed")]
    assert of_machine and all(claim.holds is None and claim.here for claim in of_machine)
    findings = study.findings(run, [])
    assert findings.tables and findings.charts


@pytest.mark.parametrize("name", NAMES)
def test_what_a_papers_own_tables_say_is_what_its_judges_find(name: str) -> None:
    """No run changes it, so it stands in a file: whole, and for each statement that has a judge."""
    generator = runpy.run_path(str(ROOT / "tools" / "generate_statements.py"))
    questions = registry.questions()[name]
    assert questions.path.read_text("utf-8") == generator["document"](questions), (
        f"{questions.path} is stale; run: make generate"
    )
    assert questions.judges == {it.claim for it in questions.file.statement if it.asked_here}


def test_published_figures_are_as_they_were_printed() -> None:
    """Whoever corrects one writes the new checksum, and that it was wrong."""
    files = sorted((Path(studies.__file__).parent / "published").glob("*.csv"))
    content = b"".join(file.read_bytes() for file in files)
    checksum = "385f4a73a9c8f978448d0fff2b9dad8f8322d4fb7a2beee756854f219ef6626b"
    assert hashlib.sha256(content).hexdigest() == checksum


STATEMENT = Statement(claim="it-is-so", text="It is so.", place="page 1", published="2 cycles")


def test_a_statement_that_cannot_be_tested_says_why() -> None:
    def decide(_: object) -> tuple[bool, str]:
        raise NotTestable("md5 was not measured")

    claim = judge(STATEMENT, decide, [])
    assert claim.holds is None
    assert claim.here == "md5 was not measured"


def with_tables(plan, run: Run, *tables: Table):  # noqa: ANN001, ANN201
    return lambda console: show(
        console, study_blocks(plan, run.context, [*tables], [], with_tables=True)
    )


def printed(width: int, print_it) -> str:  # noqa: ANN001
    console = Console(width=width, highlight=False, file=io.StringIO())
    print_it(console)
    return console.file.getvalue()


TABLE = Table(
    title="Two machines",
    columns=[
        Column(heading="function"),
        Column(heading="cycles", group="a very fast processor"),
        Column(heading="MB/s", group="old", decimals=2),
        Column(heading="ratio", group="old"),
    ],
    rows=[["md5", 1234.567, 28.5, 0.0123456], ["sha1", None, 134.7, None], ["sha256", 7, 8.0, 1.0]],
    unsettled=[0],
    notes=["ratio: here / published"],
)


def test_a_table_has_groups_over_aligned_columns(hashing: Run) -> None:
    plan = registry.load("gateway").plan
    text = printed(60, with_tables(plan, hashing, TABLE))
    assert "Two machines\n" in text
    assert text[text.index("          a very") : text.index("\n\n  ratio:")].splitlines() == [
        "          a very fast processor       old",
        "function                 cycles    MB/s   ratio",
        "~ md5                     1 230   28.50  0.0123",
        "sha1                          –  134.70       –",
        "sha256                        7    8.00    1.00",
    ]
    assert "ratio: here / published\n  ~ did not settle" in text
    assert "– no figure" in text
    assert "run " + hashing.context.run in " ".join(text.split())


def test_details_are_left_out_and_doubtful_figures_marked(hashing: Run) -> None:
    table = Table(
        title="Printed",
        columns=[
            Column(heading="function"),
            Column(heading="cycles", decimals=1),
            Column(heading="low", detail=True),
        ],
        rows=[["md5", 8.7, 8.65], ["sha1", 9.0, 8.95]],
        doubtful=[(0, 1)],
    )
    plan = registry.load("gateway").plan
    text = printed(60, with_tables(plan, hashing, table))
    assert text[text.index("function  ") :].splitlines()[:3] == [
        "function  cycles",
        "md5         ?8.7",
        "sha1         9.0",
    ]


@pytest.mark.parametrize(
    ("holds", "undecided", "words"),
    [
        (True, False, "✓ it-is-so: holds"),
        (False, False, "✗ it-is-so: does not hold"),
        (None, False, "? it-is-so: not testable here"),
        (None, True, "? it-is-so: undecided here"),
    ],
)
def test_a_verdict_is_a_mark_and_a_word(
    hashing: Run, holds: bool | None, undecided: bool, words: str
) -> None:
    plan = registry.load("gateway").plan
    claims = [STATEMENT.judged(holds, "3 cycles", undecided)]
    text = printed(
        80, lambda console: show(console, study_blocks(plan, hashing.context, [], claims))
    )
    assert words in text
    whole = printed(
        80,
        lambda console: show(
            console, study_blocks(plan, hashing.context, [], claims, with_tables=True)
        ),
    )
    for part in ("It is so.", "page 1", "2 cycles", "3 cycles"):
        assert part in whole
    assert ("page 1" in text) is (holds is not None), "what is not decided here is short"


def test_what_holds_is_counted_first_and_by_what(hashing: Run) -> None:
    plan = registry.load("gateway").plan
    here = [STATEMENT.judged(holds, "3 cycles") for holds in (True, True, False, None)]
    here.append(STATEMENT.judged(None, "3 to 5 cycles", undecided=True))
    tables = [
        msgspec.structs.replace(STATEMENT.judged(holds, "2 cycles"), recomputed=True)
        for holds in (False, None)
    ]
    shown = [TABLE, msgspec.structs.replace(TABLE, detail=True)]
    claims = [*tables, *here]
    text = printed(
        200, lambda console: show(console, study_blocks(plan, hashing.context, shown, claims))
    )
    lines = [line for line in text.splitlines() if line]
    assert lines[0] == "2 claims hold here, 1 does not, 1 is undecided, 1 cannot be tested here."
    assert lines[1] == (
        "Recomputed from the paper's own tables: 0 hold, 1 does not, 1 cannot be told."
    )
    assert lines[2].split(maxsplit=1) == ["Study", plan.title]
    assert lines[3].split(maxsplit=1) == ["Source", plan.source]
    assert "✗ it-is-so: does not hold, recomputed" in text
    assert [line.rstrip() for line in lines].count("    2 cycles") == 2
    assert text.count("here: 3 cycles") == 3
    command = f"ciphermark study {hashing.context.plan_name} --from {hashing.context.run} --tables"
    assert lines[-1] == f"All claims in full and 1 table: {command}"
    assert "Two machines" not in text


def test_every_paper_is_an_entry_of_bibtex(added: str) -> None:
    assert bibtex(registry.load(added).plan.paper) == (
        "@article{some2001on,\n"
        "  author = {Ann B. Some and Ötzi Other},\n"
        "  title = {{On Hashing \\& Speed}},\n"
        "  journal = {A Journal},\n"
        "  year = {2001},\n"
        "  doi = {10.1000/182},\n"
        "}"
    )
    assert "note = {title and authors not checked" in bibtex(registry.load("sensor").plan.paper)
    for name in set(NAMES) - {"mac-sessions"}:
        paper = registry.load(name).plan.paper
        entry = bibtex(paper)
        assert all(author in entry for author in paper.authors) and str(paper.year) in entry


def test_statements_are_listed_with_their_place() -> None:
    study = registry.load("gateway")
    text = printed(
        80, lambda console: show(console, statement_blocks(study.plan, study.statements))
    )
    assert all(statement.claim in text for statement in study.statements)
