"""What programs other than `openssl speed` print becomes the figures that it means."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from ciphermark.errors import UsageError
from ciphermark.record.run import Run
from ciphermark.workloads.imported.readers.names import spellings
from ciphermark.workloads.imported.rows import imported_rows
from imports_example import FILES, detected, imported_run, imported_runs, row, text_of

FORMATS = {
    "bench-slope.csv": "bench-slope",
    "bench-slope.txt": "bench-slope",
    "botan-2.19.json": "botan",
    "botan-table.txt": "botan",
    "botan.txt": "botan",
    "bssl.json": "bssl",
    "bssl.txt": "bssl",
    "criterion.json": "criterion",
    "criterion.txt": "criterion",
    "cryptopp.html": "cryptopp",
    "cryptsetup.txt": "cryptsetup",
    "dpdk-silent.txt": "dpdk",
    "dpdk.txt": "dpdk",
    "go-test.txt": "go-test",
    "gocryptfs.txt": "gocryptfs",
    "google-benchmark.json": "google-benchmark",
    "imb-speed.txt": "imb-speed",
    "ipsec-mb-1.2.txt": "ipsec-mb",
    "ipsec-mb-slope.txt": "ipsec-mb",
    "ipsec-mb.txt": "ipsec-mb",
    "mbedtls.txt": "mbedtls",
    "rust-bench.txt": "cargo-bench",
    "supercop.txt": "supercop",
    "tcrypt.txt": "tcrypt",
    "wolfcrypt.csv": "wolfcrypt",
    "wolfcrypt.txt": "wolfcrypt",
}

MIB = 2**20

NS_OF_A_MESSAGE: dict[str, dict[tuple[str, str, int], float]] = {
    "wolfcrypt.txt": {
        ("aes-128-cbc", "encrypt", MIB): 1e9 / 50,
        ("aes-128-cbc", "decrypt", MIB): 1e9 / 40,
        ("aes-256-gcm", "seal", MIB): 1e9 * 1024 / 900,
        ("chacha20", "keystream", MIB): 1e9 / 100,
        ("chacha20-poly1305", "seal", MIB): 1e9 / 60,
        ("sha1", "digest", MIB): 1e9 / 90,
        ("hmac-sha256", "mac", MIB): 1e9 / 20,
    },
    "wolfcrypt.csv": {
        ("aes-128-cbc", "encrypt", MIB): 1e9 / 200,
        ("sha3-256", "digest", MIB): 1e9 / 50,
    },
    "go-test.txt": {
        ("aes-256-gcm", "seal", 1350): 1350,
        ("aes-128-gcm", "open", 8192): 4096,
        ("sha256", "digest", 1024): 512,
        ("sha224", "digest", 8192): 4096,
        ("xchacha20-poly1305", "open", 64): 640,
    },
    "rust-bench.txt": {
        ("aes-128-gcm", "seal", 1024): 2048,
        ("sha256", "digest", 256): 512,
    },
    "bssl.txt": {
        ("aes-128-gcm", "seal", 16): 500,
        ("aes-128-gcm", "open", 1350): 1000,
        ("sha256", "digest", 8192): 250_000,
    },
    "bssl.json": {
        ("aes-256-gcm", "seal", 16): 200,
        ("aes-128-cbc", "decrypt", 256): 2500,
        ("hmac-sha384", "mac", 16): 4000,
    },
    "mbedtls.txt": {
        ("sha512", "digest", 1024): 1e9 / 4000,
        ("aes-256-xts", "encrypt", 1024): 1e9 / 5000,
        ("aes-128-ccm", "seal", 1024): 1953 * 1024,
        ("cmac-aes-256", "mac", 1024): 1e9 / 2500,
        ("chacha20-poly1305", "seal", 1024): 1e9 / 8000,
    },
    "criterion.txt": {
        ("aes-256-gcm", "seal", 1024): 1024,
        ("chacha20-poly1305", "open", 16384): 16384,
    },
    "criterion.json": {("sha256", "digest", 1000): 2000},
    "google-benchmark.json": {
        ("aes-128-gcm", "seal", 1350): 1350,
        ("sha512", "digest", 256): 2000,
    },
    "botan.txt": {
        ("aes-256-ecb", "encrypt", 1024): 1024 / 4000 / MIB * 1e9,
        ("aes-256-ecb", "decrypt", 1024): 1024 / 2000 / MIB * 1e9,
        ("chacha20", "keystream", 16): 16 / 100 / MIB * 1e9,
        ("aes-128-ccm", "seal", 1024): 1024 / 500 / MIB * 1e9,
        ("siphash-2-4-64", "mac", 1024): 1024 / 1000 / MIB * 1e9,
        ("serpent-256-ecb", "encrypt", 1024): 1024 / 400 / MIB * 1e9,
        ("twofish-256-ecb", "decrypt", 1024): 1024 / 200 / MIB * 1e9,
        ("sha1", "digest", 1024): 1024 / 800 / MIB * 1e9,
        ("blake2b-mac-512", "mac", 1024): 1024 / 600 / MIB * 1e9,
    },
    "botan-table.txt": {
        ("aes-192-gcm", "open", 16): 160,
        ("aes-192-gcm", "open", 1024): 1024 / 1.5,
        ("aes-192-gcm", "seal", 16): 128,
        ("aes-192-gcm", "seal", 1024): 640,
        ("sha3-512", "digest", 16): 1600,
    },
    "tcrypt.txt": {
        ("aes-128-ecb", "encrypt", 16): 1000,
        ("aes-256-ecb", "encrypt", 1024): 40_000,
        ("aes-128-gcm", "open", 64): 2500,
        ("sha256", "digest", 16): 5000,
    },
    "gocryptfs.txt": {
        ("aes-256-gcm", "seal", 4096): 4096,
        ("xchacha20-poly1305", "seal", 4096): 8192,
    },
    "imb-speed.txt": {
        ("hmac-sha256", "mac", 64): 128,
        ("hmac-sha256", "mac", 1024): 1024 / 2.0000005,
        ("aes-256-gcm", "open", 64): 64,
        ("aes-256-gcm", "open", 1024): 1024 / 8.00000025,
    },
    "ipsec-mb-1.2.txt": {
        ("aes-192-ctr", "encrypt", 64): 50,
        ("aes-192-ctr", "encrypt", 1024): 250,
        ("aes-128-ccm", "open", 64): 200,
        ("aes-128-ccm", "open", 1024): 1000,
        ("hmac-sha512", "mac", 64): 150,
        ("hmac-sha512", "mac", 1024): 750,
    },
    "dpdk-silent.txt": {("hmac-sha256", "mac", 512): 2000},
    "cryptopp.html": {
        ("sha256", "digest", 2048): 15.01 * 2048 / 3,
        ("blake2b-512", "digest", 2048): 2048 / 600 / MIB * 1e9,
        ("blake2b-mac-512", "mac", 2048): 2048 / 500 / MIB * 1e9,
        ("aes-256-cbc", "encrypt", 2048): 2048 / 700 / MIB * 1e9,
        ("aes-128-gcm", "seal", 2048): 2048 / 4000 / MIB * 1e9,
    },
}


def close(value: float | None, wanted: float, error: float = 1e-12) -> bool:
    return value is not None and math.isclose(value, wanted, rel_tol=error)


def says(run: Run, *words: str) -> bool:
    """Checks whether one note has all these words."""
    return any(all(word in note for word in words) for note in run.context.notes)


@pytest.fixture
def imported(tmp_path: Path):
    """The run of a text."""

    def read(text: str, **wishes: object) -> Run:
        path = tmp_path / "file"
        path.write_text(text)
        return imported_run(path, **wishes)

    return read


def test_every_file_is_known_by_its_form() -> None:
    found = {name: detected(text_of(name)).name for name in FILES}
    assert {name: of for name, of in found.items() if not name.startswith("openssl")} == FORMATS


@pytest.mark.parametrize("name", NS_OF_A_MESSAGE)
def test_every_figure_of_a_file_and_no_other(name: str) -> None:
    rows = {
        (it.algorithm, it.operation, it.message_bytes): it.ns_per_message
        for it in imported_rows(imported_run(name))
    }
    wanted = NS_OF_A_MESSAGE[name]
    assert rows.keys() == wanted.keys()
    for case, ns in wanted.items():
        assert close(rows[case], ns, 1e-9), case


@pytest.mark.parametrize(
    ("name", "provider", "version", "divisor"),
    [
        ("wolfcrypt.txt", "wolfssl", "4.7.0", "wall-time"),
        ("bssl.txt", "boringssl", "", "wall-time"),
        ("bssl.json", "aws-lc", "", "wall-time"),
        ("google-benchmark.json", "bench_crypto", "", "cpu-time"),
        ("cryptopp.html", "cryptopp", "8.2", "cpu-time"),
        ("botan.txt", "botan", "3.1.1", "wall-time"),
        ("dpdk-silent.txt", "ipsec-mb", "", "wall-time"),
    ],
)
def test_library_version_and_clock(name: str, provider: str, version: str, divisor: str) -> None:
    run = imported_run(name)
    assert {it.provider for it in imported_rows(run)} == {provider}
    assert (run.origin.tool_version, run.origin.divisor) == (version, divisor)


def test_mebibytes_become_megabytes() -> None:
    run = imported_run("cryptsetup.txt")
    found = row(run, "aes-128-cbc", "decrypt", 65536)
    assert close(found.mbytes_per_second, 3125.5 * 1.048576)
    assert found.provider == "af_alg"
    xts = row(run, "aes-256-xts", "encrypt", 65536)
    assert close(xts.mbytes_per_second, 2334.9 * 1.048576)
    assert run.origin.skipped["functions that did not run"] == 2
    assert run.origin.skipped["key derivations (PBKDF)"] == 3
    assert says(run, "MiB/s (2^20 bytes)")


@pytest.mark.parametrize(("bits", "name"), [(512, "aes-256-xts"), (256, "aes-128-xts")])
def test_a_key_of_xts_is_two_keys(bits: int, name: str) -> None:
    assert spellings("aes-xts", str(bits)) == (name,)
    assert spellings(f"AES-XTS-{bits // 2}") == (name,)


def test_botan_divides_by_nanoseconds_and_its_ticks_are_no_cycles() -> None:
    run = imported_run("botan-2.19.json")
    gcm = row(run, "aes-128-gcm", "seal", 1024)
    assert close(gcm.ns_per_message, 500.0)
    assert gcm.cycles_per_message is None
    assert close(row(run, "aes-128-gcm", "open", 1024).ns_per_message, 500.0)
    block = row(run, "aes-128-ecb", "encrypt", 1024)
    assert (block.backend, block.backend_evidence) == ("aesni", "reported")
    names = {it.algorithm for it in imported_rows(run)}
    assert {"sha1", "sha3-256", "hmac-sha256", "cmac-aes-128", "chacha20-poly1305"} < names
    assert says(run, "Whirlpool")


def test_old_botan_takes_its_buffer_from_the_command_line(imported) -> None:
    line = "SHA-512 hash 100.000 MiB/sec (30.00 MiB in 300.00 ms)\n"
    for command, size in (("botan speed SHA-512", 4096), ("botan speed --buf-size=512 x", 512)):
        run = imported(f"$ {command}\n{line}")
        assert close(row(run, "sha512", "digest", size).mbytes_per_second, 104.8576)
    with pytest.raises(UsageError, match="no line above it tells its bytes"):
        imported(line)


def test_dpdk_divides_by_the_rate_and_a_burst_is_a_call() -> None:
    run = imported_run("dpdk.txt")
    found = row(run, "aes-128-gcm", "seal", 1024, lanes=32)
    assert close(found.ns_per_message, 8 * 1024 / 25.6)
    assert close(row(run, "aes-128-gcm", "seal", 64).ns_per_message, 125.0)
    assert found.provider == "ipsec-mb"


def test_several_lcores_are_cores_of_their_own(imported) -> None:
    run = imported(text_of("dpdk.txt") + "4,64,32,1000000,1000000,0,0,4.000,2.048,550.000\n")
    assert close(row(run, "aes-128-gcm", "seal", 64).ns_per_message, 187.5)


def test_ticks_need_a_rate() -> None:
    run = imported_run("ipsec-mb.txt")
    found = row(run, "aes-128-cbc", "encrypt", 1024)
    assert close(found.ns_per_message, 500.0)
    assert (found.backend, found.backend_asked) == ("sse", "sse")
    assert close(row(run, "aes-256-gcm", "open", 64).ns_per_message, 50.0)
    assert says(run, "not known here", "CBC and SHA1_HMAC")
    with pytest.raises(UsageError, match="add the rate of the TSC"):
        imported_run("ipsec-mb.txt", clock_hz=None)


def test_a_fitted_line_is_read_at_two_sizes(imported) -> None:
    text = text_of("ipsec-mb-slope.txt")
    for fitted in (text, text.replace("SLOPE_A", "SLOPE A").replace("INTERCEPT_A", "INTERCEPT A")):
        run = imported(fitted, clock_hz=2.2e9)
        assert close(row(run, "hmac-sha256", "mac", 64).cycles_per_message, 400 + 2.5 * 64)
        assert close(row(run, "hmac-sha256", "mac", 1024).cycles_per_message, 400 + 2.5 * 1024)
        assert says(run, "fitted a line")


def test_hashes_of_old_ipsec_mb_are_hmacs_unless_the_names_are_newer(imported) -> None:
    old = imported_run("ipsec-mb-1.2.txt")
    assert says(old, "taken as HMACs", "1.2") and says(old, "not known here", "ZUC_EEA3, 256 bits")
    newer = text_of("ipsec-mb-1.2.txt").replace("\tCCM\tSHA_512", "\tSHA1_HMAC\tSHA_512")
    rows = imported_rows(imported(newer, clock_hz=2.2e9))
    assert {it.algorithm for it in rows} == {"aes-192-ctr", "sha512"}


def test_a_version_above_the_table_settles_what_its_hashes_are(imported) -> None:
    text = text_of("ipsec-mb-1.2.txt").replace("\t", "    ")
    for version, name in (("1.2.0", "hmac-sha512"), ("1.3.0", "sha512")):
        run = imported(
            f"Tool version: {version}\nLibrary version: v{version}\n\n{text}", clock_hz=1e9
        )
        assert name in {it.algorithm for it in imported_rows(run)}
        assert run.origin.tool_version == version
    with pytest.raises(UsageError, match="line 1: is of --throughput"):
        imported(f"Measurement mode: Throughput (bytes/3000ms)\n{text}", clock_hz=1e9)


def test_a_table_of_ipsec_mb_that_does_not_begin(imported) -> None:
    head, _, rest = text_of("ipsec-mb.txt").partition("\n")
    for text in (rest, head + "\n", "64\t1\n" * 20_000):
        with pytest.raises(UsageError, match="ARCH"):
            imported(text, clock_hz=1e9, format=detected(text_of("ipsec-mb.txt")))


def test_a_slope_is_of_a_byte_and_of_no_message() -> None:
    run = imported_run("bench-slope.csv")
    found = row(run, "aes-128-cbc", "encrypt", "slope")
    assert found.message_bytes is found.ns_per_message is found.cycles_per_message is None
    assert close(found.mbytes_per_second, 1250 * 1.048576)
    assert close(row(run, "hmac-sha256", "mac", "slope").mbytes_per_second, 1907 * 1.048576)
    assert (found.cycles_per_byte, found.cycle_source) == (2.90, "calibrated")
    names = {it.algorithm for it in imported_rows(run)}
    assert {"aes-192-gcm", "chacha20-poly1305", "chacha20", "cmac-aes-128"} < names
    assert run.origin.skipped == {"associated data alone": 1, "operations without bytes": 1}
    plain = row(imported_run("bench-slope.txt"), "sha256", "digest", "slope")
    assert plain.cycles_per_byte is plain.cycle_source is None


COMMIT = """\
    Benchmark on some processor:

    Before:
     SERPENT256     |  nanosecs/byte   mebibytes/sec   cycles/byte  auto Mhz
            CTR enc |      2.00 ns/B     476.8 MiB/s      8.00 c/B      4000

    After:
     SERPENT256     |  nanosecs/byte   mebibytes/sec   cycles/byte  speed
            CTR enc |      1.00 ns/B     953.7 MiB/s      4.00 c/B      2.00x
    AES     CTR enc |      3.00 ns/B     317.9 MiB/s     12.00 c/B
            CTR dec |      4.00 ns/B     238.4 MiB/s     16.00 c/B
