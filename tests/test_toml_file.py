"""The one reader of TOML that people write: what it takes, and that whatever else is in a file is
refused in a sentence, within a moment."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.answers.protocols import nodes
from ciphermark.errors import UsageError
from ciphermark.files import toml_file
from ciphermark.plan import planfile, profile_file
from ciphermark.run.targets import target

DEEP = 100_000

REFUSED = {
    "lists within lists": (f"a = {'[' * DEEP}{']' * DEEP}", "line 1 nests lists and tables"),
    "lists that never end": (f"b = 1\na = {'[' * DEEP}", "line 2 nests lists and tables"),
    "tables within tables": (f"a = {'{a=' * DEEP}1{'}' * DEEP}", "nests lists and tables"),
    "a key of many parts": ("b = 1\n" + ".".join("a" * 30_000) + " = 1", "line 2 has a name of"),
    "a header of many parts": (f"[{'.'.join('a' * 30_000)}]", "line 1 has a name of"),
    "quoted parts": ("'a' . \"b\"." * 20 + "c = 1", "line 1 has a name of"),
    "tables that add up": ("[a.b.c.d.e.f.g.h.i.j]\na.b.c.d.e.f.g.h.i.j = 1", "16 deep"),
    "a number of many digits": (f"a = {'9' * 5000}", "line 1 has a number of 5000 digits"),
    "a negative number of many digits": (f"a = -{'9' * 5000}", "has a number of 500"),
    "a hexadecimal number": (f"a = 0x{'f' * 5000}", "line 1 has a number of 500"),
    "a number over 64 bits": ("[t]\na = [1, 9223372036854775808]", "t.a is a number of 19 digits"),
    "an infinite number": ("a = 1e400", "a is inf"),
    "no number": ("[t]\nb = nan", "t.b is nan"),
    "a file without an end": ('a = """', "not valid"),
    "a zero byte": ("a = 1\0", "not valid"),
    "a file that is large": ("# " + "a" * 600_000, "is 600,002 bytes long"),
}


def written(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("which", REFUSED)
def test_what_no_person_writes_is_refused_in_a_sentence(tmp_path: Path, which: str) -> None:
    text, said = REFUSED[which]
    path = written(tmp_path, text)
    with pytest.raises(UsageError) as refusal:
        toml_file.read(path, "the node")
    sentence = str(refusal.value)
    assert sentence.startswith(f"the node {path}")
    assert said in sentence
    assert len(sentence) < 500 and "\n" not in sentence


@pytest.mark.parametrize("which", REFUSED)
@pytest.mark.parametrize("reader", [planfile.read, nodes.read, profile_file.read_toml, target.read])
def test_every_kind_of_file_is_read_by_it(tmp_path: Path, which: str, reader) -> None:
    path = written(tmp_path, REFUSED[which][0])
    with pytest.raises(UsageError) as refusal:
        reader(path)
    assert str(path) in str(refusal.value)
    assert len(str(refusal.value)) < 700  # with the names of all keys


def test_what_is_no_text_or_not_there_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    with pytest.raises(UsageError, match="the plan .* cannot be read: No such file"):
        toml_file.read(path, "the plan")
    path.write_bytes(b"a = '\xff'")
    with pytest.raises(UsageError, match="the plan .* is not valid: line 1 .*UTF-8"):
        toml_file.read(path, "the plan")
    with pytest.raises(UsageError, match="the plan .* cannot be read: Is a directory"):
        toml_file.read(tmp_path, "the plan")


def test_what_never_ends_is_not_read_to_its_end() -> None:
    with pytest.raises(UsageError, match="/dev/zero"):
        toml_file.read(Path("/dev/zero"), "the plan")


def test_what_looks_like_it_in_a_text_is_taken(tmp_path: Path) -> None:
    dots, brackets, digits = ".".join("a" * 90), "[" * 90, "9" * 300
    path = written(
        tmp_path,
        f"# {dots} {brackets} {digits}\n"
        f'a = "{dots}{brackets} \\" {digits}"\n'
        f"b = '{dots}{brackets}{digits}'\n"
        f'c = """\n{dots}\n"{brackets}\n""{digits}"""\n'
        f"d = '''\n{dots}\n'{brackets}\n''{digits}'''\n"
        "e = [1.5, 2.5, 0.5, 1.25, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1]\n"
        "f = -9223372036854775808\n",
    )
    found = toml_file.read(path, "the plan")
    assert [*found] == ["a", "b", "c", "d", "e", "f"]
    assert found["c"] == f'{dots}\n"{brackets}\n""{digits}'


@pytest.mark.parametrize("kind", ["[]", "{}", "1", "[['a']]"])
def test_a_kind_of_table_that_is_no_text_is_refused(tmp_path: Path, kind: str) -> None:
    """The modulation of a radio says which fields its table has."""
    sound = nodes.NODES.files()["micaz"].read_text("utf-8")
    text = re.sub("^modulation = .*", f"modulation = {kind}", sound, flags=re.MULTILINE)
    assert text != sound
    with pytest.raises(UsageError, match="radio.modulation is "):
        nodes.read(written(tmp_path, text))


@pytest.mark.parametrize("field", ["unknown", "title"])
def test_a_long_name_is_not_echoed_whole(tmp_path: Path, field: str) -> None:
    text = f'algorithms = ["{"x" * 100_000}"]\n{"y" * 150} = 1\n{field} = 3\n'
    with pytest.raises(UsageError) as refusal:
        planfile.read(written(tmp_path, text))
    assert len(str(refusal.value)) < 700  # with the names of all keys


SIGNS = st.text(alphabet="a0.=[]{}\"'\\#,\n e-_x:T\r\0é", max_size=300)


@given(st.one_of(st.text(max_size=200), SIGNS))
def test_any_text_is_a_table_or_one_sentence(text: str) -> None:
    try:
        found = toml_file.table_of(text, "the plan mine.toml")
    except UsageError as refusal:
        assert "\n" not in str(refusal)
        assert len(str(refusal)) < 500
    else:
        assert isinstance(found, dict)
