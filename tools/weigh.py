"""How heavy the workbench is: lines of code and files of each package, and of what lies beside.

    python tools/weigh.py [REVISION]
    python tools/weigh.py --kinds
    python tools/weigh.py --ceilings

With a revision the table has both: that revision's lines and those of the working tree. A line of
code has something on it beside comments and docstrings. Generated types are counted apart. With
--kinds the lines of the working tree's packages are told by what stands on them, each line once, as
the first of these kinds that it has. With --ceilings no package may be heavier than
tools/ceilings.toml allows, and a ceiling that rose needs a new reason.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tarfile
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CEILINGS = "tools/ceilings.toml"
PACKAGE = PurePosixPath("python/ciphermark")
GENERATED = {"contract/__init__.py", "record/contract.py"}
TEMPLATES = "templates of the workbench"
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


KINDS = ("imports", "options", "fields", "signatures", "texts", "dicts", "constants", "statements")


def main() -> None:
    if sys.argv[1:] == ["--kinds"]:
        print_kinds()
        return
    if sys.argv[1:] == ["--ceilings"]:
        ceilings = tomllib.loads((ROOT / CEILINGS).read_text("utf-8"))
        faults = [*over(ceilings, *weigh(files_of(None)))]
        for revision in git("log", "-2", "--format=%H", "--", CEILINGS).split():
            faults += raised(ceilings, tomllib.loads(git("show", f"{revision}:{CEILINGS}")))
        sys.exit("\n".join(dict.fromkeys(faults)) or 0)
    revisions = sys.argv[1:2]
    weights = [weigh(files_of(it)) for it in (*revisions, None)]
    names = sorted({name for lines, _ in weights for name in lines})
    heads = [f"{(it or 'now')[:12]:>12}{'files':>7}" for it in (*revisions, None)]
    print(f"{'lines of code':<28}{''.join(heads)}")
    for name in names:
        cells = [f"{lines[name]:>12}{files[name]:>7}" for lines, files in weights]
        print(f"{name:<28}{''.join(cells)}")


Ceilings = dict[str, dict[str, Any]]
"""By the name of a row the most `lines` and `modules`, and `why` the ceiling last rose."""


def over(ceilings: Ceilings, lines: Counter[str], files: Counter[str]) -> Iterator[str]:
    """Yields a sentence for each row that is heavier than its ceiling, or has none."""
    heavy = [it for it in lines if it.startswith("  ") or it in ("workbench", TEMPLATES, "tests")]
    for row in sorted(heavy):
        name = row.strip()
        if name not in ceilings:
            yield f"{name} has no ceiling: write one into {CEILINGS}"
            continue
        for what, count in (("lines", lines[row]), ("modules", files[row])):
            if count > (most := ceilings[name][what]):
                yield (
                    f"{name} has {count} {what}, and its ceiling is {most}: make it lighter, or "
                    f"raise the ceiling in {CEILINGS} with a line why = '...'"
                )


def raised(ceilings: Ceilings, committed: Ceilings) -> Iterator[str]:
    """Yields a sentence for each ceiling that rose without a new reason."""
    for name, before in committed.items():
        now = ceilings.get(name, before)
        rose = [it for it in ("lines", "modules") if now[it] > before[it]]
        if rose and now.get("why") in (None, before.get("why")):
            yield f'the ceiling of {name} rose without a reason: write why = "..." beside it'


def weigh(files: Iterator[tuple[PurePosixPath, str]]) -> tuple[Counter[str], Counter[str]]:
    """Lines and files by what they belong to."""
    lines: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for path, text in files:
        for name in names_of(path):
            lines[name] += code_lines(text) if path.suffix == ".py" else filled_lines(text)
            count[name] += 1
    return lines, count


def print_kinds() -> None:
    """A line for each package, the heaviest first."""
    lines: dict[str, Counter[str]] = {}
    for path, text in files_of(None):
        for name in names_of(path):
            if name.startswith("  ") or name == "workbench":
                lines.setdefault(name, Counter()).update(kinds_of(text).values())
    print(f"{'lines of code':<14}{''.join(f'{it:>11}' for it in (*KINDS, 'all'))}")
    for name, kinds in sorted(lines.items(), key=lambda item: -item[1].total()):
        cells = [*(kinds[kind] for kind in KINDS), kinds.total()]
        print(f"{name:<14}{''.join(f'{cell:>11}' for cell in cells)}")


def kinds_of(text: str) -> dict[int, str]:
    """The kind of each line of code."""
    found = dict.fromkeys(code_places(text), "statements")
    tree = ast.parse(text)
    marks = sorted((KINDS.index(kind), first, last) for kind, first, last in places_of(tree))
    for kind, first, last in reversed(marks):
        found |= {line: KINDS[kind] for line in range(first, last + 1) if line in found}
    return found


def places_of(tree: ast.Module) -> Iterator[tuple[str, int, int]]:
    """Kinds with their first and last lines; an option may stand in a field or a signature."""
    for node in ast.walk(tree):
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
        match node:
            case ast.Import() | ast.ImportFrom():
                yield "imports", first, last
            case ast.ClassDef():
                own = [it for it in node.body if isinstance(it, ast.AnnAssign)]
                yield from (("fields", it.lineno, it.end_lineno or it.lineno) for it in own)
            case ast.Call(func=ast.Name(id="option" | "flag")):
                yield "options", first, last
            case ast.FunctionDef():
                decorated = min([first, *(it.lineno for it in node.decorator_list)])
                yield "signatures", decorated, max(first, node.body[0].lineno - 1)
            case ast.JoinedStr() | ast.Constant(value=str()) if last > first or is_long(node):
                yield "texts", first, last
            case ast.Dict() if len(node.keys) > 1:
                yield "dicts", first, last
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            yield "constants", node.lineno, node.end_lineno or node.lineno


def is_long(node: ast.expr) -> bool:
    """Whether a text is a sentence rather than a name."""
    return node.end_col_offset is not None and node.end_col_offset - node.col_offset > 27


def names_of(path: PurePosixPath) -> list[str]:
    """The rows of the table that a file counts in."""
    match path.suffix:
        case ".py" if path.is_relative_to(PACKAGE):
            within = path.relative_to(PACKAGE)
            if str(within) in GENERATED:
                return ["generated types"]
            package = within.parts[0] if len(within.parts) > 1 else "top level"
            return [f"  {package}", "workbench"]
        case ".py" if path.parts[0] in ("tests", "benchmarks", "tools"):
            return [path.parts[0]]
        case ".toml" if path.is_relative_to(PACKAGE):
            return ["TOML of the workbench"]
        case ".jinja" | ".css" | ".js" if path.is_relative_to(PACKAGE):
            return [TEMPLATES]
        case _:
            return []


def files_of(revision: str | None) -> Iterator[tuple[PurePosixPath, str]]:
    """All files with their texts, of a revision or of the working tree."""
    if revision is None:
        for name in git("ls-files").splitlines():
            path = PurePosixPath(name)
            if names_of(path) and (ROOT / path).exists():
                yield path, (ROOT / path).read_text("utf-8")
        return
    archive = subprocess.run(
        ["git", "archive", revision], cwd=ROOT, check=True, capture_output=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        for member in tar:
            path = PurePosixPath(member.name)
            if member.isfile() and names_of(path):
                file = tar.extractfile(member)
                assert file is not None, "a file has content"
                yield path, file.read().decode("utf-8")


def git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


def filled_lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


def code_lines(text: str) -> int:
    """Lines with code on them, without those of docstrings."""
    return len(code_places(text))


def code_places(text: str) -> set[int]:
    """The numbers of these lines."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                lines.difference_update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return lines


if __name__ == "__main__":
    main()
