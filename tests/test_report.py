"""The report as a file: what it says, where it goes, and that it needs nothing else."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer
from typer.testing import CliRunner, Result

from ciphermark.cli.report import report as command
from ciphermark.command import report
from ciphermark.command.options import grouped
from ciphermark.command.processes import processes
from ciphermark.command.report import check_output, drawings, write_report
from ciphermark.errors import UsageError, WorkError
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.view.figures import significant
from pictures import drawn
from survey_example import survey_example
from workload_examples import EXAMPLES

pytestmark = pytest.mark.slow

CHARTS = ("cycles-per-byte", "throughput", "cost-card", "stability")
SMALL = ("aes-128-gcm", "camellia-256-cbc", "md5")


def _write(folder: Path, output: Path | None = None, **options: bool) -> Path:
    """A report that is quickly made."""
    run, rows = survey_example(["md5"])
    return write_report(run, rows, folder, output, **options)


class _Page(HTMLParser):
    """The text that is shown, and every address that a browser would load or follow."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.loaded: list[str] = []
        self.links: list[str] = []
        self._silent = False
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._silent = tag in ("script", "style")
        for name, value in attributes:
            if name in ("src", "srcset", "data", "poster") or (name, tag) == ("href", "link"):
                self.loaded.append(value or "")
            elif name == "href":
                self.links.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        self._silent = False

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.text += data


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run, rows = survey_example(SMALL)
    folder = tmp_path_factory.mktemp("run")
    with drawn():
        return write_report(run, rows, folder)


@pytest.fixture(scope="module")
def page(written: Path) -> _Page:
    return _Page(written.read_text())


def test_it_loads_nothing(written: Path, page: _Page) -> None:
    assert page.loaded == []
    html = written.read_text()
    css = re.findall(r"<style>.*?</style>", html, re.DOTALL)
    assert not any("url(" in part or "@import" in part for part in css)
    assert "default-src 'none'" in html


def test_its_links_are_the_plots_beside_it(written: Path, page: _Page) -> None:
    assert set(page.links) == {
        f"plots/{name}.{suffix}" for name in CHARTS for suffix in ("svg", "png")
    }
    assert all((written.parent / link).is_file() for link in page.links)


def test_the_plots_are_pictures(written: Path) -> None:
    for name in CHARTS:
        path = written.parent / "plots" / name
        assert path.with_suffix(".svg").read_text().startswith("<svg")
        assert path.with_suffix(".png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "said",
    [
        "What cryptography costs on AMD EPYC 9B45 (kvm guest)",
        "run 20261121-091500-7f3a",
        "Doctor fair: steal 0.1 %",
        "3.82 GHz",
        "residual 0.1 %",
        "Settled to ±1 %",
        "Cheapest at 1500 B",
        "interval ±1.8 %",
        "crash (SIGSEGV), the worker of rustcrypto died",
        "from the bytes of a key to a context that is ready for the first message",
        "passes the test vectors of its algorithm",
        "3.0.17",
        "/usr/lib/libcrypto.so.3",
        "rustc 1.89.0",
        "Debian GNU/Linux 12",
        "sha_ni",
        "aes-128-cbc and 3 more have no messages of 1500 bytes",
        "The hypervisor took 0.4 % of the CPU",
    ],
)
def test_it_says(page: _Page, said: str) -> None:
    assert said in " ".join(page.text.split())


REPORTS: dict[str, tuple[list[str], list[str]]] = {
    "sessions": (
        ["cycles-over-size", "cycles-over-cpus", "scaling", "fairness", "latency"],
        [
            *("12 of 14", "100 sessions on CPUs 0-1: not valid", "crash (SIGSEGV)"),
            "CPU time differs by 31 %",
            "1 000 sessions take turns on a thread for each CPU",
        ],
    ),
    "packets": (
        [
            *("transfer-and-processing", "packets-speed-up", "packets-efficiency"),
            *("throughput-over-batch", "latency-over-batch", "core-shares"),
        ],
        [
            *("48 of 50", "5 of 8 pairs disturbed", "crash (SIGSEGV)", "What each CPU did"),
            *("Speed-up and efficiency over cores", "Transfer, processing, actual"),
        ],
    ),
    "simulation": (
        [
            *("over-targets", "code-size", "functions-cycles-simulated", "functions-cycles-model"),
            "functions-instructions",
        ],
        [
            "What cryptography costs on 4 simulated processors",
            "M16C/10 (m16c): M16C/10 needs its tools: make m16c",
            "idea-ecb on atmega128, 1 case: made up",
            "cycles (simulated), cycles (model) and instructions are not comparable",
        ],
    ),
    "tunnel": (
        ["waterfall"],
        ["What tunnels carry on", "this kernel has no WireGuard", "Four network namespaces"],
    ),
}
"""Of a workload its plots, and what its report says."""
LOADS = ("sessions", "packets")


@pytest.mark.parametrize("workload", EXAMPLES)
def test_the_report_of_a_workload_says_what_was_found(
    report_of: Callable[[str], Path], workload: str
) -> None:
    html = report_of(workload).read_text()
    _, said = REPORTS.get(workload, ([], []))
    assert [it for it in said if it not in html] == []
    assert _Page(html).loaded == []


