"""How much flash a function takes: by how much a program grows that is linked with it alone.

The rows of a file name all of its functions, and a linker keeps what a row names. Here a small C
file includes the file of the rows and copies the members that a call of one message needs out of
one algorithm's rows. The compiler knows these constants, so nothing refers to the rows any more,
and `--gc-sections` drops all that only other functions need. Functions of the compiler's library,
such as divisions of processors that have none, are counted; `memcpy` and `memset`, which every
program has, are not.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ciphermark.errors import WorkError
from ciphermark.files import rebuildable
from ciphermark.run.targets import object_files
from ciphermark.run.targets.toolchain import Toolchain

_SECTIONS = ("-ffunction-sections", "-fdata-sections")
_ALONE = ("-nostartfiles", "-Wl,-e,flash_entry", "-Wl,--gc-sections")
_COUNTED = re.compile(r"^\.(text|rodata|progmem|data|sdata|srodata|ARM\.ex|toc|got)")
"""Sections that lie in flash; variables' first values too."""

_MEMBERS = ("parameters", "init", "set_key", "process", "release", "check_nonce")
"""Of a row, for a call of one message: no chunks, and no several messages at once."""

_ENTRY = """\
#include <string.h>
#include "kernels.h"
void *(*volatile flash_copy)(void *, const void *, size_t) = memcpy;
void *(*volatile flash_fill)(void *, int, size_t) = memset;
volatile struct ciphermark_function flash_rows[{count}];
void flash_entry(void);
void flash_entry(void)
{{
{copies}}}
"""


class RowsRemain(Exception):
    """The compiler did not fold the rows' constants, as without optimisation."""


def bytes_of(
    toolchain: Toolchain, source: Path, array: str, numbers: Sequence[int], needed: Iterable[Path]
) -> int:
    """Bytes of the rows of these numbers, in the array of that name in a file, with all they need.

    `needed` are the other files that the linker may take from. Raises `WorkError` where a compiler
    or linker fails, and `RowsRemain`.
    """
    folder = toolchain.folder / "flash"
    folder.mkdir(exist_ok=True)
    objects = [_compiled(toolchain, it, folder) for it in needed if it != source]
    copies = "".join(
        f"    flash_rows[{place}].{member} = {array}[{number}].{member};\n"
        for place, number in enumerate(numbers)
        for member in _MEMBERS
    )
    text = f'#include "{source}"\n' + _ENTRY.format(count=len(numbers), copies=copies)
    nothing = _ENTRY.format(count=len(numbers), copies="")
    alone = _linked(toolchain, source, text, objects)
    if any(it.name == array for it in object_files.symbols_of(toolchain.target.prefix, alone)):
        raise RowsRemain
    return _flash_of(toolchain, alone) - _flash_of(
        toolchain, _linked(toolchain, source, nothing, [])
    )


def _compiled(toolchain: Toolchain, source: Path, folder: Path) -> Path:
    """The object of a source with a section for each function, made once."""
    built = folder / f"{source.parent.name}-{source.stem}.o"
    command = [*toolchain.command_for(source), *_SECTIONS, "-c", str(source), "-o"]
    return rebuildable.made(built, lambda partial: toolchain.compile_by([*command, partial], built))


def _linked(toolchain: Toolchain, source: Path, text: str, objects: Sequence[Path]) -> Path:
    """A program of a text, compiled as the source is, and of what it needs."""
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    written, built, image = (
        toolchain.images / f"{name}{ending}" for ending in (".c", ".o", ".elf")
    )
    written.write_text(text, "utf-8")
    command = [*toolchain.command_for(source), *_SECTIONS, f"-I{source.parent}"]
    toolchain.compile_by([*command, "-c", str(written), "-o", built], built)
    toolchain.link_alone(image, [built, *objects], _ALONE)
    return image


def _flash_of(toolchain: Toolchain, image: Path) -> int:
    """Bytes of code and constants, without those of the entry."""
    prefix = toolchain.target.prefix
    sections = object_files.sections_of(prefix, image)
    entry = sum(
        it.size for it in object_files.symbols_of(prefix, image) if it.name == "flash_entry"
    )
    if not entry:
        raise WorkError(f"{image.name} has no entry")
    return sum(size for name, size in sections if _COUNTED.match(name)) - entry
