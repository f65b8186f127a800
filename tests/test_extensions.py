"""Folder of extensions: algorithms, kernels, studies and importers of a user."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import two_ways_example
from ciphermark import studies
from engine_fixture import Command, look_at_measured
from library_fixture import KERNELS, compiled

EXAMPLE = Path(__file__).parents[1] / "examples" / "extensions"
FACTS = EXAMPLE / "algorithms" / "fnv1a-64.toml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the example without its kernel, which has to be compiled."""
    return shutil.copytree(EXAMPLE, tmp_path / "mine")


@pytest.mark.engine
@pytest.mark.measures
def test_an_own_algorithm_is_verified_and_measured(
    command: Command, folder: Path, compiler: str
) -> None:
    source = folder / "kernels" / "fnv1a.c"
    compiled(compiler, source.with_suffix(".so"), f"-I{KERNELS / 'include'}", source)
    ended = command(
        *("--extensions", folder, "survey", "--algorithms", "fnv1a-64", "--sizes", "64"),
        *("--precision", "10%", "--budget", "1", "--json"),
    )
    assert ended.code == 0, ended.messages
    [row] = ended.document["rows"]
    assert (row["algorithm"], row["provider"]) == ("fnv1a-64", "kernel@fnv1a")
    assert row["vectors_passed"] == 7
    look_at_measured([row])
    # Its figures stay readable without the folder.
    assert command("show", "last").code == 0


@pytest.mark.engine
def test_a_wrong_kernel_of_an_own_algorithm_has_no_figure(
    command: Command, folder: Path, compiler: str
) -> None:
    source = folder / "kernels" / "fnv1a.c"
    source.write_text(source.read_text("utf-8").replace("0x100000001b3", "0x100000001b5"), "utf-8")
    compiled(compiler, source.with_suffix(".so"), f"-I{KERNELS / 'include'}", source)
    ended = command(
        *("--extensions", folder, "survey", "--algorithms", "fnv1a-64", "--sizes", "64"),
        *("--budget", "1", "--json"),
    )
    assert ended.code == 1
    [row] = ended.document["rows"]
    assert row["error"] is not None and row["cycles_per_byte"] is None


@pytest.mark.engine
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "fnv1a-64"', 'name = "sha256"', "the name must be the file's stem"),
        ("survey = false", "survey = false\nsurvay = 1", "no such fields: survay"),
        ("tag_bytes = 8", "tag_bytes = 0", "do not fit its kind"),
    ],
)
def test_faulty_facts_are_one_sentence(
    command: Command, folder: Path, old: str, new: str, said: str
) -> None:
    path = folder / "algorithms" / FACTS.name
    text = path.read_text("utf-8")
    path.write_text(text.replace(old, new), "utf-8")
    ended = command("--extensions", folder, "list", "algorithms")
    assert ended.code == 2
    assert "fnv1a-64.toml" in ended.messages and said in ended.messages
    assert ended.messages.count("\n") == 1


@pytest.mark.engine
def test_a_name_that_is_taken_is_refused(command: Command, folder: Path) -> None:
    text = FACTS.read_text("utf-8").replace("fnv1a-64", "sha256")
    (folder / "algorithms" / "sha256.toml").write_text(text, "utf-8")
    ended = command("--extensions", folder, "list", "algorithms")
    assert ended.code == 2
    assert "sha256, which another algorithm has" in ended.messages


def test_a_folder_without_extensions_is_refused(command: Command, tmp_path: Path) -> None:
    ended = command("--extensions", tmp_path, "list", "runs")
    assert (ended.code, "has none of the folders" in ended.messages) == (2, True)
    ended = command("--extensions", tmp_path / "gone", "list", "runs")
    assert (ended.code, "is no folder" in ended.messages) == (2, True)


def test_an_own_importer_reads_its_files(command: Command, folder: Path, tmp_path: Path) -> None:
    table = tmp_path / "figures.txt"
    table.write_text("# function bytes ns\nsha256 64 80.5\nsha256 1024 700\n", "utf-8")
    ended = command("--extensions", folder, "import", table, "--json")
    assert ended.code == 0, ended.messages
    refused = command("import", table)
    assert refused.code == 2


@pytest.mark.parametrize("code", ["FORMAT = 1", "raise RuntimeError('no')", "import nothing_here"])
def test_a_faulty_importer_is_one_sentence(
    command: Command, folder: Path, tmp_path: Path, code: str
) -> None:
    (folder / "importers" / "bad.py").write_text(code, "utf-8")
    table = tmp_path / "figures.txt"
    table.write_text("# function bytes ns\nsha256 64 80.5\n", "utf-8")
    ended = command("--extensions", folder, "import", table)
    assert ended.code == 2
    assert "bad.py" in ended.messages and ended.messages.count("\n") == 1


def test_an_own_study_is_listed(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(studies, "__path__", list(studies.__path__))
    own = folder / "studies"
    own.mkdir()
    two_ways_example.add(own)
    ended = command("--extensions", folder, "list", "studies", "--json")
    assert ended.code == 0, ended.messages
    assert "two-ways" in [it["study"] for it in ended.document["studies"]]


def test_other_machines_have_no_extensions(command: Command, folder: Path) -> None:
    ended = command("--extensions", folder, "survey", "--on", "nobody@localhost")
    assert ended.code == 2
    assert "--extensions are of this machine" in ended.messages
