"""Package of Debian and image, made from a wheel: a small one here, the whole one where `deep`."""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import chroots
import ciphermark
from chroots import Root
from ciphermark.run.engine import Engine

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / "tools"
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
MAINTAINER = {"DEBEMAIL": "ciphermark@debian.org", "DEBFULLNAME": "The ciphermark authors"}
ENVIRONMENT = os.environ | MAINTAINER | {"SOURCE_DATE_EPOCH": "1700000000"}

NAME = "ciphermark-9.8.7-py3-none-manylinux2014_x86_64.whl"
DATA = "ciphermark-9.8.7.data"
INFO = "ciphermark-9.8.7.dist-info"
MAIN = """\
import subprocess, sys


def main():
    if sys.argv[1:] == ["engine"]:
        sys.exit(subprocess.run(["ciphermark-engine"]).returncode)
    print("ciphermark 9.8.7", __file__)
"""


def write_wheel(folder: Path) -> Path:
    """A wheel of that name with the files of ours, and nothing to measure with."""
    page = '.TH CIPHERMARK 1 2026-01-01 "ciphermark"\n.SH NAME\nciphermark \\- measures\n'
    files = {
        "ciphermark/__init__.py": "",
        "ciphermark/__main__.py": MAIN,
        "ciphermark/kernels/include/kernel.h": "",
        "other/include/other.h": "",
        "other/tests/none.py": "",
        f"{DATA}/scripts/ciphermark-engine": "#!/bin/sh\necho engine\n",
        f"{DATA}/data/share/man/man1/ciphermark.1": page,
        f"{DATA}/data/share/man/man1/ciphermark-engine.1": page.replace("mark", "mark-engine", 2),
        f"{DATA}/data/share/bash-completion/completions/ciphermark": ":\n",
        f"{DATA}/data/share/zsh/site-functions/_ciphermark": "#compdef ciphermark\n",
        f"{INFO}/METADATA": "Metadata-Version: 2.1\nName: ciphermark\nVersion: 9.8.7\n",
        f"{INFO}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n"
        "Tag: py3-none-manylinux2014_x86_64\n",
        f"{INFO}/entry_points.txt": "[console_scripts]\nciphermark = ciphermark.__main__:main\n",
    }
    record = [f"{INFO}/RECORD,,"]
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest())
        record.append(f"{name},sha256={digest.decode().rstrip('=')},{len(text.encode())}")
    with zipfile.ZipFile(folder / NAME, "w") as archive:
        for name, text in (files | {f"{INFO}/RECORD": "\n".join(record)}).items():
            archive.writestr(name, text)
    return folder / NAME


def needs(*tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"no {tool}; type: sudo make system-packages")