@pytest.mark.parametrize(
    "workload", [*(pytest.param(it, marks=pytest.mark.deep) for it in LOADS), "simulation"]
)
def test_the_plots_of_a_workload_are_files(tmp_path: Path, workload: str) -> None:
    """Drawing takes ten times as long as all the rest of a report, and is alike for all."""
    with drawn():
        write_report(*EXAMPLES[workload](), tmp_path)
    for name in REPORTS[workload][0]:
        assert (tmp_path / "plots" / f"{name}.svg").read_text().startswith("<svg")
        assert (tmp_path / "plots" / f"{name}.png").stat().st_size > 1000


def test_labels_of_large_numbers_have_narrow_spaces() -> None:
    run, rows = EXAMPLES["packets"]()
    svg = drawings(run, rows)["throughput-over-batch"]("svg").decode()
    labels = re.findall(r">([\d\u202f,]+)</text>", svg)
    assert "1\u202f000\u202f000" in labels and not any("," in it for it in labels)


def test_what_is_broken_leads_no_list(page: _Page) -> None:
    leaders = page.text.partition("Cheapest at")[2].partition("Every algorithm, every provider")[0]
    assert "AES-128-GCM" in leaders
    assert "MD5" not in leaders


def test_what_has_no_interval_is_not_called_the_cheapest(tmp_path: Path) -> None:
    run, rows = survey_example()
    bare = [
        msgspec.structs.replace(row, ci_low=None, ci_high=None, converged=False) for row in rows
    ]
    page = _Page(write_report(run, bare, tmp_path).read_text())
    assert "Cheapest at" not in page.text


