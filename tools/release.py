"""Makes a release: version, changelog, commit and tag; packages with checksums and their SBOM.

    python tools/release.py 0.2.0 --dry-run    # all but the builds, in a clone that is removed
    python tools/release.py 0.2.0              # nothing is pushed; the end says what to type
    python tools/release.py --collect dist     # checksums and SBOM of wheels that are built

The changelog is written by hand: its heading `## 0.2.0` must be there, with entries below it.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from datetime import date
from pathlib import Path

VERSION = r"\d+\.\d+\.\d+"
PLACES = {
    "python/ciphermark/__init__.py": rf'(?<=^__version__ = "){VERSION}',
    "Cargo.toml": rf'(?<=^version = "){VERSION}|(?<=path = "kernels", version = "){VERSION}',
    "CITATION.cff": rf"(?<=^version: ){VERSION}",
}
"""Files that state the version, each with the pattern of it. Cargo writes Cargo.lock."""
PACKAGES = ("*.whl", "*.tar.gz", "*.deb", "ciphermark-engine-*", "*.cdx.json")


def main() -> None:
    parser = argparse.ArgumentParser(description="Makes a release.")
    parser.add_argument("version", nargs="?", help="such as 0.2.0")
    parser.add_argument("--date", default=date.today().isoformat(), help="of CITATION.cff")
    parser.add_argument("--dry-run", action="store_true", help="show it in a clone, change nothing")
    parser.add_argument("--collect", type=Path, metavar="DIR", help="only checksums and SBOM")
    given = parser.parse_args()
    if given.collect is not None:
        collect(given.collect)
        return
    tree = Path(run("git", "rev-parse", "--show-toplevel").strip())
    wrong = obstacle(tree, given.version or "")
    if wrong:
        sys.exit(wrong)
    if given.dry_run:
        with tempfile.TemporaryDirectory() as folder:
            run("git", "clone", "--quiet", "--shared", str(tree), folder)
            release(Path(folder), given.version, given.date)
            print(run("git", "show", "--stat", "--format=%s%d", "HEAD", tree=Path(folder)).strip())
        print("Dry run: this tree is as it was, and nothing was built")
        return
    release(tree, given.version, given.date)
    subprocess.run(["make", "wheels", "deb"], cwd=tree, check=True)
    collect(tree / "dist")
    print(f"Now look at dist/, then type: git push origin HEAD v{given.version}")


def obstacle(tree: Path, version: str) -> str:
    """Returns a sentence on what stands against this release, empty where nothing does."""
    if not re.fullmatch(VERSION, version):
        return f"{version!r} is no version: write three numbers, such as 0.2.0"
    if run("git", "status", "--porcelain", tree=tree):
        return "This tree has changes: commit them first"
    if run("git", "tag", "--list", f"v{version}", tree=tree):
        return f"v{version} is tagged already: take the next version"
    stated = re.search(PLACES["CITATION.cff"], (tree / "CITATION.cff").read_text("utf-8"), re.M)
    if stated is None or numbers(version) < numbers(stated[0]):
        return f"{version} is older than {stated and stated[0]}, the version of this tree"
    if not entries(tree, version):
        return f"CHANGELOG.md has no entries under '## {version}': write them first"
    return ""


def release(tree: Path, version: str, day: str) -> None:
    """Writes version and day, commits and tags. Raises OSError, CalledProcessError."""
    for name, pattern in PLACES.items():
        text = (tree / name).read_text("utf-8")
        (tree / name).write_text(re.sub(pattern, version, text, flags=re.M), "utf-8")
    citation = tree / "CITATION.cff"
    text = re.sub(r'(?<=^date-released: ").*(?=")', day, citation.read_text("utf-8"), flags=re.M)
    citation.write_text(text, "utf-8")
    lock = tree / "Cargo.lock"
    lock.write_text(locked(lock.read_text("utf-8"), version), "utf-8")
    run("git", "commit", "--quiet", "--all", "--allow-empty", "-m", f"Version {version}", tree=tree)
    notes = f"ciphermark {version}\n\n{entries(tree, version)}"
    run("git", "tag", "--annotate", "--cleanup=whitespace", "-m", notes, f"v{version}", tree=tree)


def locked(lock: str, version: str) -> str:
    """Gives the crates of this tree their version, which cargo would do too, but not offline."""
    ours = rf'(?<=^name = "ciphermark)([\w-]*)("\nversion = "){VERSION}(?="\n(?!source))'
    return re.sub(ours, rf"\g<1>\g<2>{version}", lock, flags=re.M)


def entries(tree: Path, version: str) -> str:
    """Returns the entries of a version in the changelog, empty where it has none."""
    text = (tree / "CHANGELOG.md").read_text("utf-8")
    found = re.search(rf"^## {re.escape(version)}\n(.*?)(?=^## |\Z)", text, flags=re.M | re.S)
    return found[1].strip() if found else ""


def collect(folder: Path) -> None:
    """Takes SBOMs out of wheels, and writes `SHA256SUMS` of all packages of a folder."""
    for wheel in sorted(folder.rglob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if re.search(r"\.dist-info/sboms/[^/]+\.cdx\.json$", name):
                    path = wheel.with_name(f"{wheel.stem}.cdx.json")
                    path.write_bytes(archive.read(name))
    paths = sorted({path for pattern in PACKAGES for path in folder.rglob(pattern)})
    if not paths:
        sys.exit(f"{folder} has no packages: type make wheels first")
    sums = [
        f"{hashlib.sha256(it.read_bytes()).hexdigest()}  {it.relative_to(folder)}" for it in paths
    ]
    (folder / "SHA256SUMS").write_text("".join(f"{line}\n" for line in sums))
    print(f"{len(paths)} packages; checksums in {folder / 'SHA256SUMS'}")


def numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def run(*command: str, tree: Path | None = None) -> str:
    ended = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"{' '.join(command[:3])} failed: {ended.stderr.strip()}")
    return ended.stdout


if __name__ == "__main__":
    main()
