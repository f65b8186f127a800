"""Makes a Debian package from a wheel: `make deb`.

    DEBEMAIL=you@example.org python tools/make_deb.py WHEEL [--python 3.11] [--output dist]

Debian has no DuckDB, and its other libraries of Python are older than ciphermark needs. Therefore
the package holds the libraries of the wheel, below /usr/lib/ciphermark, where no
other program finds them. They are compiled for one version of Python: a package serves the releases
that have it (3.11: Debian 12; 3.12: Ubuntu 24.04; 3.13: Debian 13). Equal wheels give equal bytes.
"""

from __future__ import annotations

import argparse
import email
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from datetime import UTC, datetime
from email.message import Message
from email.utils import format_datetime
from pathlib import Path

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
GLIBC = (28, 27, 26, 24, 17)
"""Minor versions of glibc 2 that tags of the libraries' wheels name; Debian 12 has 2.36."""

LIBRARIES = "usr/lib/ciphermark"
LEFT_OUT = (
    *("**/tests", "**/*_tests.*.so", "**/include", "**/includes", "typer/.agents"),
    *("**/*.pyx", "**/*.pxd", "**/*.pxi", "**/*.a", "bin", "**/.lock"),
)
"""Parts of the libraries that no command of ciphermark needs, by pattern."""

COMMAND = f"""\
#!/usr/bin/python3 -P
import sys

sys.path.insert(0, "/{LIBRARIES}")
from ciphermark.__main__ import main

main()
"""

CONTROL = """\
Package: ciphermark
Version: {version}
Section: utils
Priority: optional
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {kibibytes}
Depends: libc6 (>= 2.28), libgcc-s1, libstdc++6, python3 (>= {python}), python3 (<< {next_python})
Recommends: libssl3t64 | libssl3
Suggests: botan, libgcrypt20, libsodium23, libnettle8t64 | libnettle8, man-db
Description: measure what cryptography costs on a machine
 ciphermark measures every implementation of the installed libraries of
 cryptography, in core cycles and MB/s, each verified and with its
 uncertainty. It compares libraries and builds, says which suite to use and
 how much traffic it carries, simulates small processors, and runs published
 studies again.
"""

POSTINST = f"""\
#!/bin/sh
set -e
if [ "$1" = configure ]; then
    py3compile -p ciphermark /{LIBRARIES}
fi
"""
PRERM = """\
#!/bin/sh
set -e
py3clean -p ciphermark
"""
"""Scripts of the package: Python keeps compiled modules, else each start would compile them."""

OVERRIDES = """\
# The libraries of Python are those of their authors' wheels, with checksums
# in their RECORD: they are neither stripped nor linked again.
{tags}
"""
OVERRIDDEN = (
    *("embedded-library", "library-not-linked-against-libc", "shared-library-lacks-prerequisites"),
    "unstripped-binary-or-object",
)


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes a Debian package from a wheel.")
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--python", default="3.11", help="version of Python 3 of the release")
    parser.add_argument("--output", type=Path, default=Path("dist"), help="folder")
    given = parser.parse_args()
    named = re.search(r"(?:manylinux\w*|-linux)_(x86_64|aarch64)\.whl$", given.wheel.name)
    if named is None or not given.wheel.is_file():
        sys.exit(f"{given.wheel} is no wheel for Linux with glibc on x86-64 or arm64")
    if "@" not in os.environ.get("DEBEMAIL", ""):
        sys.exit("A package names its maintainer: set DEBEMAIL to an address (and DEBFULLNAME)")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        install_libraries(given.wheel, named[1], given.python, root / LIBRARIES)
        arrange(root)
        metadata = metadata_of(given.wheel)
        control = write_control(root, metadata, ARCHITECTURES[named[1]], given.python)
        given.output.mkdir(parents=True, exist_ok=True)
        print(packed(root, given.output / f"ciphermark_{control}_{ARCHITECTURES[named[1]]}.deb"))


def install_libraries(wheel: Path, machine: str, python: str, folder: Path) -> None:
    """Unpacks the wheel and all that it needs, by pip, for the Python of the package."""
    tags = [*(f"manylinux_2_{minor}" for minor in GLIBC), "manylinux2014", "linux"]
    platforms = [word for tag in tags for word in ("--platform", f"{tag}_{machine}")]
    line = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-compile",
        "--only-binary=:all:",
    ]
    line += ["--python-version", python, *platforms, "--target", str(folder), str(wheel)]
    if subprocess.run(line).returncode:
        sys.exit(f"pip finds no libraries of {wheel.name} for Python {python}; the reason is above")


