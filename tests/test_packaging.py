"""What is built and installed: versions, what the start-up imports, the source distribution."""

from __future__ import annotations

import ast
import os
import re
import runpy
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
from pathlib import Path

import pytest

import ciphermark
from ciphermark.files.extras import EXTRAS

ROOT = Path(__file__).resolve().parent.parent
TOOLCHAIN = runpy.run_path(str(ROOT / "tools" / "toolchain.py"))
HEAVY = {"duckdb", "jinja2", "numpy", "pyarrow", "vl_convert"}


def test_both_parts_have_the_same_version() -> None:
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]
    assert workspace["package"]["version"] == ciphermark.__version__


def test_start_up_imports_nothing_heavy() -> None:
    """These take up to a second; `benchmarks/startup.py` prints how long `--help` takes."""
    script = "import sys, ciphermark.cli.main; print(*sys.modules)"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    loaded = _run(sys.executable, "-c", script, env=environment).split()
    assert HEAVY.isdisjoint(loaded)


@pytest.mark.slow
def test_the_wheel_asks_for_what_the_package_imports() -> None:
    """Nothing that is imported is missing from the dependencies, and none of them is unused."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    optional = [
        text for it in ("fleet", "pandas", "plots", "sftp", "simulate") for text in extras[it]
    ]
    asked = {re.split(r"[>=<~]", text)[0] for text in project["dependencies"] + optional}
    # Of `_typeshed` type checkers alone know.
    ours = {"ciphermark", "_typeshed"} | sys.stdlib_module_names
    imported = set().union(*map(_imports, (ROOT / "python").rglob("*.py"))) - ours
    imported |= {module.partition(".")[0] for module, _ in EXTRAS.values()}
    assert {name.replace("vl_convert", "vl-convert-python") for name in imported} == asked


def test_the_lock_has_what_the_project_and_its_tests_ask_for() -> None:
    """Where it has not: make lock."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = project["dependencies"] + project["optional-dependencies"]["test"]
    lock = (ROOT / "requirements.lock").read_text()
    locked = set(re.findall(r"^([a-z0-9-]+)(?:\[.+\])?==", lock, re.MULTILINE))
    assert {re.split(r"[>=<~\[]", text)[0] for text in asked} <= locked
    assert "://" not in lock, "from whichever index pip uses"


@pytest.mark.parametrize("found", [(3, 11, 0), (3, 11, 2), (3, 14, 0)])
def test_new_enough_python_is_taken(found: tuple[int, ...]) -> None:
    assert TOOLCHAIN["python_missing"](found) is None


def test_old_python_is_named_with_what_to_type() -> None:
    sentence = TOOLCHAIN["python_missing"]((3, 9, 2))
    assert "Python 3.9.2 is too old" in sentence
    assert "PYTHON=python3.11" in sentence


@pytest.mark.parametrize("found", ["rustc 1.89.0 (2948388 2025-08-04)", "rustc 2.0.0-nightly"])
def test_new_enough_rust_is_taken(found: str) -> None:
    assert TOOLCHAIN["rust_missing"](found) is None


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ("rustc 1.63.0 (4b91a6ea7 2022-08-08)", "Rust 1.63 is too old, ciphermark needs 1.89"),
        ("rustc 1.9.0", "Rust 1.9 is too old"),
        (None, "No Rust was found, ciphermark needs 1.89"),
        ("not a version", "No Rust was found"),
    ],
)
def test_old_or_absent_rust_is_named_with_what_to_do(found: str | None, said: str) -> None:
    sentence = TOOLCHAIN["rust_missing"](found)
    assert said in sentence
    assert "rustup" in sentence
    assert "sudo apt-get install rustc-web cargo-web" in sentence


@pytest.mark.parametrize(
    ("compiler", "packages"),
    [("rustc 1.85.1 (4eb161250 2025-03-15)", "rustc-web cargo-web\n"), ("rustc 9.0.0", "\n")],
)
def test_packages_of_rust_are_printed_where_it_is_too_old(
    tmp_path: Path, compiler: str, packages: str
) -> None:
    rustc = _script(tmp_path / "rustc", f"echo '{compiler}'")
    script = str(ROOT / "tools" / "toolchain.py")
    environment = os.environ | {"RUSTC": str(rustc)}
    assert _run(sys.executable, script, "--rust-packages", env=environment) == packages