"""


def test_before_and_after_of_a_commit_are_two_runs(tmp_path: Path) -> None:
    path = tmp_path / "commit.txt"
    path.write_text(COMMIT)
    before, after = imported_runs(path)
    assert [it.origin.part for it in (before, after)] == ["table 1", "table 2"]
    ratio = row(after, "serpent-256-ctr", "encrypt", "slope").mbytes_per_second / (
        row(before, "serpent-256-ctr", "encrypt", "slope").mbytes_per_second
    )
    assert close(ratio, 953.7 / 476.8)
    head_in_row = row(after, "aes-128-ctr", "decrypt", "slope")
    assert close(head_in_row.mbytes_per_second, 238.4 * 1.048576)


@pytest.mark.parametrize(
    ("head", "library", "version"),
    [
        ("bench-slope-gcrypt: libgcrypt: 1.9.0", "libgcrypt", "1.9.0"),
        ("bench-slope-openssl: OpenSSL 1.1.1k  25 Mar 2021", "openssl", "1.1.1k"),
        ("bench-slope-nettle: Nettle 3.6", "nettle", "3.6"),
        ("bench-slope-botan: Botan 2.17.3 (release, dated 20201221)", "botan", "2.17.3"),
        ("bench-slope-cryptopp: Crypto++ 8.4.0", "cryptopp", "8.4.0"),
    ],
)
@pytest.mark.parametrize("name", ["bench-slope.txt", "bench-slope.csv"])
def test_the_library_of_a_slope_is_in_the_first_line(
    imported, name: str, head: str, library: str, version: str
) -> None:
    run = imported(f"{head}\n{text_of(name)}")
    assert {it.provider for it in imported_rows(run)} == {library}
    assert run.origin.tool_version == version


def test_supercop_counts_core_cycles_where_its_counter_does() -> None:
    run = imported_run("supercop.txt")
    found = row(run, "sha256", "digest", 64)
    assert (found.cycles_per_message, found.cycle_source) == (700 + 8 * 64 + 10, "pmu")
    assert close(found.ns_per_message, (700 + 8 * 64 + 10) / 2.4)
    assert (found.backend, found.backend_asked) == ("avx", "timingleaks")
    assert row(run, "aes-128-gcm", "open", 2048).pattern == "one-shot"
    sizes = {it.size for it in imported_rows(run) if it.algorithm == "sha256"}
    assert sizes == {16, 64, 1500, 4096}
    assert says(run, "associated data")
    assert run.origin.tool_version == "supercop-20240107"


def test_supercop_with_a_counter_of_constant_rate_has_no_cycles(imported) -> None:
    run = imported(text_of("supercop.txt").replace("amd64-pmc", "amd64-tscasm"))
    found = row(run, "sha256", "digest", 64)
    assert found.cycles_per_message is found.cycle_source is None
    assert close(found.ns_per_message, (700 + 8 * 64 + 10) / 2.4)
    assert says(run, "no core cycles", "amd64-tscasm")


@pytest.mark.parametrize(
    ("primitive", "algorithm"),
    [
        ("ascon128av12", "ascon-aead128"),
        ("ascon128v12", None),
        ("ascon80pqv12", None),
        ("aes256gcmv1", "aes-256-gcm"),
        ("aeadaes128ocbtaglen128v1", "aes-128-ocb"),
        ("aeadaes128ocbtaglen64v1", None),
        ("aegis128l", "aegis-128l"),
        ("chacha20poly1305", None),
    ],
)
def test_primitives_of_supercop_are_ours_only_if_the_function_is(
    imported, primitive: str, algorithm: str | None
) -> None:
    run = imported(text_of("supercop.txt").replace("aes128gcmv1", primitive))
    aeads = {it.algorithm for it in imported_rows(run)} - {"sha256"}
    if primitive == "chacha20poly1305":
        algorithm = "chacha20-poly1305"
    assert aeads == ({algorithm} if algorithm else set())


def test_two_machines_of_supercop_are_two_runs(tmp_path: Path) -> None:
    path = tmp_path / "data"
    text = text_of("supercop.txt")
    path.write_text(text + text.replace("20240107 host amd64", "20240107 other arm64"))
    assert [it.origin.told for it in imported_runs(path)] == [
        {"host": "host", "abi": "amd64"},
        {"host": "other", "abi": "arm64"},
    ]


@pytest.mark.parametrize(
    ("version", "unit", "bytes_"),
    [
        ("5.5.4", "MB", 2**20),
        ("5.5.4", "KB", 2**10),
        ("5.6.3", "MB", 1e6),
        ("5.6.3", "MiB", 2**20),
        ("5.6.3", "KiB", 2**10),
        ("4.0.0", "mB", 1e6),
    ],
)
def test_units_of_wolfcrypt_by_version(imported, version: str, unit: str, bytes_: float) -> None:
    run = imported(
        f" wolfSSL version {version}\nwolfCrypt Benchmark (block bytes 1024, min 1.0 sec each)\n"
        f"SHA-256  7 {unit} took 1.000 seconds,    7.000 {unit}/s Cycles per byte =  1.00\n"
    )
    assert close(row(run, "sha256", "digest", 1024).mbytes_per_second, 7 * bytes_ / 1e6)


def test_a_table_of_wolfcrypt_that_leaves_its_unit_or_its_size_open(imported) -> None:
    with pytest.raises(UsageError, match="run the benchmark without -csv"):
        imported(text_of("wolfcrypt.csv").replace("1048576", "1024"))
    with pytest.raises(UsageError, match="no line above it tells its bytes"):
        imported("SHA-256  7 MB took 1.000 seconds,    7.000 MB/s\n")


def test_prefixes_of_a_log_and_decimals_of_wolfcrypt(imported) -> None:
    run = imported(
        "I (12) app: wolfCrypt Benchmark (block bytes 1048576, min 1.0 sec each)\n"
        "[WOLFCRYPT]: AES-192-CTR    65.5 MiB took 1.000 seconds, 65.500 MiB/s\n"
    )
    assert close(row(run, "aes-192-ctr", "encrypt", MIB).ns_per_message, 1e9 / 65.5)


def test_two_columns_of_wolfcrypt_are_refused(imported) -> None:
    text = text_of("wolfcrypt.txt").replace("=  48.00", "| AES  1 MB took 1.0 seconds, 1.0 MB/s")
    with pytest.raises(UsageError, match="line 6: is no whole line of wolfCrypt"):
        imported(text)


MAIL = """\
> > testing speed of rfc7539(chacha20,poly1305) (rfc7539(chacha20-neon,poly1305-neon)) decryption
> > [ 7.000000] tcrypt: test 0 (288 bit key, 64 byte blocks): 1000
> > operations in 1 seconds (64000 bytes)
> > [ 8.000000] testing speed of async sha512 (sha512-generic)
> > test  0 ( 64 byte blocks, 64 bytes per update, 1 updates): 800 cycles/operation, 12 cycles/byte
"""


def test_lines_of_the_kernel_that_were_broken_in_a_mail(imported) -> None:
    run = imported(MAIL, clock_hz=1e9)
    assert close(row(run, "chacha20-poly1305", "open", 64).ns_per_message, 1e6)
    assert close(row(run, "sha512", "digest", 64).ns_per_message, 800)


@pytest.mark.parametrize(
    ("line", "case"),
    [
        ("BenchmarkAESGCMSeal8K-4  1000000  1732 ns/op  4728.25 MB/s", ("aes-128-gcm", 8192)),
        ("BenchmarkAESCTR1K  9  512 ns/op  2000.00 MB/s", ("aes-128-ctr", 1024)),
        ("BenchmarkAESGCM/Seal-256-256-8  9  256.0 ns/op  1000.00 MB/s", ("aes-256-gcm", 256)),
        ("BenchmarkSHA256-8  9  256.0 ns/op  1000.00 MB/s", ("sha256", 256)),
        ("BenchmarkHMACSHA256_256-8  9  256.0 ns/op  1000.00 MB/s", ("hmac-sha256", 256)),
        ("BenchmarkSHA_256/256-8  9  256.0 ns/op  1000.00 MB/s", ("sha256", 256)),
    ],
)
def test_numbers_in_names_of_go(imported, line: str, case: tuple[str, int]) -> None:
    (found,) = imported_rows(imported(f"pkg: crypto/cipher\n{line}\n"))
    assert (found.algorithm, found.message_bytes) == case


@pytest.mark.parametrize("name", ["cryptsetup.txt", "wolfcrypt.txt", "bssl.txt", "go-test.txt"])
def test_a_last_line_without_end_is_read_if_it_is_whole(imported, name: str) -> None:
    assert len(imported(text_of(name).rstrip("\n")).cases) == len(imported_run(name).cases)


def test_a_last_line_may_have_lost_a_digit(imported) -> None:
    table = text_of("botan-table.txt").partition("\n\n[")[0]
    with pytest.raises(UsageError, match="has no end, so the file may be cut"):
        imported(table.replace("N/A", "9.00"))
    excerpt = text_of("bench-slope.txt").partition("    =")[0].rstrip() + "  4000"
    assert imported(excerpt).cases


def test_a_rate_by_real_time_is_of_real_time(imported) -> None:
    text = text_of("google-benchmark.json").replace('"real_time": 2.0', '"real_time": 1.0', 1)
    assert "sha512" not in {it.algorithm for it in imported_rows(imported(text))}
    fast = text.replace("1.2800000000000000e+08", "2.56e+08")
    assert close(row(imported(fast), "sha512", "digest", 256).ns_per_message, 1000)


def test_a_size_that_is_not_settled_is_left_out(imported) -> None:
    line = "BenchmarkSHA256-4  30000  812110 ns/op  1.85 MB/s\n"
    with pytest.raises(UsageError, match="figures whose message has no settled size"):
        imported(line)


@pytest.mark.parametrize(
    "name",
    [
        "sha_256_hmac_drbg",
        "AES-128-CBC-HMAC-SHA1",
        "ChaCha(8)",
        "SipHash-4-8",
        "AES-128/CCM(8,3)",
        "Poly1305(AES)",
    ],
)
def test_a_name_with_a_part_that_is_not_understood_is_of_no_function(name: str) -> None:
    (found,) = spellings(name) or ("",)
    assert found in ("", name.lower().replace("_", "-"))


@pytest.mark.parametrize(
    ("said", "name"),
    [
        *(
            (it, "aes-128-cbc")
            for it in ("aes-128-cbc", "AES-128/CBC", "AES-CBC-128", "aes_cbc_128")
        ),
        *((it, "sha1") for it in ("SHA", "SHA-1", "SHA-160", "sha1")),
        *((it, "sha3-256") for it in ("SHA-3(256)", "SHA3-256", "sha3_256")),
        *((it, "chacha20") for it in ("ChaCha(20)", "ChaCha20", "CHACHA")),
        ("SipHash(2,4)", "siphash-2-4"),
        ("AES-128/CCM(16,3)", "aes-128-ccm"),
        ("AES-128/CBC/PKCS7", "aes-128-cbc"),
        ("CTR-BE(AES-192)", "aes-192-ctr"),
        ("CMAC(AES-256)", "cmac-aes-256"),
        ("HMAC(SHA-160)", "hmac-sha1"),
        ("SHA-512/256", "sha512-256"),
        ("SHA384", "sha384"),
        ("HMAC-SHA384", "hmac-sha384"),
        ("AES-256-GCM-SIV", "aes-256-gcm-siv"),
        ("XChaCha20-Poly1305", "xchacha20-poly1305"),
        ("BLAKE2b(512)", "blake2b-512"),
    ],
)
def test_names_in_the_spellings_of_programs(said: str, name: str) -> None:
    assert spellings(said) == (name,)
