"""Release script, and the files by which others find, cite and report on this project."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import ciphermark

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "tools" / "release.py"
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
TODAY = ciphermark.__version__
NEXT = "97.1.0"
FILES = (
    *("CHANGELOG.md", "CITATION.cff", "Cargo.lock", "Cargo.toml"),
    "python/ciphermark/__init__.py",
)


def run(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True, timeout=60
    )


def git(*words: str, folder: Path) -> str:
    ended = run("git", "-c", "user.name=T", "-c", "user.email=t@example.org", *words, folder=folder)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with this tree's files that name the version, and a changelog of the next."""
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "T")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "t@example.org")
    folder = tmp_path / "clone"
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    changelog = folder / "CHANGELOG.md"
    head = f"# Changelog\n\n## {NEXT}\n\n### Measure\n\n- It measures.\n\n"
    changelog.write_text(changelog.read_text("utf-8").replace("# Changelog\n", head, 1), "utf-8")
    git("init", "--quiet", folder=folder)
    git("add", "--all", folder=folder)
    git("commit", "--quiet", "-m", "all", folder=folder)
    return folder


def release(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, SCRIPT, *words, folder=folder)


def test_a_dry_run_shows_the_commit_and_changes_nothing(clone: Path) -> None:
    before = git("rev-parse", "HEAD", folder=clone)
    ended = release(clone, NEXT, "--dry-run")
    assert ended.returncode == 0, ended.stderr
    assert f"Version {NEXT} (HEAD -> " in ended.stdout and f"tag: v{NEXT}" in ended.stdout
    for name in FILES[1:]:
        assert Path(name).name in ended.stdout
    assert git("rev-parse", "HEAD", folder=clone) == before
    assert git("tag", folder=clone) == git("status", "--porcelain", folder=clone) == ""


def test_a_release_has_its_version_everywhere(clone: Path) -> None:
    (clone / "Makefile").write_text("wheels:\n\tmkdir -p dist; touch dist/a.whl.part\ndeb:\n")
    git("add", "Makefile", folder=clone)
    git("commit", "--quiet", "-m", "make", folder=clone)
    ended = release(clone, NEXT, "--date", "2030-01-02")
    assert "dist has no packages" in ended.stderr  # as that Makefile builds none
    assert f'__version__ = "{NEXT}"' in (clone / "python/ciphermark/__init__.py").read_text()
    workspace = tomllib.loads((clone / "Cargo.toml").read_text())["workspace"]
    assert workspace["package"]["version"] == NEXT
    assert workspace["dependencies"]["ciphermark-kernels"]["version"] == NEXT
    crates = tomllib.loads((clone / "Cargo.lock").read_text())["package"]
    for crate in crates:
        ours = crate["name"].startswith("ciphermark")
        assert (crate["version"] == NEXT) == ours, crate
    cited = (clone / "CITATION.cff").read_text()
    assert f"\nversion: {NEXT}\n" in cited and '\ndate-released: "2030-01-02"\n' in cited
    assert "- It measures." in git("tag", "--list", "-n9", f"v{NEXT}", folder=clone)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["1.0"], "is no version"),
        ([], "is no version"),
        (["0.0.1"], f"0.0.1 is older than {TODAY}"),
        (["98.0.0"], "CHANGELOG.md has no entries under '## 98.0.0'"),
    ],
)
def test_releases_that_cannot_be_are_refused(clone: Path, words: list[str], sentence: str) -> None:
    ended = release(clone, *words, "--dry-run")
    assert ended.returncode == 1
    assert sentence in ended.stderr and "Traceback" not in ended.stderr


def test_a_changed_tree_and_a_tagged_version_are_refused(clone: Path) -> None:
    git("tag", f"v{NEXT}", folder=clone)
    assert "is tagged already" in release(clone, NEXT, "--dry-run").stderr
    (clone / "CHANGELOG.md").write_text("")
    assert "commit them first" in release(clone, NEXT, "--dry-run").stderr


def test_packages_get_checksums_and_their_sbom(tmp_path: Path) -> None:
    folder = tmp_path / "dist"
    (folder / "wheels").mkdir(parents=True)
    with zipfile.ZipFile(folder / "wheels" / "c-1-py3-none-any.whl", "w") as archive:
        archive.writestr("c-1.dist-info/sboms/c.cdx.json", '{"bomFormat": "CycloneDX"}')
    (folder / "c_1_amd64.deb").write_bytes(b"package")
    ended = release(tmp_path, "--collect", "dist")
    assert ended.returncode == 0, ended.stderr
    checked = run("sha256sum", "--check", "--strict", "SHA256SUMS", folder=folder)
    assert checked.returncode == 0, checked.stderr
    listed = [line.partition(": ")[0] for line in checked.stdout.splitlines()]
    assert listed == [
        *("c_1_amd64.deb", "wheels/c-1-py3-none-any.cdx.json", "wheels/c-1-py3-none-any.whl")
    ]


def test_the_citation_is_of_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.findall(r"^version: (.+)$", text, flags=re.M) == [ciphermark.__version__]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert f"abstract: {project['description']}\n" in text
    assert project["license"] == " OR ".join(re.findall(r"^  - (MIT|Apache-2.0)$", text, re.M))


@pytest.mark.parametrize("path", [ROOT / "CITATION.cff", *FORMS], ids=lambda path: path.name)
def test_files_have_the_form_that_forges_read(path: Path) -> None:
    schemas = {"CITATION.cff": "citation-file-format", "config.yml": "github-issue-config"}
    schema = schemas.get(path.name, "github-issue-forms")
    line = ("-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", path)
    ended = run(sys.executable, *line, folder=ROOT)
    if "No module named" in ended.stderr:
        pytest.skip("no check-jsonschema")
    assert ended.returncode == 0, ended.stdout


def test_forms_name_commands_that_exist() -> None:
    from ciphermark.cli.groups import VERBS

    texts = " ".join(path.read_text("utf-8") for path in FORMS)
    assert set(re.findall(r"`ciphermark ([a-z]+)", texts)) <= set(VERBS)
