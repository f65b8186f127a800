"""What people paste of openssl speed: options, several commands, engines, other text around it.

The texts are made up in the forms of apps/speed.c.
"""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermark.errors import UsageError
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.workload import rows as rows_of
from ciphermark.workload import rows_table
from ciphermark.workloads.imported.beside import beside, commands
from ciphermark.workloads.imported.readers.openssl_loops import loop_name
from ciphermark.workloads.imported.rows import imported_rows
from imports_example import imported_runs
from synthetic import synthetic_cases, synthetic_run

Rates = dict[tuple[str, str, int], float]


def runs_of(text: str | bytes, **wishes: object) -> list[Run]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "paste.txt"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return imported_runs(path, **wishes)


def run_of(text: str | bytes, **wishes: object) -> Run:
    (run,) = runs_of(text, **wishes)
    return run


def rates(run: Run) -> Rates:
    """Returns MB/s by algorithm, operation and size."""
    return {
        (it.algorithm, it.operation, it.message_bytes): pytest.approx(it.mbytes_per_second)
        for it in imported_rows(run)
    }


TABLE = """type             16 bytes   1024 bytes
AES-256-GCM      70000.00k   900000.00k
"""
PLAIN = {("aes-256-gcm", "seal", 16): 70, ("aes-256-gcm", "seal", 1024): 900}


@pytest.mark.parametrize(
    "around",
    [
        "{}",
        "Here is mine:\n\n{}\nAny idea?\n",
        "root@OpenWrt:~# openssl speed -elapsed -evp aes-256-gcm\n{}root@OpenWrt:~# \n",
        "[me@box ~]$ openssl speed -evp aes-256-gcm\n{}[me@box ~]$ exit\n",
        "```\n{}```\n\nreal\t0m18.037s\nuser\t0m17.990s\nsys\t0m0.020s\n",
        "EAL: Detected 4 lcore(s)\n[    0.000000] Linux version 6.1.0\n{}\n",
        "$ time taskset -c 2 /usr/bin/openssl speed -evp aes-256-gcm 2>/dev/null\n{}",
        "{}This is with kernel version 6",
        "{}                  sign    verify    sign/s verify/s\n"
        "rsa 2048 bits 0.000530s 0.000015s   1886.8  66666.7\n",
    ],
)
def test_other_text_is_passed_over(around: str) -> None:
    assert rates(run_of(around.format(TABLE))) == PLAIN


