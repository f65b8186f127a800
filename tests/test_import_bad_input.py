"""Files that are cut, of another locale, or no output: one line, and nothing half-imported."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermark.errors import UsageError
from ciphermark.record import tables
from ciphermark.record.run import Run
from ciphermark.workload import rows, rows_table
from ciphermark.workloads.imported.readers.formats import find
from imports_example import FILES, TSC_HZ, imported_run, imported_runs, text_of


@pytest.fixture
def refused(tmp_path: Path):
    """The sentence with which a text is refused."""

    def refuse(content: str | bytes, **wishes: object) -> str:
        path = tmp_path / "file"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        with pytest.raises(UsageError) as raised:
            imported_runs(path, **wishes)
        (line,) = str(raised.value).splitlines()
        assert str(path) in line
        return line.replace(str(path), "FILE")

    return refuse


def figures(run: Run) -> list[tuple[object, ...]]:
    """What a run says, case by case."""
    return [
        (it.case.algorithm, it.case.operation, it.case.message_bytes, it.case.lanes, *_values(of))
        for it, of in zip(run.cases, run.imported, strict=True)
    ]


def _values(figure) -> tuple[object, ...]:
    return (figure.line, figure.ns_per_message, figure.ns_per_byte, figure.core_cycles_per_message)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_a_cut_file_is_refused_or_says_what_it_said_whole(name: str, data: st.DataObject) -> None:
    """No figure of what is left may be another than it was; `bench-slope.csv` is cut between lines
    and SUPERCOP's medians of fewer loops are of fewer figures. Counts of openssl speed, without its
    table, are rounded."""
    whole = text_of(name).encode()
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(cut)
        try:
            run = imported_run(path)
        except UsageError as error:
            assert len(str(error).splitlines()) == 1
            return
    known = figures(imported_run(name))
    if name.startswith("openssl"):
        rates = {it[:4]: it[5] for it in known}
        assert all(rates[it[:4]] == pytest.approx(it[5], rel=0.011) for it in figures(run))
        return
    if name == "supercop.txt":
        known = [it[:4] for it in known]
        assert [it[:4] for it in figures(run)] == known[: len(run.cases)]
    else:
        assert figures(run) == known[: len(run.cases)]


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
@settings(deadline=None, max_examples=20)
@given(
    position=st.integers(0, 10_000),
    changed=st.binary(min_size=1, max_size=3),
)
def test_a_damaged_file_is_read_or_refused_in_one_line(
    name: str, position: int, changed: bytes
) -> None:
    whole = text_of(name).encode()
    at = position % len(whole)
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(whole[:at] + changed + whole[at + len(changed) :])
        try:
            runs = imported_runs(path)
        except UsageError as error:
            assert len(str(error).splitlines()) == 1
        else:
            assert all(len(run.cases) == len(run.imported) > 0 for run in runs)


@settings(deadline=None)
@given(content=st.binary(max_size=300))
def test_junk_is_refused(content: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        with pytest.raises(UsageError):
            imported_runs(path)


def test_an_empty_file(refused) -> None:
    assert "FILE, line 1: is of none of the programs" in refused("")
    assert "there is nothing in it" in refused("\n", format=find("cryptsetup"))
    assert "there is nothing in it" in refused("", format=find("botan"))


def test_no_text(refused) -> None:
    assert refused(b"ab\n\xff\xfe") == "FILE, line 2: is no text (byte 0xff); nothing was imported"
    assert "line 1: is no text (byte 0x00)" in refused(b"a\0b\n")


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="No such file"):
        imported_run(Path("/nowhere/file"))


@pytest.mark.parametrize("name", ["openssl-1.1.1.txt", "openssl-3.0-mr.txt"])
def test_a_last_line_without_end_may_be_cut(refused, tmp_path: Path, name: str) -> None:
    text = text_of(name).rstrip("\n")
    path = tmp_path / "whole"
    path.write_text(text)
    assert figures(imported_run(path)) == figures(imported_run(name))
    for lost in (1, 2, 3):
        said = refused(text[:-lost])
        assert "has no end, so a digit may be lost; if it is whole, end it with a line" in said


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("openssl-1.1.1.txt", "106865.63k", "106865,63k"),
        ("openssl-0.9.8.txt", "in 2.99s", "in 2,99s"),
        ("cryptsetup.txt", "1105.1 MiB", "1105,1 MiB"),
        ("bench-slope.txt", "0.500 ns", "0,500 ns"),
    ],
)
def test_a_decimal_comma_is_a_point(tmp_path: Path, name: str, old: str, new: str) -> None:
    path = tmp_path / name
    assert old in text_of(name)
    path.write_text(text_of(name).replace(old, new))
    assert figures(imported_run(path)) == figures(imported_run(name))


def test_a_comma_that_may_part_thousands_is_refused(refused) -> None:
    said = refused(text_of("ipsec-mb.txt").replace("\t110\t", "\t1,105\t", 1), clock_hz=1e9)
    assert "line 6: has '1,105', whose comma may part thousands or decimals" in said


@pytest.mark.parametrize(
    "name", [name for name in FILES if not name.startswith(("openssl", "supercop", "google"))]
)
def test_two_outputs_in_a_file_are_two_runs(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(2 * text_of(name))
    once, twice = imported_runs(name), imported_runs(path, clock_hz=TSC_HZ)
    assert len(twice) == 2 * len(once)
    for first, again in zip(once, twice[len(once) :], strict=True):
        assert [it[5:] for it in figures(first)] == [it[5:] for it in figures(again)]


def test_more_outputs_in_a_file_than_anyone_reads_are_refused(refused) -> None:
    said = refused(60 * text_of("cryptsetup.txt"))
    assert "makes 60 runs, and a file may make 50: import it in pieces" in said


def test_fewer_columns_than_sizes(refused) -> None:
    text = text_of("openssl-1.1.1.txt").replace("   975978.50k", "")
    assert "line 7: has 5 figures and the table 6 sizes: it is cut" in refused(text)


def test_a_table_of_dpdk_that_names_no_algorithm(refused) -> None:
    table = text_of("dpdk.txt").partition("#lcore")
    said = refused(table[1] + table[2])
    assert "line 3: is of a table above which no algorithm is named: put the command line" in said


def test_another_test_of_dpdk(refused) -> None:
    text = text_of("dpdk.txt").replace("cperf test: throughput", "cperf test: latency")
    assert "is of the test latency: run --ptest throughput" in refused(text)


def test_a_comparison_of_ipsec_mb(refused) -> None:
    text = text_of("ipsec-mb-slope.txt").replace("INTERCEPT_A", "INTERCEPT_A SLOPE_B INTERCEPT_B")
    assert "line 1: is of a comparison or of one size" in refused(text, clock_hz=1e9)


def test_headings_of_ipsec_mb_with_a_blank_line(refused) -> None:
    text = text_of("ipsec-mb.txt").replace("CIPHER", "\nCIPHER", 1)
    assert "should end the headings" in refused(text, clock_hz=1e9)


def test_only_unknown_functions(refused) -> None:
    text = text_of("openssl-1.1.1.txt").replace("aes-128-cbc", "whirlpool  ")
    assert "none of its functions is known here (whirlpool)" in refused(text)


def test_elapsed_is_of_openssl_alone(refused) -> None:
    assert "--elapsed and --no-elapsed are of openssl speed" in refused(
        text_of("cryptsetup.txt"), elapsed=True
    )


def test_an_unknown_format_says_which_are_near() -> None:
    with pytest.raises(UsageError, match="there is no format 'openssl'; near: openssl-speed"):
        find("openssl")


def test_what_openssl_could_not_do_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "file"
    text = text_of("openssl-1.1.1.txt")
    path.write_text(
        "Doing whirlpool for 1s on 64 size blocks: whirlpool error!\n"
        "80EBDF5AFB7F0000:error:0308010C:digital envelope routines:unsupported\n"
        "Doing aes-128-cbc for 3s on 16 size blocks: 20037306 aes-128-cbc's in 3.00s\n"
        + text
        + f"whirlpool   {6 * '         0.00'}\n"
    )
    run = imported_run(path)
    assert run.origin.skipped == {"figures of 0": 6}
    assert len(run.cases) == 6


HOSTILE = [
    *("0", "1e400", "-1", "0.0000001", "1073741825", "٣", "NaN", "null", '"x"', "[" * 2000),
    *("9" * 30, "9" * 5000, str(2**63), str(2**64), "1" + "0" * 308, "0." + "0" * 40 + "1"),
]
_DIGITS = re.compile(r"\d+(?:\.\d+)?")


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_any_number_may_be_hostile(name: str, data: st.DataObject) -> None:
    """What is taken in can be analysed and stored; what is refused is one line that can be read."""
    text = text_of(name)
    place = data.draw(st.sampled_from(list(_DIGITS.finditer(text))))
    value = data.draw(st.sampled_from(HOSTILE))
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(text[: place.start()] + value + text[place.end() :], "utf-8")
        try:
            runs = imported_runs(path)
        except UsageError as error:
            assert len(str(error).splitlines()) == 1
            assert len(str(error)) < 1000
            return
        for run in runs:
            for it in run.cases:
                assert it.case.message_bytes is None or 1 <= it.case.message_bytes <= 2**30
            rows_table(rows(run), "imported")
            tables.CASE_RECORDS.table(run.cases)
            tables.IMPORTED.table(run.imported)


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("openssl-1.1.1.txt", "64 bytes", "0 bytes", "line 7: has messages of 0 bytes"),
        ("openssl-1.1.1.txt", "64 bytes", f"{'9' * 500} bytes", "line 6: has "),
        ("openssl-3.0-mr.txt", "+H:256", "+H:0", "has messages of 0 bytes"),
        ("botan-2.19.json", '"buf_size": 1024', f'"buf_size": {2**63}', "line 2"),
        ("botan-2.19.json", '"nanos": 500000000', '"nanos": 1e400', "line 2"),
        ("dpdk.txt", ",64,32,", ",1073741825,32,", "has messages of 1073741825 bytes"),
        ("dpdk.txt", ",64,32,", ",64,0,", "has 0 messages in a call"),
        ("ipsec-mb.txt", "\n64\t", f"\n{2**63}\t", "where a whole number belongs"),
        ("supercop.txt", "cycles 64 ", f"cycles {'9' * 29} ", "where a whole number belongs"),
    ],
)
def test_sizes_that_none_can_measure(refused, name: str, old: str, new: str, said: str) -> None:
    text = text_of(name)
    assert old in text
    assert said in refused(text.replace(old, new))


def test_supercop_measures_messages_of_nothing_too(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(text_of("supercop.txt").replace("cycles 64 ", "cycles 0 "))
    assert all(it.case.message_bytes for it in imported_run(path).cases)


LONG = {
    "lines of openssl": "The 'numbers' are in 1000s of bytes per second processed.\ntype 16 bytes\n"
    + "1 " * 500_000
    + "x\n",
    "blanks of openssl": "The 'numbers' are in 1000s of bytes per second processed.\n"
    f"type 16 bytes\na{' ' * 1_000_000}x\n",
    "commands of openssl": "The 'numbers' are in 1000s of bytes per second processed.\n"
    f"{'$' * 1_000_000}\n",
    "rows of openssl": "type  16 bytes\n" + "md5  20.00k\n" * 5000,
    "wrapped lines of openssl": "type  16 bytes\n" + "2.00k\n" * 500_000,
    "a name of botan": f'[{{"algo": "{" [" * 500_000}", "op": "encrypt", "events": 1, '
    '"nanos": 1, "buf_size": 16}]\n',
    "results of botan": "[" + ",\n".join(['{"algo": "x", "op": "encrypt"}'] * 50_000) + "]\n",
    "nested results of botan": '[{"algo":' + "[" * 1_000_000 + "\n",
    "lines": "\n" * 3_000_000,
    "lines of signs": "-\n" * 400_000,
    "blanks between words": ("a" + " " * 1900 + "b: 1 MB took ns/op B/s\n") * 200,
    "digits": ("1" * 1900 + " took MB/s ns/op lcore id AES-GCM-256-\n") * 200,
    "colons": (": " * 900 + "b took B/s crypto_ oper\n") * 200,
    "tags": ("<TR" * 600 + "<TD>1 | ns/B bytes_per_second=\n") * 200,
    "digits of ipsec-mb": text_of("ipsec-mb.txt").replace("\t110\t", f"\t{'700' * 20_000}\t"),
    "blanks of ipsec-mb": f"NO ARCH CIPHER DIR HASH KEYSZ{' ' * 60_000}x{' ' * 4000}\n1 \n",
    "a table of ipsec-mb that does not begin": "NO\tARCH\t1\n" * 200_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("which", LONG)
def test_what_is_long_is_refused_or_read_in_time_that_grows_with_it(refused, which: str) -> None:
    """Quadratic searches would take minutes here."""
    assert len(refused(LONG[which])) < 1000


@pytest.mark.parametrize("mark", ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x85", "\u2028"])
def test_lines_are_counted_as_they_are_split(refused, mark: str) -> None:
    assert "has 1,000,001 lines, and at most 1,000,000 are read" in refused(mark * 1_000_001)


def test_botan_finds_its_lines_in_one_pass() -> None:
    text = '[{"algo": "a{b", "op": "}"},\n\n{"algo": "AES-128",\n "op": "encrypt", "buf_size": 16, '
    text += '"events": 160, "nanos": 10}]\n'
    (reading,) = find("botan").read(text, None)
    assert [it.line for it in reading.figures] == [3]
