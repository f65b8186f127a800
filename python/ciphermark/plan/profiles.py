"""Profiles by what people type: names, files (TOML or CSV), and genomes of RFC 6985."""

from __future__ import annotations

import os
from pathlib import Path

from ciphermark.errors import UsageError
from ciphermark.plan import genome, names, profile_csv, profile_file
from ciphermark.plan.profile import FEW_MESSAGES, Part, Profile, of_frames

__all__ = ["FEW_MESSAGES", "FOLDER", "Part", "Profile", "from_option", "known", "read", "shipped"]

FOLDER = Path(__file__).parents[1] / "profiles"

LIST = "ciphermark list profiles"


def from_option(text: str) -> list[Profile]:
    """Reads `--profile`: names of profiles, paths of files, or genomes, comma-separated."""
    found = list(dict.fromkeys(names.split(text)))
    if not found:
        raise UsageError(f"--profile {text!r} names nothing: write for example imix")
    profiles = [_find(name) for name in found]
    for place, profile in enumerate(profiles):
        if profile.name in [it.name for it in profiles[:place]]:
            raise UsageError(f"two profiles are called {profile.name}: give one file another name")
    return profiles


def known() -> dict[str, Path]:
    """The files of the profiles that come with ciphermark, by name."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}


def shipped() -> list[Profile]:
    """The profiles that come with ciphermark, by name."""
    return [read(path) for path in known().values()]


def read(path: Path) -> Profile:
    """Reads the file of a profile; the error is a sentence that names it and what is wrong."""
    return profile_csv.read(path) if path.suffix.lower() == ".csv" else profile_file.read(path)


def _find(name: str) -> Profile:
    """A name stands for a profile of ours; what looks like a path is a file."""
    if genome.is_genome(name):
        return _of_genome(name)
    if "/" in name or name.endswith((".toml", ".csv")):
        return read(Path(os.path.expanduser(name)))
    files = known()
    listing = f"{LIST}, or give the path of a file of your own, or a genome such as imix:aaaaabbd"
    return read(files[names.find(name, {it: it for it in files}, "profile", listing)])


def _of_genome(text: str) -> Profile:
    frames = genome.frames(text)
    try:
        parts = of_frames(Part(bytes=size, weight=count) for size, count in frames)
    except ValueError as error:
        raise UsageError(f"--profile {text}: {error}") from None
    return Profile(
        text,
        f"IMIX genome {text.removeprefix(genome.PREFIX)}: "
        + ", ".join(f"{count} frames of {size}" for size, count in frames),
        tuple(parts),
        source="A. Morton, IMIX Genome, RFC 6985, 2013, section 4",
        layer="ethernet",
    )