@pytest.mark.parametrize(
    "copied",
    [
        lambda text: "".join(f"# {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"    {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"> > {line}\n" for line in text.splitlines()),
        lambda text: "".join(f"2026-03-01T10:00:00.1Z {line}\n" for line in text.splitlines()),
        lambda text: "I see\n" + "".join(f"> {line}\n" for line in text.splitlines()) + "Why?\n",
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("   1024", "\n 1024").replace("   9000", "\n9000"),
        lambda text: "|" + re.sub(r"  +", " | ", text.strip()).replace("\n", "|\n|") + "|\n",
        lambda text: text.replace(".00k", ",00k"),
        lambda text: text.replace("70000", "\x1b[1m70000").replace("16 bytes", "16 bytes\x1b[0m"),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode("utf-16"),
        lambda text: text.rstrip(),
    ],
)
def test_marks_of_copying_are_removed(copied) -> None:
    assert rates(run_of(copied(TABLE))) == PLAIN


ENGINE = """alix:~# openssl speed -evp aes-192-cbc -engine padlock
engine "padlock" set.
Doing aes-192-cbc for 3s on 16 size blocks: 150000 aes-192-cbc's in 0.20s
Doing aes-192-cbc for 3s on 8192 size blocks: 9000 aes-192-cbc's in 0.00s
OpenSSL 0.9.8k 25 Mar 2009
The 'numbers' are in 1000s of bytes per second processed.
type             16 bytes   8192 bytes
aes-192-cbc      12000.00k 73728000.00k
"""
BY_WALL = {("aes-192-cbc", "encrypt", 16): 0.8, ("aes-192-cbc", "encrypt", 8192): 24.576}


@pytest.mark.parametrize("text", [ENGINE, ENGINE[ENGINE.index("Doing") :]])
def test_cpu_time_near_zero_gives_way_to_counts_over_wall_time(text: str) -> None:
    run = run_of(text)
    assert rates(run) == BY_WALL
    assert run.origin.divisor == "wall-time"
    named = text is ENGINE
    least = 90 if named else 25
    assert (
        f"aes-192-cbc by counts over wall time, since CPU time was less than {least} % of it"
        in run.context.notes[0]
    )
    assert ('with the engine "padlock"' in run.context.notes[0]) == named
    assert {it.backend for it in imported_rows(run)} == {"padlock" if named else "unknown"}


def test_a_table_that_is_not_of_its_counts_gives_way_to_them() -> None:
    run = run_of(
        "Doing md5 for 3s on 16 size blocks: 6000000 md5's in 2.99s\n"
        "type             16 bytes\nmd5             500000.00k\n"
    )
    assert rates(run) == {("md5", "digest", 16): 32}
    assert "the table does not agree with the counts" in run.context.notes[0]


def test_an_engine_that_cannot_be_loaded_did_no_work() -> None:
    text = ENGINE.replace('engine "padlock" set.', 'Invalid engine "padlock"')
    assert 'engine "padlock"' not in run_of(text).context.notes[0]


def test_an_engine_without_counts_is_marked() -> None:
    run = run_of("$ openssl speed -engine afalg -evp aes-256-gcm\n" + TABLE)
    assert "user CPU time leaves out the work of an engine" in run.context.notes[0]
    assert (
        not run_of("$ openssl speed -engine afalg -elapsed -evp aes-256-gcm\n" + TABLE)
        .context.notes[0]
        .count("CPU time")
    )


COUNTS = st.lists(st.tuples(st.integers(1, 10**9), st.integers(100, 400)), min_size=1, max_size=6)


@given(cells=COUNTS, later=st.booleans(), machine=st.booleans(), table=st.booleans())
@settings(deadline=None)
def test_a_rate_is_its_count_within_the_rounding_of_the_table(
    cells: list[tuple[int, int]], later: bool, machine: bool, table: bool
) -> None:
    """Counts, hundredths of seconds; the forms of all versions, with a table and without."""
    sizes = [16 << (2 * place) for place in range(len(cells))]
    exact = [n * size / (t / 100) for size, (n, t) in zip(sizes, cells, strict=True)]
    lines = []
    for size, (count, time) in zip(sizes, cells, strict=True):
        if machine:
            lines += [f"+DT:md5:3:{size}", f"+R:{count}:md5:{time / 100:.6f}"]
        elif later:
            lines += [
                f"Doing md5 ops for 3s on {size} size blocks: {count} md5 ops in {time / 100:.2f}s"
            ]
        else:
            lines += [f"Doing md5 for 3s on {size} size blocks: {count} md5's in {time / 100:.2f}s"]
    if table and machine:
        lines += ["+H:" + ":".join(map(str, sizes))]
        lines += ["+F:3:md5:" + ":".join(f"{rate:.2f}" for rate in exact)]
    elif table:
        lines += ["type        " + "".join(f"{size:7d} bytes" for size in sizes)]
        shown = [f" {r / 1e3:11.2f}k" if r > 10000 else f" {r:11.2f} " for r in exact]
        lines += [f"{'md5':<13}" + "".join(shown)]
    found = {
        it.message_bytes: it.mbytes_per_second
        for it in imported_rows(run_of("\n".join(lines) + "\n"))
    }
    for size, rate in zip(sizes, exact, strict=True):
        rounding = 0.0051 if machine or rate <= 10000 else 5.1
        assert abs(found[size] * 1e6 - rate) <= rounding + 1e-9 * rate


@pytest.mark.parametrize(
    ("command", "operation", "divisor"),
    [
        ("$ openssl speed -evp aes-256-gcm -decrypt -elapsed", "open", "wall-time"),
        ("# openssl speed -decrypt -evp aes-256-gcm", "open", "cpu-time"),
        ("C:\\ssl> openssl.exe speed -evp aes-256-gcm", "seal", "cpu-time"),
        ("% env OPENSSL_ia32cap=:0 nice -n -5 openssl speed --elapsed -evp x", "seal", "wall-time"),
        ("➜  ~ openssl speed -evp aes-256-gcm", "seal", "cpu-time"),
        ("$ sudo -u root nice -n 19 openssl speed -elapsed -evp aes-256-gcm", "seal", "wall-time"),
        ("+ /opt/ssl/bin/openssl speed -evp aes-256-gcm", "seal", "cpu-time"),
        ("### openssl speed -evp aes-256-gcm -elapsed", "seal", "wall-time"),
        ("x-4.2# A=/lib && /opt/bin/openssl  speed -evp aes-256-gcm", "seal", "cpu-time"),
        ("$ openssl speed -seconds $(cat s | tail -1) -elapsed -evp x | tail", "seal", "wall-time"),
    ],
)
def test_the_options_of_the_command_line_hold(command: str, operation: str, divisor: str) -> None:
    run = run_of(f"{command}\n{TABLE}")
    assert {it.operation for it in imported_rows(run)} == {operation}
    assert run.origin.divisor == divisor
    assert " speed -" in run.origin.tool_command
    assert not any("-decrypt was given" in note for note in run.context.notes)


def test_decrypt_is_of_evp_and_version_of_the_whole_file() -> None:
    run = run_of(
        "$ openssl speed -decrypt -evp aes-256-gcm aes-128-cbc\n"
        f"{TABLE}aes-128-cbc      70000.00k   900000.00k\n$ openssl version\n"
        "OpenSSL 3.0.2 15 Mar 2022 (Library: OpenSSL 3.0.2 15 Mar 2022)\n"
    )
    assert {it.algorithm: it.operation for it in imported_rows(run)} == {
        "aes-256-gcm": "open",
        "aes-128-cbc": "encrypt",
    }
    assert run.origin.timed["AES-256-GCM"] == "update"


MULTI = """Forked child 0
+DT:aes-128-gcm:3:16
Forked child 1
+DT:aes-128-gcm:3:16
Forked child 2
+DT:aes-128-gcm:3:16
+R:100:aes-128-gcm:3.000000
+R:101:aes-128-gcm:3.000000
+R:102:aes-128-gcm:3.000000
Got: +H:16 from 0
Got: +F:22:aes-128-gcm:1000000.00 from 0
Got: +F:22:aes-128-gcm:1000000.00 from 1
Got: +F:22:aes-128-gcm:1000000.00 from 2
"""


@pytest.mark.parametrize(
    "table", ["type             16 bytes\nevp              3000.00k\n", "+H:16\n+F:22:evp:3e\n"]
)
def test_processes_are_counted(table: str) -> None:
    run = run_of(MULTI + table.replace("3e", "3000000.00"))
    (row,) = imported_rows(run)
    assert (row.algorithm, row.lanes) == ("aes-128-gcm", 3)
    assert row.mbytes_per_second == pytest.approx(3)
    assert run.origin.processes == 3
    assert "rates of 3 processes at once (-multi), not of one core" in run.context.notes[0]


def test_multi_of_the_command_line() -> None:
    run = run_of("$ openssl speed -multi 4 -evp aes-256-gcm 2>/dev/null\n" + TABLE)
    assert run.origin.processes == 4
    assert {it.lanes for it in imported_rows(run)} == {4}


def test_clusters_are_runs_of_their_own() -> None:
    sizes = "type             16 bytes   1024 bytes\n"
    named = runs_of(
        "OpenSSL 1.1.1k, built on 25 Mar 2021\n"
        + sizes
        + "aes-128-cbc      30000.00k    40000.00k (Cortex-A53)\n"
        + "aes-128-cbc      90000.00k   120000.00k (Cortex-A72)\n"
        + "aes-256-cbc      21000.00k    30000.00k (Cortex-A53)\n"
        + "aes-256-cbc      61000.00k    90000.00k (Cortex-A72)\n"
    )
    assert [it.context.cpu_name for it in named] == ["Cortex-A53", "Cortex-A72"]
    assert rates(named[1])["aes-256-cbc", "encrypt", 1024] == 90
    assert all(it.origin.tool_version.startswith("OpenSSL 1.1.1k") for it in named)
    assert runs_of(f"OpenSSL 3.4.1:\n\n{TABLE}")[0].origin.tool_version == "OpenSSL 3.4.1"
    plain = runs_of(
        sizes + "aes-128-cbc      30000.00k    40000.00k\naes-128-cbc      90000.00k   120000.00k\n"
    )
    assert [it.origin.part for it in plain] == ["table 1", "table 2"]
    assert [rates(it)["aes-128-cbc", "encrypt", 16] for it in plain] == [30, 90]


def test_sizes_of_several_commands_merge() -> None:
    def pasted(size: int, rate: int) -> str:
        return (
            f"version: 3.2.1\ntype{size:15d} bytes\nAES-128-CTR  {rate}.00k\n"
            f"version: 3.2.1\ntype{size:15d} bytes\nAES-256-CTR  {rate // 2}.00k\n"
        )

    run = run_of(pasted(64, 2000) + pasted(256, 3000))
    assert rates(run) == {
        ("aes-128-ctr", "encrypt", 64): 2,
        ("aes-256-ctr", "encrypt", 64): 1,
        ("aes-128-ctr", "encrypt", 256): 3,
        ("aes-256-ctr", "encrypt", 256): 1.5,
    }
    assert len(runs_of(2 * pasted(64, 2000))) == 2


def test_sizes_hold_for_the_commands_below_them() -> None:
    sizes, *rows = TABLE.splitlines()
    text = f"{sizes}\n\nopenssl speed -evp aes-256-gcm (first):\n{rows[0]}\n"
    assert rates(run_of(text)) == PLAIN
    with pytest.raises(UsageError, match="line 4: has figures above which"):
        runs_of(text.replace("256-gcm", "256-gcm -aead"))


def test_words_before_a_name_set_it_apart() -> None:
    sizes = TABLE.splitlines()[0]
    found = runs_of(f"{sizes}\nSW aes-128-cbc 20000.00k 30000.00k\nHW aes-128-cbc 90.00k 900.00k\n")
    assert [it.origin.part for it in found] == ["SW", "HW"]
    assert rates(found[1])["aes-128-cbc", "encrypt", 1024] == 0.9


def test_commands_merge_where_nothing_speaks_against_it() -> None:
    def pasted(function: str, version: str, elapsed: str) -> str:
        return (
            f"$ openssl speed {elapsed} -evp {function}\nversion: {version}\n"
            f"type             16 bytes\n{function}      2000.00k\n\n"
        )

    one, other = pasted("aes-128-gcm", "3.2.1", ""), pasted("chacha20-poly1305", "3.2.1", "")
    run = run_of(one + other)
    assert len(run.cases) == 2
    assert run.origin.tool_command.count("openssl speed") == 2
    assert len(runs_of(one + one)) == 2
    assert len(runs_of(one + pasted("chacha20-poly1305", "3.4.0", ""))) == 2
    assert len(runs_of(one + pasted("chacha20-poly1305", "3.2.1", "-elapsed"))) == 2


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        *(("aes-128 cbc", "aes-128-cbc"), ("id-aes256-GCM", "aes-256-gcm")),
        *(("hmac(md5)", "hmac-md5"), ("hmac(sha256)", "hmac-sha256"), ("rmd160", "ripemd160")),
        *(("cmac(aes-128-cbc)", "cmac-aes-128"), ("CMAC(AES-256-CBC)", "cmac-aes-256")),
        *(("sha3-256", "sha3-256"), ("SHA2-512", "sha512"), ("SHA2-512/256", "sha512-256")),
        *(("chacha20 poly1305", "chacha20-poly1305"), ("ChaCha20", "chacha20")),
        *(("camellia-256 cbc", "camellia-256-cbc"), ("rc4", "rc4-128"), ("SM4-CBC", "sm4-cbc")),
        *(("AES-128-XTS", "aes-128-xts"), ("aes-256-xts", "aes-256-xts")),
        *(("aes-256 gcm", "aes-256-gcm"), ("BLAKE2b512", "blake2b-512"), ("kmac128", "kmac128")),
        *(("rc5-32/12 cbc", "rc5-32-12-16-cbc"), ("BLAKE2s256", "blake2s-256")),
    ],
)
def test_spellings_of_all_versions(printed: str, name: str) -> None:
    run = run_of(f"type             16 bytes\n{printed:<13}    2000.00k\n")
    assert [it.algorithm for it in imported_rows(run)] == [name]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TABLE.replace("   900000.00k", ""), "line 2: has 1 figures and the table 2 sizes"),
        (TABLE[:-6], "line 2: has no end, so a digit may be lost"),
        (TABLE.splitlines()[1] + "\nDoing x for 3s on 16 size blocks: \n", "line 1: has figures"),
        (TABLE.splitlines()[0] + "\n", "ends the file before there is a figure"),
        (TABLE.replace("900000.00k", "900000.00"), "line 2: has 900000.00, which has lost its k"),
        (TABLE.replace("70000.00k", "7,000.00k"), "line 2: has '7,000.00', whose comma may part"),
    ],
)
def test_what_cannot_be_right_is_refused_with_its_line(text: str, said: str) -> None:
    with pytest.raises(UsageError) as raised:
        runs_of(text)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("version", "keyed"),
    [
        *(("1.1.1f", False), ("3.0.2", False), ("3.0.15", False), ("3.0.16", True)),
        *(("3.1.7", False), ("3.1.8", True), ("3.2.3", False), ("3.2.4", True)),
        *(("3.3.2", False), ("3.3.3", True), ("3.4.0", False), ("3.4.1", True)),
        *(("3.5.0", True), ("3.6.2", True), ("4.0.0", True)),
    ],
)
def test_the_loop_of_a_version_is_named(version: str, keyed: bool) -> None:
    run = run_of(
        f"version: {version}\n{TABLE}ChaCha20-Poly1305  2000.00k  3000.00k\n"
        "AES-128-CBC  2000.00k  3000.00k\nsha256  2000.00k  3000.00k\n"
    )
    assert run.origin.timed == {
        "AES-256-GCM": "keyed" if keyed else "update",
        "ChaCha20-Poly1305": "update",
        "AES-128-CBC": "update",
        "sha256": "message",
    }
    told = "key, nonce, data and tag" if keyed else "the data alone"
    assert any("AES-256-GCM" in it and told in it for it in run.context.notes)


