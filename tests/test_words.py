"""The check of docstrings and comments finds planted faults, and no file gets worse."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from conftest import script

ROOT = Path(__file__).parents[1]
TOOL = ROOT / "tools" / "check_words.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    return script("tools/check_words.py")


@pytest.mark.parametrize(
    ("name", "text", "line", "fault"),
    [
        ("a.py", 'def f():\n    """Of all rows."""\n', 2, "begins with 'Of'"),
        ("a.py", f'def f():\n    """Returns {"a " * 15}row."""\n', 2, "17 words in the first"),
        ("a.py", 'class A:\n    """What it is."""\n', 2, "begins with 'What'"),
        ("a.py", 'A = 1\n"""Whether it is so."""\n', 2, "begins with 'Whether'"),
        ("a.py", "told = 1\n", 1, "'told' does not say what it holds"),
        ("a.py", "# It depends on what is left.\n", 1, "in place of a noun"),
        ("a.rs", "/// Nobody asks for it.\n", 1, "'Nobody' of things"),
        ("a.c", "/* The cost of what is left. */\n", 1, "'of what' in place of a noun"),
    ],
)
def test_a_fault_is_found_with_its_line(
    tool: ModuleType, name: str, text: str, line: int, fault: str
) -> None:
    assert any(at == line and fault in said for at, said in tool.faults(Path(name), text))


@pytest.mark.parametrize(
    "text",
    [
        'def f():\n    """Returns the rows."""\n',
        'class A:\n    """Rows of a run."""\n',
        'def f():\n    """`64 B`."""\n',
    ],
)
def test_good_words_are_free(tool: ModuleType, text: str) -> None:
    assert list(tool.faults(Path("a.py"), text)) == []


def test_no_file_has_more_faults_than_it_had() -> None:
    ended = subprocess.run([sys.executable, TOOL], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stdout
