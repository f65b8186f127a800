"""Files that the user names: lists of lengths, figures, hosts. What is no text, no number or never
ends is refused in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ciphermark.answers.models import predictions
from ciphermark.answers.models.processors import KnownProcessor
from ciphermark.errors import UsageError
from ciphermark.farm import ssh
from ciphermark.plan import profile_file
from ciphermark.run.targets.target import TARGETS
from ciphermark.workloads.imported.readers import formats

DIGITS = "9" * 5000
KNOWN_HEAD = "algorithm,operation,message_bytes,cycles\n"


def processors() -> dict[str, KnownProcessor]:
    described = next(it for it in TARGETS.all() if it.processor is not None)
    return {"mine": KnownProcessor(name="mine", title="mine", processor=described.processor)}


def known(path: Path) -> object:
    return predictions.read_figures(path, processors(), "mine")


READERS = {
    "profile": profile_file.read_csv,
    "figures": known,
    "hosts": ssh.read_hosts,
    "import": formats.content_of,
}


def refused(path: Path, reader) -> str:
    with pytest.raises(UsageError) as refusal:
        reader(path)
    sentence = str(refusal.value)
    assert len(sentence) < 1000 and "\n" not in sentence
    return sentence


@pytest.mark.parametrize("kind", READERS)
def test_what_is_not_there_or_never_ends_is_refused(kind: str, tmp_path: Path) -> None:
    assert "No such file" in refused(tmp_path / "missing", READERS[kind])
    assert "does not end" in refused(Path("/dev/zero"), READERS[kind])
    assert "cannot be read" in refused(Path("zero\0byte"), READERS[kind])


@pytest.mark.parametrize("kind", ["profile", "figures", "hosts"])
def test_what_is_no_text_is_refused_with_its_line(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_bytes(b"bytes\n\xff\n")
    assert "line 2 is no text (byte 0xff)" in refused(path, READERS[kind])


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("profile", f"bytes,weight\n{DIGITS},1\n"),
        ("profile", f"bytes,weight\n64,{DIGITS}\n"),
        ("profile", f"bytes,weight\n64{' ' * 5000}\n"),
        ("profile", f"frame.len\n{DIGITS}\n"),
        ("figures", f"{KNOWN_HEAD}sha256,digest,{DIGITS},1\n"),
        ("figures", f"{KNOWN_HEAD}sha256,digest,64,{DIGITS}\n"),
        ("figures", f"{KNOWN_HEAD}sha256,digest\n"),
        ("figures", f"{KNOWN_HEAD}sha256,digest,{DIGITS},1,5,6\n"),
        ("figures", f'{KNOWN_HEAD}sha256,digest,64,"{"9" * 200_000}"\n'),
        ("hosts", f"me@host {'x' * 5000}\n"),
        ("hosts", f"me@host 'python={'x' * 5000}\n"),
    ],
)
def test_a_number_that_none_can_be_is_refused(kind: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_text(text)
    assert str(path) in refused(path, READERS[kind])


WORDS = (
    "algorithm operation message_bytes cycles sha256 64 ² ٣ 1e400 -1 nan 0 bytes weight share 1% ; "
    "frame.len"
).split()
CELLS = st.lists(st.sampled_from([*WORDS, "", '"', "\0", "\r"]), max_size=6).map(",".join)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["profile", "figures", "hosts"])
@given(text=st.one_of(st.text(max_size=80), st.lists(CELLS, max_size=5).map("\n".join)))
def test_any_text_is_read_or_refused_in_one_sentence(
    kind: str, text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / f"any-{kind}"
    path.write_text(text, "utf-8", newline="")
    try:
        READERS[kind](path)
    except UsageError as refusal:
        assert "\n" not in str(refusal)