def arrange(root: Path) -> None:
    """Moves commands and documents to the places that Debian gives them."""
    libraries, programs = root / LIBRARIES, root / "usr" / "bin"
    programs.mkdir(parents=True)
    (programs / "ciphermark").write_text(COMMAND)
    shutil.move(libraries / "bin" / "ciphermark-engine", programs)
    if (libraries / "share").is_dir():
        shutil.move(libraries / "share", root / "usr" / "share")
    zsh = root / "usr" / "share" / "zsh"
    if zsh.is_dir():
        (zsh / "site-functions").rename(zsh / "vendor-completions")
    for page in root.glob("usr/share/man/man1/*.1"):
        write_compressed(page.with_suffix(".1.gz"), page.read_bytes())
        page.unlink()
    for path in {it for pattern in LEFT_OUT for it in libraries.glob(pattern)}:
        ours = path.relative_to(libraries).parts[0] == "ciphermark"
        if not ours and path.exists():  # and not within a folder that is gone already
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def write_control(root: Path, metadata: Message, architecture: str, python: str) -> str:
    """Writes what Debian wants to read of a package, and returns its version."""
    version = f"{metadata['Version']}-1+py{python.replace('.', '')}"
    maintainer = f"{os.environ.get('DEBFULLNAME', metadata['Name'])} <{os.environ['DEBEMAIL']}>"
    documents = root / "usr" / "share" / "doc" / "ciphermark"
    documents.mkdir(parents=True)
    date = format_datetime(datetime.fromtimestamp(epoch(), UTC))
    entry = f"ciphermark ({version}) unstable; urgency=medium\n\n  * Release {metadata['Version']}."
    changes = f"{entry}\n\n -- {maintainer}  {date}\n"
    write_compressed(documents / "changelog.Debian.gz", changes.encode())
    (documents / "copyright").write_text(copyright_of(root / LIBRARIES), "utf-8")
    overrides = root / "usr" / "share" / "lintian" / "overrides" / "ciphermark"
    overrides.parent.mkdir(parents=True)
    tags = "\n".join(f"ciphermark: {tag}" for tag in OVERRIDDEN)
    overrides.write_text(OVERRIDES.format(tags=tags))
    for path in root.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)
    files = sorted(path for path in root.rglob("*") if path.is_file())
    digests = [
        f"{hashlib.md5(it.read_bytes()).hexdigest()}  {it.relative_to(root)}" for it in files
    ]
    major, minor = map(int, python.split("."))
    control = root / "DEBIAN"
    control.mkdir(mode=0o755)
    for name, text in (("postinst", POSTINST), ("prerm", PRERM)):
        (control / name).write_text(text)
        (control / name).chmod(0o755)
    (control / "md5sums").write_text("".join(f"{line}\n" for line in digests))
    (control / "control").write_text(
        CONTROL.format(
            version=version,
            architecture=architecture,
            maintainer=maintainer,
            kibibytes=sum(path.stat().st_size for path in files) // 1024,
            python=python,
            next_python=f"{major}.{minor + 1}",
        )
    )
    return version


def copyright_of(libraries: Path) -> str:
    """Returns Debian's file of licences: those of ciphermark and of each library."""
    lines = [
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/",
        "Upstream-Name: ciphermark\n",
        "Files: *\nCopyright: 2026 The ciphermark authors\nLicense: MIT or Apache-2.0\n",
    ]
    for path in sorted(libraries.glob("*.dist-info/METADATA")):
        known = email.message_from_string(path.read_text("utf-8"))
        licence = known["License-Expression"] or (known["License"] or "").split("\n")[0]
        if known["Name"] != "ciphermark":
            lines.append(
                f"Files: {LIBRARIES}/*\nCopyright: the authors of {known['Name']}\n"
                f"License: {re.sub(r'[^A-Za-z0-9.+-]+', '-', licence) or 'see-its-folder'}\n"
                f"Comment: {known['Name']} {known['Version']}; text in {path.parent.name}\n"
            )
    return "\n".join(lines)


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [it for it in archive.namelist() if re.match(r"[^/]+\.dist-info/METADATA$", it)]
        return email.message_from_bytes(archive.read(name))


def write_compressed(path: Path, content: bytes) -> None:
    path.write_bytes(gzip.compress(content, compresslevel=9, mtime=0))


def epoch() -> int:
    """Returns the time of all files: SOURCE_DATE_EPOCH, else that of the commit."""
    if stated := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(stated)
    line = ["git", "log", "-1", "--format=%ct"]
    return int(subprocess.run(line, check=True, capture_output=True, text=True).stdout)


def packed(root: Path, package: Path) -> Path:
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch())}
    for path in (*root.rglob("*"), root):
        os.utime(path, (epoch(), epoch()))
    line = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z2", "--build", root, package]
    subprocess.run(line, check=True, env=environment, stdout=subprocess.DEVNULL)
    return package


if __name__ == "__main__":
    main()