def run(*command: str | Path, seconds: int = 60, **variables: str) -> str:
    ended = subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        timeout=seconds,
        env=ENVIRONMENT | variables,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def make_deb(wheel: Path, output: Path, python: str = PYTHON, seconds: int = 120) -> Path:
    line = (sys.executable, TOOLS / "make_deb.py", wheel, "--python", python, "--output", output)
    return Path(run(*line, seconds=seconds).strip())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def package(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    needs("dpkg-deb")
    return make_deb(wheel, tmp_path_factory.mktemp("deb"))


def test_package_has_commands_manual_and_completions(package: Path, tmp_path: Path) -> None:
    run("dpkg-deb", "-x", package, tmp_path)
    files = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert {
        "usr/bin/ciphermark",
        "usr/bin/ciphermark-engine",
        "usr/lib/ciphermark/ciphermark/__main__.py",
        "usr/lib/ciphermark/ciphermark/kernels/include/kernel.h",
        "usr/share/bash-completion/completions/ciphermark",
        "usr/share/doc/ciphermark/changelog.Debian.gz",
        "usr/share/doc/ciphermark/copyright",
        "usr/share/man/man1/ciphermark.1.gz",
        "usr/share/man/man1/ciphermark-engine.1.gz",
        "usr/share/zsh/vendor-completions/_ciphermark",
    } <= files
    left_out = ("usr/lib/ciphermark/other/", "usr/lib/ciphermark/bin/")
    assert not [it for it in files if it.startswith(left_out)]
    command = (tmp_path / "usr/bin/ciphermark").read_text()
    moved = tmp_path / "command"
    moved.write_text(command.replace('"/usr', f'"{tmp_path}/usr'))
    assert run(sys.executable, moved, "--version").startswith("ciphermark 9.8.7 ")
    path = f"{tmp_path}/usr/bin:{os.environ['PATH']}"
    assert run(sys.executable, moved, "engine", PATH=path) == "engine\n"


def test_package_names_its_python_and_its_maintainer(package: Path) -> None:
    fields = run("dpkg-deb", "--field", package)
    series = PYTHON.replace(".", "")
    assert f"Version: 9.8.7-1+py{series}\n" in fields
    assert "Maintainer: The ciphermark authors <ciphermark@debian.org>\n" in fields
    assert f"python3 (>= {PYTHON}), python3 (<< 3.{sys.version_info.minor + 1})" in fields
    scripts = run("dpkg-deb", "--info", package, "postinst", "prerm")
    assert "py3compile -p ciphermark /usr/lib/ciphermark" in scripts and "py3clean" in scripts
    assert package.name == f"ciphermark_9.8.7-1+py{series}_amd64.deb"


def test_packages_of_equal_wheels_have_equal_bytes(
    wheel: Path, package: Path, tmp_path: Path
) -> None:
    assert make_deb(wheel, tmp_path).read_bytes() == package.read_bytes()


def test_lintian_has_no_complaint(package: Path) -> None:
    needs("lintian")
    # A package without compiled libraries needs no override.
    line = ("lintian", "--allow-root", "--fail-on", "error,warning")
    assert run(*line, "--suppress-tags", "mismatched-override", package, seconds=120) == ""


def make_image(package: Path, folder: Path, *root: Path, **variables: str) -> Path:
    needs("umoci", "dpkg-deb")
    run(TOOLS / "make_image.sh", package, folder, *root, seconds=600, **variables)
    return folder


def blob(image: Path, digest: str) -> Any:
    """A document of a layout, whose name is the digest of its bytes."""
    content = (image / "blobs" / "sha256" / digest.removeprefix("sha256:")).read_bytes()
    assert digest == f"sha256:{hashlib.sha256(content).hexdigest()}"
    return json.loads(content)


@pytest.fixture(scope="module")
def image(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Layout of an image whose root folder is the package, and nothing of Debian."""
    folder = tmp_path_factory.mktemp("image")
    run("dpkg-deb", "-x", package, folder / "root")
    run("tar", "--sort=name", "--mtime=@0", "-C", folder / "root", "-cf", folder / "root.tar", ".")
    return make_image(package, folder / "image", folder / "root.tar")


def test_image_is_a_layout_of_the_oci(image: Path) -> None:
    """Documents of the image specification 1.0, by hand: skopeo reads it below."""
    assert json.loads((image / "oci-layout").read_text()) == {"imageLayoutVersion": "1.0.0"}
    (entry,) = json.loads((image / "index.json").read_text())["manifests"]
    assert entry["annotations"] == {"org.opencontainers.image.ref.name": "9.8.7"}
    manifest = blob(image, entry["digest"])
    config = blob(image, manifest["config"]["digest"])
    assert (config["architecture"], config["os"]) == ("amd64", "linux")
    assert config["config"]["Entrypoint"] == ["ciphermark"]
    assert config["config"]["User"] == "1000:1000"
    (layer,) = manifest["layers"]
    unpacked = gzip.decompress(
        (image / "blobs" / "sha256" / layer["digest"].removeprefix("sha256:")).read_bytes()
    )
    assert config["rootfs"]["diff_ids"] == [f"sha256:{hashlib.sha256(unpacked).hexdigest()}"]
    names = {manifest["config"]["digest"], layer["digest"], entry["digest"]}
    kept = {f"sha256:{path.name}" for path in (image / "blobs" / "sha256").iterdir()}
    assert kept == names, "nothing else is left in it"


def test_skopeo_reads_the_image(image: Path) -> None:
    needs("skopeo")
    told = json.loads(run("skopeo", "inspect", f"oci:{image}:9.8.7"))
    assert told["Labels"]["org.opencontainers.image.version"] == "9.8.7"
    assert told["Created"] == "2023-11-14T22:13:20Z"


def test_images_of_equal_packages_have_equal_bytes(
    image: Path, package: Path, tmp_path: Path
) -> None:
    again = make_image(package, tmp_path / "again", image.parent / "root.tar")
    files = [path.relative_to(image) for path in image.rglob("*") if path.is_file()]
    assert len(files) == 5
    for path in files:
        assert (image / path).read_bytes() == (again / path).read_bytes(), path


@pytest.mark.parametrize(
    ("name", "variables", "sentence"),
    [
        ("ciphermark-9.8.7-py3-none-musllinux_1_2_x86_64.whl", MAINTAINER, "no wheel for Linux"),
        ("ciphermark-9.8.7-py3-none-any.whl", MAINTAINER, "no wheel for Linux with glibc"),
        ("absent-py3-none-linux_x86_64.whl", MAINTAINER, "no wheel for Linux with glibc"),
        (NAME, {"DEBEMAIL": ""}, "set DEBEMAIL to an address"),
    ],
)
def test_wheels_that_make_no_package_are_refused(
    wheel: Path, tmp_path: Path, name: str, variables: dict[str, str], sentence: str
) -> None:
    given = tmp_path / name
    if not name.startswith("absent"):
        shutil.copy(wheel, given)
    ended = subprocess.run(
        [sys.executable, TOOLS / "make_deb.py", given],
        capture_output=True,
        text=True,
        timeout=60,
        env=ENVIRONMENT | variables,
        cwd=tmp_path,
    )
    assert ended.returncode == 1
    assert sentence in ended.stderr and "Traceback" not in ended.stderr


@pytest.fixture(scope="session")
def whole_wheel(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Path:
    """Wheel of this tree with the engine that is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    line = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    variables = os.environ | {"CIPHERMARK_ENGINE": str(engine.path)}
    built = subprocess.run(line, cwd=ROOT, env=variables, capture_output=True, timeout=300)
    assert built.returncode == 0, built.stderr.decode()
    return next(folder.glob("*.whl"))


@pytest.mark.engine
def test_the_wheel_installs_manual_and_completions(whole_wheel: Path) -> None:
    with zipfile.ZipFile(whole_wheel) as archive:
        shared = {it.partition("/data/share/")[2] for it in archive.namelist()} - {""}
    assert {
        *("man/man1/ciphermark-survey.1", "man/man1/ciphermark-engine.1"),
        *("bash-completion/completions/ciphermark", "zsh/site-functions/_ciphermark"),
        "fish/vendor_completions.d/ciphermark.fish",
    } <= shared


@pytest.fixture(scope="session")
def whole_package(
    whole_wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """Makes the package for a version of Python, with the libraries of registries."""

    @functools.cache
    def made(python: str) -> Path:
        output = tmp_path_factory.mktemp("whole")
        line = (TOOLS / "make_deb.py", whole_wheel, "--python", python, "--output", output)
        ended = subprocess.run(
            [sys.executable, *map(str, line)],
            capture_output=True,
            text=True,
            timeout=900,
            env=ENVIRONMENT,
        )
        if "No matching distribution" in ended.stderr:
            pytest.skip(f"libraries cannot be reached: {ended.stderr.strip()[-200:]}")
        assert ended.returncode == 0, ended.stderr
        return Path(ended.stdout.strip())

    return made


@pytest.mark.deep
@pytest.mark.long
@pytest.mark.parametrize(("suite", "python"), [("bookworm", "3.11"), ("trixie", "3.13")])
def test_package_installs_and_measures_on_debian(
    suite: str,
    python: str,
    debian: Callable[..., Root],
    whole_package: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    library = "libssl3" if suite == "bookworm" else "libssl3t64"
    root = debian(suite, "python3", "libstdc++6", library).copy(tmp_path / "root")
    home = tmp_path / "home"
    home.mkdir()
    package = {"/srv/package.deb": whole_package(python)}
    installed = root.run(
        *("dpkg", "--install", "/srv/package.deb"),
        home=home,
        user=False,
        read_only=package,
        change=True,
        seconds=300,
    )
    assert installed.returncode == 0, installed.stderr
    version = root.run("ciphermark", "--version", home=home)
    assert version.stdout == f"ciphermark {ciphermark.__version__}\n", version.stderr
    survey = root.run(
        *("ciphermark", "survey", "--algorithms", "sha256", "--providers", "openssl,rustcrypto"),
        *("--sizes", "64", "--precision", "5%", "--budget", "1"),
        home=home,
    )
    assert "sha256" in survey.stdout, survey.stderr
    report = root.run("ciphermark", "export", "last", "--format", "csv", home=home)
    assert "openssl" in report.stdout, report.stderr


@pytest.mark.deep
@pytest.mark.long
def test_lintian_has_no_complaint_of_the_whole_package(
    whole_package: Callable[[str], Path],
) -> None:
    needs("lintian")
    line = ("lintian", "--allow-root", "--fail-on", "error,warning")
    assert run(*line, whole_package("3.11"), seconds=600) == ""


@pytest.mark.deep
@pytest.mark.long
def test_image_runs_the_command(whole_package: Callable[[str], Path], tmp_path: Path) -> None:
    needs("mmdebstrap", "umoci", "bwrap")
    if os.geteuid() != 0:
        pytest.skip("only root can make the root folder of an image here")
    package = whole_package("3.13")
    sources = "\n".join(chroots._sources("trixie"))
    image = make_image(package, tmp_path / "image", SOURCES=sources)
    tag = package.name.split("_")[1].split("-")[0]
    run("umoci", "unpack", "--image", f"{image}:{tag}", tmp_path / "bundle", seconds=300)
    root = Root(tmp_path / "bundle" / "rootfs")
    (root.folder / "home" / "user").mkdir(parents=True, exist_ok=True)
    home = tmp_path / "home"
    home.mkdir()
    told = root.run("ciphermark", "--version", home=home)
    assert told.stdout == f"ciphermark {ciphermark.__version__}\n", told.stderr
    listed = root.run("ciphermark", "list", "providers", home=home)
    assert "openssl" in listed.stdout, listed.stderr