@pytest.mark.parametrize(
    ("user", "installed", "offered", "code", "said", "called"),
    [
        (0, "alpha beta", "", 0, "", []),
        (1000, "alpha", "alpha beta", 2, "", []),
        # Lists of packages that say nothing of any are fetched first.
        (0, "alpha", "", 0, "Not in this release, and not installed: beta\n", ["update"]),
        (0, "alpha", "dpkg", 0, "Not in this release, and not installed: beta\n", []),
        (
            *(0, "", "dpkg alpha", 3),
            "Not in this release, and not installed: beta\n"
            "Installing (some minutes the first time): alpha\n",
            ["update", "install --no-install-recommends alpha"],
        ),
    ],
)
def test_packages_are_installed_as_far_as_the_release_has_them(
    tmp_path: Path,
    user: int,
    installed: str,
    offered: str,
    code: int,
    said: str,
    called: list[str],
) -> None:
    log = tmp_path / "log"
    log.touch()
    _script(tmp_path / "id", f"echo {user}")
    _script(tmp_path / "dpkg-query", f"printf 'ii  %s\\n' {installed}")
    _script(tmp_path / "apt-cache", f"printf '%s | 1.0 | a mirror\\n' {offered}")
    _script(tmp_path / "apt-get", f'echo "$@" >> {log}')
    ended = subprocess.run(
        [ROOT / "tools" / "install_packages.sh", "alpha", "beta"],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (code, said, "")
    assert log.read_text().splitlines() == [f"-qq {line}" for line in called]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution of this tree."""
    folder = tmp_path_factory.mktemp("sdist")
    _run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder), cwd=ROOT)
    return next(folder.glob("*.tar.gz"))


@pytest.mark.slow
def test_source_distribution_holds_what_is_needed_and_nothing_else(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = [Path(name).parts[1:] for name in archive.getnames()]
    assert {parts[0] for parts in names} == {
        ".gitignore",
        "CITATION.cff",
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "PKG-INFO",
        "README.md",
        "algorithms",
        "crates",
        "docs",
        "engine",
        "hatch_build.py",
        "kernels",
        "pyproject.toml",
        "python",
        "schema",
        "suites",
        "tools",
    }
    assert not {"target", "__pycache__"} & {part for parts in names for part in parts}


@pytest.mark.deep
@pytest.mark.long
def test_both_commands_install_from_the_source_distribution(sdist: Path, tmp_path: Path) -> None:
    """As `pip install` does it, except that the libraries installed for the tests serve here too.

    Cargo's target folder is shared as well, so only the crates of this project are compiled again.
    """
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    environment = os.environ | {"CARGO_TARGET_DIR": target}
    python = _environment_with_our_libraries(tmp_path)
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    _run(*pip, "--no-deps", "--no-build-isolation", str(sdist), env=environment)
    for command in ("ciphermark", "ciphermark-engine"):
        assert "Usage" in _run(str(python.with_name(command)), "--help")
    kernels = next(tmp_path.glob("lib/python*/site-packages/ciphermark/kernels"))
    assert {"include/kernel.h", "reference/md5.c", "dispatch.c", "firmware/vectors.c"} <= {
        path.relative_to(kernels).as_posix() for path in kernels.rglob("*")
    }


def test_tests_have_the_crates_of_the_engine_as_it_has_them() -> None:
    """With a feature that tests alone ask for a crate is compiled twice, with all that need it; and
    what is tested is another than what is measured."""
    told = _run("make", "--just-print", "test", cwd=ROOT)
    (tested,) = set(re.findall(r"cargo test --release (--workspace .*?) --locked", told))
    line = ("cargo", "tree", "--locked", "--offline", "--prefix", "none", "--format", "{p} {f}")
    in_engine, in_tests = (
        {it.removesuffix(" (*)").strip() for it in _run(*line, *packages, cwd=ROOT).splitlines()}
        for packages in (
            ("--package", "ciphermark-engine", "--edges", "normal,build"),
            (*tested.split(), "--edges", "normal,build,dev"),
        )
    )
    assert len(in_engine) > 100
    assert in_engine - in_tests == set()


def _environment_with_our_libraries(folder: Path) -> Path:
    """A new virtual environment that finds the libraries of this one; its Python.

    A path in a .pth file makes packages visible, but not their own .pth files, so the editable
    ciphermark of this environment is not seen there.
    """
    _run(sys.executable, "-m", "venv", "--without-pip", str(folder))
    site_packages = next(folder.glob("lib/python*/site-packages"))
    (site_packages / "tests.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "bin" / "python"


def _imports(path: Path) -> set[str]:
    """The packages that a source file imports, anywhere in it."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules.add(node.module)
    return {module.partition(".")[0] for module in modules}


def _script(path: Path, command: str) -> Path:
    """Writes a program of one shell command."""
    path.write_text(f"#!/bin/sh\n{command}\n")
    path.chmod(0o755)
    return path


def _run(*command: str, **options: object) -> str:
    """What the command prints; what it complains of is in the error when it fails."""
    result = subprocess.run(command, capture_output=True, text=True, timeout=540, **options)
    assert result.returncode == 0, result.stderr
    return result.stdout