class _Tables(HTMLParser):
    """The matrices: for each what is seen of it, its captions, and its rows of cells."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: list[dict[str, Any]] = []
        self._cell: list[str] | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        known = dict(attributes)
        if tag == "table":
            self.tables.append({"attributes": known, "rows": [], "caption": ""})
        elif tag == "tr" and self.tables:
            self.tables[-1]["rows"].append([])
        elif tag in ("td", "th", "caption") and self.tables:
            self._cell = []

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None:
            self.tables[-1]["rows"][-1].append("".join(self._cell))
        elif tag == "caption" and self._cell is not None:
            self.tables[-1]["caption"] = "".join(self._cell)
        if tag in ("td", "th", "caption"):
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)


@pytest.fixture(scope="module")
def matrices(written: Path) -> list[dict[str, Any]]:
    """The tables of costs, then that of answers."""
    tables = _Tables(written.read_text()).tables
    return [it for it in tables if it["attributes"].get("class") == "matrix"]


def test_there_is_a_matrix_for_each_size_and_one_is_seen(matrices: list[dict[str, Any]]) -> None:
    costs = matrices[:-1]
    chosen = [(it["attributes"]["data-side"], it["attributes"]["data-size"]) for it in costs]
    sizes = ["16 B", "64 B", "256 B", "1 KiB", "1500 B", "16 KiB"]
    assert chosen == [
        *(("sending", size) for size in sizes),
        *(("receiving", size) for size in sizes),
        ("key setup", ""),
    ]
    seen = [it for it in costs if "hidden" not in it["attributes"]]
    assert [it["caption"] for it in seen] == ["Cycles per byte at 1 KiB: seal, encrypt, digest"]
    assert costs[-1]["caption"] == "Cycles per key: setup"


def test_the_matrix_says_what_it_costs_and_what_failed(matrices: list[dict[str, Any]]) -> None:
    _, rows = survey_example(SMALL)

    def figure(*case: str) -> str:
        [row] = [
            row
            for row in rows
            if (row.algorithm, row.operation, row.provider) == case and row.message_bytes == 1024
        ]
        return significant(row.cycles_per_byte)

    [seen] = [it for it in matrices[:-1] if "hidden" not in it["attributes"]]
    providers = ("openssl", "rustcrypto")
    assert seen["rows"] == [
        ["Algorithm", *providers],
        ["AEAD", ""],
        ["aes-128-gcm", *(figure("aes-128-gcm", "seal", it) for it in providers)],
        ["Ciphers", ""],
        ["camellia-256-cbc", figure("camellia-256-cbc", "encrypt", "openssl"), "!"],
        ["Hashes", ""],
        ["md5broken", *(figure("md5", "digest", it) for it in providers)],
    ]


def test_the_matrix_of_answers_says_who_agrees_and_who_failed(
    matrices: list[dict[str, Any]],
) -> None:
    assert matrices[-1]["rows"] == [
        ["Algorithm", "openssl", "rustcrypto"],
        ["AEAD", ""],
        ["aes-128-gcm", "24+1", "24+1"],
        ["Ciphers", ""],
        ["camellia-256-cbc", "24+1", "✗ no answer"],
        ["Hashes", ""],
        ["md5broken", "24+1", "24+1"],
    ]


def test_who_is_alone_with_an_algorithm_is_said_to_be(tmp_path: Path) -> None:
    run, rows = survey_example(["md5"])
    for row in rows:
        row.agrees_with = []
    html = write_report(run, rows, tmp_path).read_text()
    assert html.count("<small>alone</small>") == 2


def test_patterns_and_steps_are_told_where_there_are_any(tmp_path: Path) -> None:
    run, rows = survey_example(["md5"])
    assert "Calling patterns" not in _Page(_write(tmp_path / "one").read_text()).text
    costs = ("cycles_per_message", "cycles_per_message_low", "cycles_per_message_high")
    _, dear = survey_example(["md5"])
    for row in dear:
        row.pattern = "one-shot"
        for name in costs:
            setattr(row, name, 2 * getattr(row, name))
    _, far = survey_example(["md5"])
    for row in far:
        row.keys = 1000
        for name in costs:
            setattr(row, name, getattr(row, name) + 80)
    every = rows + dear + far
    report = write_report(run, every, tmp_path / "two")
    text = " ".join(_Page(report.read_text()).text.split())
    assert "2 patterns cost more than 1.2 times the best:" in text
    assert re.search(r"md5 digest, openssl · default: one-shot costs 2\.\d\d times the best", text)
    assert re.search(r"\+80\.\d\+\d+\.\d to \+\d+\.\d", text)
    assert "A step is what a message and each of its bytes cost more" in text


def test_the_report_of_a_run_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("old")
    assert _write(tmp_path) == tmp_path / "report.html"
    assert (tmp_path / "report.html").read_text() != "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plots", "report.html"]


def test_plots_may_be_in_the_page_alone(tmp_path: Path) -> None:
    html = _write(tmp_path / "new", with_files=False).read_text()
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["report.html"]
    assert not _Page(html).links
    with_files = _write(tmp_path).read_text()
    assert html.count('"spec"') == with_files.count('"spec"') > 0


def test_a_named_file_is_kept_unless_forced(tmp_path: Path) -> None:
    output = tmp_path / "mine.html"
    output.write_text("mine")
    with pytest.raises(UsageError, match=r"mine\.html is there already.*--force"):
        _write(tmp_path / "run", output)
    assert output.read_text() == "mine"
    assert _write(tmp_path / "run", output, force=True) == output
    assert "mine-plots/throughput.png" in output.read_text()
    assert (tmp_path / "mine-plots" / "throughput.png").is_file()


def test_a_folder_of_plots_that_is_there_is_kept(tmp_path: Path) -> None:
    (tmp_path / "mine-plots").mkdir()
    with pytest.raises(UsageError, match="mine-plots is there already"):
        check_output(tmp_path / "mine.html")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkError, match=r"could not be written to .*file/report\.html .*--output"):
        _write(tmp_path / "file")


def test_a_failure_leaves_the_old_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "report.html").write_text("old")

    def full(path: Path, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(WorkError, match="No space left on device"):
        _write(tmp_path)
    assert (tmp_path / "report.html").read_text() == "old"


def test_names_cannot_become_markup(tmp_path: Path) -> None:
    run, rows = survey_example(["md5"])
    run.context.algorithms[0].title = "</script><b>MD5"
    html = write_report(run, rows, tmp_path).read_text()
    assert "<b>MD5" not in html
    assert html.count("</script>") == 3


def test_a_run_in_which_all_failed_has_a_report(tmp_path: Path) -> None:
    run, rows = survey_example(["camellia-256-cbc"])
    rows = [row for row in rows if row.error is not None]
    page = _Page(write_report(run, rows, tmp_path).read_text())
    assert "11 cases failed" in page.text
    assert page.links == []


def test_an_interrupted_run_says_so(tmp_path: Path) -> None:
    run, rows = survey_example(["md5"])
    run.context.interrupted, run.context.bye = True, None
    page = _Page(write_report(run, rows, tmp_path).read_text())
    assert "Interrupted." in page.text


def _report(store: Store, *arguments: str) -> Result:
    app = typer.Typer()
    app.command()(grouped(command))
    return CliRunner().invoke(app, [*arguments, "--runs", str(store.root)])


def test_the_command_prints_the_path_alone(store: Store, run: Run, run_rows: Table) -> None:
    folder = store.save(run, run_rows)
    result = _report(store, "last")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{folder / 'report.html'}\n"
    assert "Doctor" in (folder / "report.html").read_text()


def test_other_processes_draw_the_same_pictures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, rows = survey_example(["md5"])
    with drawn():
        write_report(run, rows, tmp_path, tmp_path / "here.html")
        monkeypatch.setattr(report, "FEW_POINTS", 0)
        write_report(run, rows, tmp_path, tmp_path / "beside.html")
    here, beside = (tmp_path / f"{name}-plots" for name in ("here", "beside"))
    names = sorted(path.name for path in here.iterdir())
    assert "stability.png" in names
    assert names == sorted(path.name for path in beside.iterdir())
    for name in names:
        assert (here / name).read_bytes() == (beside / name).read_bytes(), name


def test_a_process_that_is_killed_is_a_sentence() -> None:
    killed = "a process that drew plots was killed, perhaps for want of memory: type it again"
    with pytest.raises(WorkError, match=killed), processes(1, "drew plots", "type it again") as it:
        it.submit(os._exit, 9).result()