@pytest.mark.parametrize(
    ("said", "version", "aead", "loop"),
    [
        ("aes-128-gcm", "OpenSSL 1.0.2k-fips  26 Jan 2017", True, "update"),
        ("aes-128-gcm", "OpenSSL 1.1.1w  11 Sep 2023", True, "sealed"),
        ("ChaCha20-Poly1305", "OpenSSL 3.0.2", True, "sealed"),
        ("ChaCha20-Poly1305", "OpenSSL 3.5.0", True, "update"),
        ("AES-128-CCM", "OpenSSL 3.0.2", False, "update"),
        ("AES-128-CCM", "OpenSSL 3.0.16", False, "keyed"),
        ("AES-128-GCM", "", False, "unknown"),
        ("aes-128 cbc", "OpenSSL 1.1.1f  31 Mar 2020", False, "low-level"),
        ("aes-128-cbc", "", False, "update"),
        ("hmac(md5)", "", False, "message"),
        ("aes-256-gcm", "LibreSSL 3.8.2", False, "update"),
        ("aes-256 gcm", "LibreSSL 3.8.2", False, "unknown"),
        ("AES-256-XTS", "OpenSSL 3.0.2", False, "update"),
    ],
)
def test_loops_by_function(said: str, version: str, aead: bool, loop: str) -> None:
    assert loop_name(said, version, aead) == loop


