"""The site as files: what is written, when, and where not; that it tells nothing it should not."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ciphermark.cli.main import app
from ciphermark.errors import UsageError, WorkError
from ciphermark.record.store import Store
from ciphermark.site import build as site_build
from ciphermark.site.folder import FILES, STATE, Folder
from ciphermark.site.pages import PAGES
from ciphermark.workload import rows, rows_table
from machines_example import machine_run
from site_example import add, built, files, team
from test_anonymous import PLANTED, SECRETS, plant, texts

pytestmark = pytest.mark.slow

RESULT = re.compile(r"\w+\.html\?(\w+)=([0-9a-z-]+)")


class _Links(HTMLParser):
    """Where a page leads, and what it loads."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.inline: list[str] = []
        self._within = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._within = tag
        for name, value in attributes:
            if name == "href" and tag == "a":
                self.links.append(value or "")
            elif name in ("src", "href"):
                self.loaded.append(value or "")
            elif name.startswith("on") or name == "style":
                self.inline.append(f"{name}={value}")

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within in ("script", "style") and data.strip():
            self.inline.append(data)


def data(out: Path, name: str) -> object:
    """What a file of data hands to the pages."""
    text = (out / "data" / f"{name}.js").read_text("utf-8")
    head = f'ciphermark.receive("{name}",'
    assert text.startswith(head) and text.endswith(");\n")
    return json.loads(text[len(head) : -3])


@pytest.fixture(scope="module")
def of_team(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, Path]:
    """A store, and its site."""
    folder = tmp_path_factory.mktemp("team")
    store = team(folder / "runs")
    assert built(store, folder / "site").problems == []
    return store, folder / "site"


@pytest.fixture
def copied(of_team: tuple[Store, Path], tmp_path: Path) -> tuple[Store, Path]:
    """The same to be changed."""
    store, out = of_team
    shutil.copytree(store.root, tmp_path / "runs")
    shutil.copytree(out, tmp_path / "site")
    return Store(tmp_path / "runs"), tmp_path / "site"


def html(out: Path) -> Iterator[tuple[str, str]]:
    """Every page, and every part of one that comes as data."""
    for path in out.glob("*.html"):
        yield path.name, path.read_text("utf-8")
    for path in (out / "data").glob("*/*.js"):
        document = data(out, f"{path.parent.name}/{path.stem}")
        if isinstance(document, dict) and "html" in document:
            yield str(path), document["html"]


def test_every_link_leads_to_a_page_and_its_data(of_team: tuple[Store, Path]) -> None:
    store, out = of_team
    found = 0
    for name, text in html(out):
        page = _Links(text)
        for link in [*page.links, *page.loaded]:
            if link.startswith(("#", "data:", "https://doi.org/")):
                continue
            target, _, query = link.partition("#")[0].partition("?")
            assert (out / target).is_file(), f"{name} leads to {link}"
            if query:
                kind, _, key = query.partition("=")
                assert (out / "data" / kind / f"{key}.js").is_file(), f"{name} leads to {link}"
                found += 1
    assert found > 100
    listed = data(out, "list")
    assert isinstance(listed, dict) and listed["runs"] == len(store.run_ids())


def test_no_page_has_scripts_or_styles_within_it_and_none_loads_from_elsewhere(
    of_team: tuple[Store, Path],
) -> None:
    _, out = of_team
    for name, text in html(out):
        page = _Links(text)
        assert page.inline == [], name
        assert not any("//" in it for it in page.loaded), name
    for path in out.glob("*.html"):
        text = unescape(path.read_text())
        assert 'http-equiv="Content-Security-Policy"' in text
        assert "script-src 'self' file:;" in text and "unsafe-eval" not in text
        assert ("<script" in text) == ("needs JavaScript" in text), path.name


def test_other_workloads_have_the_columns_of_their_reports(of_team: tuple[Store, Path]) -> None:
    """With the headings in groups, from which the unit of a figure is told."""
    _, out = of_team
    heads = {
        head
        for name, text in html(out)
        if "/function/" in name
        for head in re.findall(r'scope="colgroup"[^>]*>([^<]+)<', text)
    }
    assert {"cycles/packet", "cycles/byte", "cycles or instructions of a call"} <= heads


