"""Checks the words of docstrings and comments in Python, Rust and C: `make check`.

`tools/words.toml` has the number of faults that each file may still have; a file that is not in it
may have none. `tools/check_words.py FILE...` lists the faults of files, and `--lower` writes the
numbers of today where these are smaller.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
BASELINE = Path(__file__).with_name("words.toml")
FOLDERS = ("python", "tools", "tests", "benchmarks", "engine", "crates", "kernels", "algorithms")
ENDINGS = {".py", ".rs", ".c", ".h"}
GENERATED = re.compile(r"^# Generated|^// Generated|DO NOT EDIT", re.MULTILINE)

MOST_WORDS = 15
"""Most words in the first sentence of a function's docstring."""

BEGINNINGS = re.compile(
    r"(?i)(as|by|how|if|in|more|none|of|on|so|that|the same|those|to|what|whether|where|which|who)"
    r"\b"
)
"""First words that are neither a verb nor a noun."""

NO_VERBS = {"always", "analysis", "basis", "bytes", "does", "has", "is", "its", "this", "us", "was"}
"""Words with an s at their end that do not begin the docstring of a function."""

NO_NOUN = re.compile(
    r"(?i)\b(?:(?:of|by|to|from|in|with|for|on|and|or|is|are|as|than|say|says|know|knows)"
    r" (?:what|who)"
    r"|what (?:is|are|was|it|they|one|there|a|the|makes|does|has|had|can|must|may)|who(?:ever)? )\b"
)
"""Words in place of a noun."""

PEOPLE = re.compile(
    r"(?i)\b(?:nobody|speaks of|spoken of|is told|are told|asks for its|knows its)\b"
)
"""Metaphors of people."""

NAMES = {"ends", "found", "told", "way", "working"}
"""Names of variables that do not say what they hold."""


def faults(path: Path, text: str) -> Iterator[tuple[int, str]]:
    """Yields the lines with faults, and the faults."""
    if GENERATED.search(text[:400]):
        return
    if path.suffix == ".py":
        yield from _of_python(ast.parse(text))
        comments = ((n, line.partition("# ")[2]) for n, line in _lines(text, r"^\s*# "))
    else:
        comments = (
            (n, re.sub(r"^\s*(///?|//!|/?\*+/?)\s?", "", line)) for n, line in _lines(text, _DOC)
        )
    for number, words in comments:
        yield from ((number, it) for it in _of_words(words))


_DOC = r"^\s*(///?|//!|/\*\*?|\*) "


def _lines(text: str, begins: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(begins, line):
            yield number, line


def _of_words(text: str) -> Iterator[str]:
    for match in NO_NOUN.finditer(text):
        yield f"'{match[0].strip()}' in place of a noun"
    for match in PEOPLE.finditer(text):
        yield f"'{match[0]}' of things that are no people"


def _of_python(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from _of_docstring(node, _is_verb)
            case ast.ClassDef() | ast.Module():
                yield from _of_docstring(node, _is_noun)
            case ast.Name(ctx=ast.Store(), id=name) if name in NAMES:
                yield node.lineno, f"'{name}' does not say what it holds"
        for text in _constants(node):
            yield from ((text.lineno, it) for it in _of_text(str(text.value), _is_noun))


def _constants(node: ast.AST) -> Iterator[ast.Constant]:
    """Yields the docstrings of constants and fields, which stand below them."""
    body = getattr(node, "body", None)
    if not isinstance(body, list):
        return
    for before, after in zip(body, body[1:], strict=False):
        if isinstance(before, ast.Assign | ast.AnnAssign):
            match after:
                case ast.Expr(value=ast.Constant(value=str()) as text):
                    yield text


def _of_docstring(
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
    begins_well: Callable[[str, str], bool],
) -> Iterator[tuple[int, str]]:
    if text := ast.get_docstring(node):
        line = node.body[0].lineno
        yield from ((line, it) for it in _of_text(text, begins_well))


def _of_text(text: str, begins_well: Callable[[str, str], bool]) -> Iterator[str]:
    first = " ".join(text.split("\n\n")[0].split())
    sentence = re.split(r"(?<=[.:;])\s", first)[0]
    if not begins_well(first.split(" ")[0], first):
        yield f"begins with '{first.split(' ')[0]}'"
    if len(sentence.split()) > MOST_WORDS and begins_well is _is_verb:
        yield f"{len(sentence.split())} words in the first sentence"
    yield from _of_words(" ".join(text.split()))


def _is_verb(word: str, text: str) -> bool:
    if text.startswith("`"):
        return True
    plain = word.strip(".,:;").lower()
    return plain.endswith("s") and plain not in NO_VERBS


def _is_noun(word: str, text: str) -> bool:
    return not BEGINNINGS.match(text)


def tracked() -> list[Path]:
    """Returns the files whose words are checked."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", *FOLDERS],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    names = dict.fromkeys(listed.stdout.splitlines())
    paths = (ROOT / name for name in names if Path(name).suffix in ENDINGS)
    return [path for path in paths if path.is_file()]


def main(arguments: list[str]) -> int:
    """Lists faults of files, or compares their numbers with the baseline."""
    if arguments and arguments != ["--lower"]:
        for path in map(Path, arguments):
            for line, fault in sorted(faults(path, path.read_text("utf-8"))):
                print(f"{path}:{line}: {fault}")
        return 0
    known: dict[str, int] = tomllib.loads(BASELINE.read_text("utf-8")) if BASELINE.exists() else {}
    now = {
        str(path.relative_to(ROOT)): sum(
            1 for _ in faults(path, path.read_text("utf-8", "replace"))
        )
        for path in tracked()
    }
    worse = {name: count for name, count in now.items() if count > known.get(name, 0)}
    if arguments:
        kept = {
            name: min(count, known.get(name, 0 if known else count)) for name, count in now.items()
        }
        lines = [f'"{name}" = {count}' for name, count in sorted(kept.items()) if count]
        BASELINE.write_text("\n".join([_HEAD, *lines, ""]), "utf-8")
        return 0
    for name, count in worse.items():
        print(f"{name}: {count} faults, {known.get(name, 0)} were allowed:")
        for line, fault in sorted(faults(ROOT / name, (ROOT / name).read_text("utf-8"))):
            print(f"  {line}: {fault}")
    return 1 if worse else 0


_HEAD = "# Faults that each file may still have (tools/check_words.py). A commit lowers them."

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