def test_figures_stand_beside_those_of_this_machine(tmp_path, monkeypatch) -> None:
    cases = synthetic_cases(["aes-256-gcm", "aes-128-gcm"], ["openssl"], sizes=(64, 1024))
    cases = [it for it in cases if it.operation == "seal"]
    rekeyed = [msgspec.structs.replace(it, pattern="rekeyed") for it in cases]
    chunked = [
        msgspec.structs.replace(it, pattern="incremental", chunk_bytes=64, message_bytes=1024)
        for it in cases
        if it.message_bytes == 1024
    ]
    for number, case in enumerate(every := [*cases, *rekeyed, *chunked]):
        case.case = number
    measured = synthetic_run(every)
    store = Store(tmp_path)
    store.save(measured, rows_table(rows_of(measured), "single"))
    monkeypatch.setattr("ciphermark.run.here.machine_id", lambda: measured.context.machine_id)
    speeds = {
        (it.pattern, it.chunk_bytes or it.message_bytes): it.mbytes_per_second
        for it in rows_of(measured)
        if it.algorithm == cases[0].algorithm
    }
    name = cases[0].algorithm
    table = f"type  64 bytes 1024 bytes\n{name.upper()}  2000.00k  3000.00k\n"
    for version, pattern in (("3.0.15", "incremental"), ("3.5.0", "rekeyed")):
        run = run_of(f"version: {version}\n{table}")
        small, large = beside(run, imported_rows(run), store)
        assert (small.theirs, large.theirs) == (pytest.approx(2), pytest.approx(3))
        assert small.here_by_whole_messages == speeds["reused-key", 64]
        assert small.here_by_same_calls == speeds[pattern, 64]
        assert large.here_by_same_calls == speeds.get((pattern, 1024))
    run = run_of(f"version: 3.0.15\n{table}")
    assert list(commands(beside(run, imported_rows(run), store)[1:])) == [
        f"ciphermark survey --providers openssl --algorithms {name} --operations seal "
        "--sizes 16384 --pattern incremental --chunk 1024"
    ]