def test_what_has_not_changed_is_not_written(copied: tuple[Store, Path]) -> None:
    store, out = copied
    before = files(out)
    again = built(store, out)
    after = files(out)
    changed = {name for name in before if before[name] != after.get(name)}
    assert changed <= {".lock"} and after.keys() == before.keys()
    assert again.written == 0


def test_a_further_run_changes_what_is_said_of_its_machine_and_functions_alone(
    copied: tuple[Store, Path],
) -> None:
    store, out = copied
    before = files(out)
    add(store, machine_run(60, "small", algorithms=["sha256"], processor="Cortex-A72"))
    built(store, out)
    after = files(out)
    new = after.keys() - before.keys()
    [run] = {Path(name).stem for name in new}
    assert {Path(name).parent.name for name in new} == {"run", "download"}
    changed = {name for name in before if before[name] != after[name]}
    assert len([name for name in changed if name.startswith("data/machine/")]) == 1
    assert len([name for name in changed if name.startswith("data/function/")]) == 1
    assert changed & {f"assets/{name}" for name in ("vega.js", "site.js")} == set()
    assert run in (out / "data/list/0.js").read_text()


def test_that_something_takes_long_is_no_problem(
    of_team: tuple[Store, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ciphermark.record.query.RUNS_AT_ONCE", 1)
    store = Store(tmp_path / "runs")
    add(store, machine_run(1, "epyc", algorithms=["sha256"]))
    assert built(store, tmp_path / "site", reports=0).problems == []


def test_a_run_that_is_gone_leaves_nothing_behind(copied: tuple[Store, Path]) -> None:
    store, out = copied
    gone = store.run_ids()[0]
    shutil.rmtree(store.root / gone)
    built(store, out)
    assert not [name for name in files(out) if gone in name]
    assert gone not in (out / "data/list/0.js").read_text()


def test_a_broken_run_is_left_out_and_said(copied: tuple[Store, Path]) -> None:
    store, out = copied
    [broken, cut] = store.run_ids()[1:3]
    (store.root / broken / "rows.parquet").write_bytes(b"PAR1 nothing")
    (store.root / cut / "context.parquet").write_bytes(b"")
    shutil.rmtree(out)
    found = built(store, out, reports=0)
    assert len(found.problems) >= 2
    listed = data(out, "list")
    assert isinstance(listed, dict) and listed["runs"] == len(store.run_ids()) - 2
    for run in (broken, cut):
        assert any(run in it for it in listed["unreadable"])
        assert not (out / "data/run" / f"{run}.js").exists()
        assert all(run not in text for _, text in html(out))


@pytest.mark.parametrize("name", ["notes.txt", "index.html"])
def test_a_folder_that_holds_other_things_is_refused(
    of_team: tuple[Store, Path], tmp_path: Path, name: str
) -> None:
    store, _ = of_team
    (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError, match=re.escape(name)):
        built(store, tmp_path)
    assert [it.name for it in tmp_path.iterdir()] == [name]


def test_a_site_with_a_strange_file_or_a_link_is_refused(copied: tuple[Store, Path]) -> None:
    store, out = copied
    (out / "mine").mkdir()
    with pytest.raises(UsageError, match="'mine'"):
        built(store, out)
    (out / "mine").rmdir()
    elsewhere = out.with_name("elsewhere")
    (out / "data" / "run").rename(elsewhere)
    (out / "data" / "run").symlink_to(elsewhere)
    before = files(elsewhere)
    with pytest.raises(UsageError, match="is a link"):
        built(store, out)
    assert files(elsewhere) == before


def test_runs_and_site_may_not_lie_within_each_other(of_team: tuple[Store, Path]) -> None:
    store, _ = of_team
    for out in (store.root, store.root / "site", store.root.parent):
        with pytest.raises(UsageError, match="within each other|holds other things"):
            built(store, out)


def test_two_do_not_write_at_once(copied: tuple[Store, Path]) -> None:
    store, out = copied
    with Folder(out).held(), pytest.raises(WorkError, match="another ciphermark site"):
        built(store, out)


@pytest.mark.parametrize(
    "after", [20, *(pytest.param(count, marks=pytest.mark.deep) for count in (3, 35))]
)
def test_a_build_that_dies_leaves_a_site_that_the_next_one_completes(
    of_team: tuple[Store, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    store, whole = of_team
    out, count, write = tmp_path / "site", [0], Folder.write

    def dying(folder: Folder, name: str, content: bytes) -> bool:
        count[0] += 1
        if count[0] > after:
            raise KeyboardInterrupt
        return write(folder, name, content)

    with monkeypatch.context() as patched:
        patched.setattr(Folder, "write", dying)
        with pytest.raises(KeyboardInterrupt):
            built(store, out)
    built(store, out)
    left, right = files(out), files(whole)
    assert left.keys() == right.keys()
    for name in left.keys() - {STATE, FILES}:
        assert (out / name).read_bytes() == (whole / name).read_bytes(), name


WORKER = """
import multiprocessing, os, time
from ciphermark.command.processes import _begin

def work():
    _begin(tuple)
    print(os.getpid(), flush=True)
    time.sleep(600)

if __name__ == "__main__":
    process = multiprocessing.get_context("spawn").Process(target=work)
    process.start()
    process.join()
"""


def test_processes_that_write_end_with_the_command(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(WORKER)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1] / "python")}
    with subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, text=True, env=environment
    ) as parent:
        assert parent.stdout is not None
        worker = Path("/proc", parent.stdout.readline().strip())
        assert worker.exists()
        parent.kill()
    for _ in range(600):
        if not worker.exists():
            return
        time.sleep(0.1)
    pytest.fail("the process that writes lives on")


def test_a_damaged_state_is_made_anew(copied: tuple[Store, Path]) -> None:
    store, out = copied
    sound = (out / STATE).read_bytes()
    (out / STATE).write_bytes(sound[:100])
    assert built(store, out).problems == []
    assert (out / STATE).read_bytes() == sound


def test_files_that_no_site_has_made_stay(copied: tuple[Store, Path]) -> None:
    store, out = copied
    mine = [out / "download/thesis.pdf", out / "data/run/notes.js", out / "data/mine/a.txt"]
    for file in mine:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("mine")
    assert built(store, out).problems == []
    assert [file.read_text() for file in mine] == ["mine"] * 3


def test_a_folder_with_a_foreign_state_is_refused(
    of_team: tuple[Store, Path], tmp_path: Path
) -> None:
    """Other programs write a `site.json` too."""
    store, _ = of_team
    out = tmp_path / "mine"
    (out / "download").mkdir(parents=True)
    (out / STATE).write_text('{"title": "my site"}')
    (out / "download/thesis.pdf").write_text("mine")
    with pytest.raises(UsageError, match="holds other things"):
        built(store, out)
    assert (out / "download/thesis.pdf").read_text() == "mine"
    assert (out / STATE).read_text() == '{"title": "my site"}'


def test_a_file_of_somebody_in_the_place_of_a_page_is_not_replaced(
    copied: tuple[Store, Path],
) -> None:
    store, out = copied
    names = (out / FILES).read_text().splitlines()
    page = next(name for name in names if name.startswith("data/run/"))
    (out / FILES).write_text("".join(f"{name}\n" for name in names if name != page))
    (out / page).write_text("mine")
    (out / STATE).unlink()
    assert any("move it away" in problem for problem in built(store, out).problems)
    assert (out / page).read_text() == "mine"


def test_a_site_of_an_earlier_version_loses_the_files_that_no_page_needs(
    copied: tuple[Store, Path],
) -> None:
    store, out = copied
    former = ("compare.html", "assets/ratio.js", f"data/cases/{store.run_ids()[0]}.js")
    for name in former:
        Folder(out).write(name, b"former")
    built(store, out)
    assert not any((out / name).exists() for name in former)


def test_without_reports_runs_have_their_figures(
    copied: tuple[Store, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, out = copied
    shutil.rmtree(out)
    built(store, out, reports=0)
    sampled = [it.run for it in store.summaries() if it.workload == "single"]
    for run in sampled:
        page = data(out, f"run/{run}")
        assert isinstance(page, dict) and page["plots"] is None
        figures = data(out, f"figures/{run}")
        assert isinstance(figures, dict) and figures["rows"] == store.rows(run).num_rows
    monkeypatch.setattr(site_build, "REPORTS", 1)
    built(store, out, reports=1)
    page = data(out, f"run/{sampled[0]}")
    assert isinstance(page, dict)
    assert (page["plots"] is None) == (store.run_ids()[0] != sampled[0])


def test_an_anonymous_site_has_nothing_that_was_planted_anywhere(tmp_path: Path) -> None:
    store, run = Store(tmp_path / "runs"), machine_run(1, "epyc")
    add(store, run)
    other = machine_run(2, PLANTED)
    table, source = rows_table(rows(other), "single"), other.context.cycle_source
    other.context = copy.deepcopy(other.context)  # of which others share a part
    plant(other)
    # Else it is no run that can be read.
    other.context.run, other.context.cycle_source = "20260101-101112-7f3a", source
    store.save(other, table)
    result = CliRunner().invoke(
        app,
        ["site", str(tmp_path / "site"), "--anonymous", "--runs", str(store.root)],
        catch_exceptions=False,
    )
    assert result.exit_code == 0, result.output
    listed = data(tmp_path / "site", "list")
    assert isinstance(listed, dict) and listed["runs"] == 2
    for path, text in texts(tmp_path / "site"):
        if path.name == "vega.js":  # which knows the colour aliceblue
            continue
        for secret in (*SECRETS, "20260101-101112-7f3a", run.context.run, str(store.root)):
            assert secret not in text, path


@pytest.mark.parametrize(
    ("typed", "place"), [(("list", "runs"), "cache"), (("site", "OUT", "--reports", "0"), "out")]
)
def test_a_site_is_opened_in_the_cache_where_it_has_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: tuple[str, ...], place: str
) -> None:
    store, shown = Store(tmp_path / "runs"), []
    add(store, machine_run(1, "epyc", algorithms=["sha256"]))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("webbrowser.open", lambda address: shown.append(address) or True)
    words = [str(tmp_path / "out") if word == "OUT" else word for word in typed]
    ended = CliRunner().invoke(app, [*words, "--open", "--runs", str(store.root)])
    assert ended.exit_code == 0, ended.output
    [index] = (tmp_path / place).rglob("index.html")
    assert shown == [index.as_uri()] and ended.stdout == f"{index}\n"


@pytest.mark.usefixtures("own_folders")
def test_the_site_of_a_shared_store_is_that_of_its_runs(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    add(store, machine_run(1, "epyc", algorithms=["sha256"]), machine_run(2, "xeon"))
    places = {"here": str(store.root), "shared": f"dir::file://{store.root}"}
    for name, runs in places.items():
        words = ["site", str(tmp_path / name), "--reports", "1", "--runs", runs]
        assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
    here, shared = (files(tmp_path / name) for name in places)
    assert here.keys() == shared.keys()
    for name in here.keys() - {STATE, FILES}:
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "shared" / name).read_bytes()


def test_the_command_prints_the_first_page_and_its_options_are_checked(
    copied: tuple[Store, Path],
) -> None:
    store, out = copied

    def typed(*arguments: str) -> tuple[int, str]:
        ended = CliRunner().invoke(app, ["site", *arguments, "--runs", str(store.root)])
        return ended.exit_code, ended.stdout

    assert typed(str(out)) == (0, f"{out / 'index.html'}\n")
    code, text = typed(str(out), "--json")
    assert code == 0 and json.loads(text)["runs"] == len(store.run_ids())
    assert CliRunner().invoke(app, ["site", str(out), "--reports", "x"]).exit_code != 0
    assert {page.name for page in PAGES} == {it.name for it in out.glob("*.html")}
