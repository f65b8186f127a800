"""Programs whose output is read line by line, as records for the interpreter in `lines.py`.

Forms and meanings were read in the sources that each record names.
"""

from __future__ import annotations

import re
from statistics import fmean, median

from ciphermark.workloads.imported.readers.lines import (
    CLOCKS,
    Program,
    Values,
    unit_of,
    with_more_digits,
)
from ciphermark.workloads.imported.readers.reading import (
    Reading,
    Unreadable,
    number,
    positive,
    respelt,
    whole,
)

_MEAN = "the mean over all repetitions with warm caches, no spread"

PUBLIC_KEY = "public-key operations"

# ---------------------------------------------------------------- cryptsetup benchmark

_RATE_OR_NONE = r"(?:N/A|\d[\d.,]*(?= *MiB/s))"

CRYPTSETUP = Program(  # lib/crypto_backend/cipher_check.c, src/cryptsetup.c of cryptsetup 2.4
    name="cryptsetup",
    tool="cryptsetup benchmark",
    provider="af_alg",
    mark="b ",
    rows=(
        rf"^\s*<name>\s+<bits>b\s+(?P<rate>{_RATE_OR_NONE})(?: *MiB/s)?"
        rf"\s+(?P<back>{_RATE_OR_NONE})(?: *MiB/s)?(?=\s|$)",
    ),
    cut=(r"^\s*[a-z]\S*\s+\d+b\b",),
    skips={"key derivations (PBKDF)": r"^\s*(?:PBKDF2-|argon2)\S*\s"},
    own={"size": "65536", "unit": "MiB"},
    traps=(
        "cryptsetup gives the kernel 65536 bytes at a time through a socket: figures are of long "
        "messages, of the call into the kernel too, and of no disk",
        "figures were MiB/s (2^20 bytes), and are MB/s (10^6 bytes) here",
        "the kernel may use several of its threads or a device: wall time divides",
        "the mean of at least a second for all repetitions, warm caches, one key and IV, no spread",
    ),
)

# ---------------------------------------------------------------- botan speed


def _botan(values: Values) -> Values | str:
    if not values.get("done", "1").strip("0"):
        return "functions that did not run"
    if values["op"] == "mac" and (keyed := re.fullmatch(r"BLAKE2([bs])\(\d+\)", values["name"])):
        values["plain"] = f"blake2{keyed[1]}-mac"
    if "rates" in values:
        values["unit_bytes"] = "1000"
    elif "size" not in values and "command" in values:
        asked = re.search(r"--buf-size=(\d+)", values["command"])
        return values | {"size": asked[1] if asked else "4096"}
    return values


_BOTAN_NAME = r"^\s*<name>(?: \[<code>\])? +(?P<op>encrypt|decrypt|hash|mac|write_keystream)"

BOTAN = Program(  # src/cli/speed.cpp of Botan 2.0 to 2.19, perf_sym.cpp of 3, utils/timer.cpp
    name="botan",
    tool="botan speed",
    provider="botan",
    mark=" ",
    state=(
        r"^Botan <version>(?: |$)",
        r"(?P<command>botan speed.*)",
        r"^algo +operation +(?P<sizes>\d+ bytes.*)$",
    ),
    rows=(
        rf"{_BOTAN_NAME} buffer size <size> bytes: <done> bytes in <took> <clock>$",
        rf"{_BOTAN_NAME}(?: buffer size <size> bytes:)? <rate> (?P<unit>MiB)/sec.* \(.* ms\)$",
        rf"{_BOTAN_NAME} +(?P<rates>(?:\d[\d.]*|N/A)(?: +(?:\d[\d.]*|N/A))*)$",
    ),
    json=(
        "{algo} {op} buffer size {buf_size} bytes: {events} bytes in {nanos} ns",
        "{algo} {op} of {events} events in {nanos} ns",
        "Botan {version}",
    ),
    cut=(rf"{_BOTAN_NAME}\b",),
    skips={"set-ups of keys and public-key operations": r" of \d+ events in |/sec; "},
    own={"serpent": "256", "twofish": "256", "mode": "ecb"},
    settle=_botan,
    traps=(
        "Botan counts ticks of a counter of constant rate, which are no core cycles: they are left "
        "out, and wall time divides",
        "up to Botan 3.2 each message is timed by itself, with two readings of the clock in its "
        "time; later ones time 64 KiB at a time",
        "up to Botan 2 a MAC is finished once for all messages, and a buffer is encrypted in its "
        "own place: the fixed cost of a message is less than in use",
        f"the key is set before; one buffer again and again, in the nearest cache; {_MEAN}",
    ),
)

# ---------------------------------------------------------------- bench-slope

_SLOPE_LIBRARIES = {"gcrypt": "libgcrypt"}


def _slope(values: Values) -> Values | str:
    """`AES` with `CBC enc` is AES-128-CBC; a row of a table without a head is a whole name."""
    head = values.pop("head", "").strip()
    what, _, word = values.get("what", "").strip().rpartition(" ")
    if word in ("enc", "dec"):
        values |= {"name": f"{head} {what.replace('STREAM', '')}".strip(), "op": word}
    elif word == "auth":
        return "associated data alone"
    else:
        values["name"] = head or word
    if "mhz" not in values:
        values.pop("cycles", None)
    library = values.get("tool", "gcrypt")
    values["library"] = _SLOPE_LIBRARIES.get(library, library)
    if library == "gcrypt":
        values |= {"aes": "128", "twofish": "256"}
    return with_more_digits(values, "per", "rate")


def _slope_traps(reading: Reading, values: Values) -> None:
    del values
    if reading.counted:
        reading.traps.append(
            "the clock was found by a chain of additions beside each figure (--cpu-mhz auto)"
        )


BENCH_SLOPE = Program(  # tests/bench-slope.c of libgcrypt 1.11, src/slope.c of bench-slopes
    name="bench-slope",
    tool="bench-slope",
    provider="libgcrypt",
    mark="ns/B",
    state=(
        r"^bench-slopes?-(?P<tool>\w+): \D*(?P<version>\d\S*)",
        r"^\s*(?P<head>\S*)\s*\|\s+nanosecs/byte\s+mebibytes/sec\s+cycles/byte",
        r"^\s*(?P<head>[A-Z]\S*) +\S+ (?:enc|dec|auth)\s*\|",
    ),
    rows=(
        r"^(?:hash|mac|cipher),(?P<head>[^,]*),(?P<what>[^,]*),,,<per>,ns/B,<rate>,MiB/s,"
        r"<cycles>,c/B(?:,(?P<mhz>[\d.]+),Mhz(?:,[\d.]+,Mhz-diff)?)?$",
        r"^\s*(?:\S+ +)??(?P<what>\S+(?: (?:enc|dec|auth)\S*)?)\s*\|\s+<per> ns/B"
        r"\s+<rate> MiB/s\s+(?:<cycles>|-) c/B(?:\s+(?P<mhz>\d[\d.]*)(?:±[\d.]+)?(?=\s|$))?",
    ),
    cut=(r"\|\s+<n> ns/B|,ns/B,|^\s*\S+(?: \S+)?\s*\|\s+<n>\s*(?:ns?/?)?$",),
    skips={"operations without bytes": r"ns/iter|^[a-z-]+,[^,]*,[^,]*,,,,,,,,,"},
    own={"unit": "MiB"},
    words={"arcfour": "rc4-128", "cmac_twofish": "cmac_twofish bits unknown"},
    settle=_slope,
    complete=_slope_traps,
    told=("library", "version"),
    is_slope=True,
    counted="calibrated",
    traps=(
        "bench-slope prints the cost of a further byte: a message's fixed cost is fitted away and "
        "not printed, so throughput at any size is below these figures",
        "figures have two to five digits; at each size the median of 64 repetitions counts",
        "keys are made before; one buffer, in the nearest cache",
    ),
)

# ---------------------------------------------------------------- dpdk-test-crypto-perf

_DPDK_WORDS = {
    "snow3g-uea2": "uea2",
    "snow3g-uia2": "uia2",
    "zuc-eea3": "eea3",
    "zuc-eia3": "eia3",
    "kasumi-f8": "uea1",
    "kasumi-f9": "uia1",
}
_DPDK_LIBRARIES = {"aesni_mb": "ipsec-mb", "aesni_gcm": "ipsec-mb", "openssl": "openssl"}


def _dpdk_option(kind: str) -> tuple[str, ...]:
    return (
        rf"(?:# {kind} algorithm: |--{kind}-algo[ =])(?P<{kind}>\S+)",
        rf"(?:# {kind} operation: |--{kind}-op[ =])(?P<{kind}_op>\S+)",
        rf"(?:# {kind} key size: |--{kind}-key-sz[ =])(?P<{kind}_key>\d+)",
    )


def _dpdk(values: Values) -> Values | str:
    """Completes a row by the options above it, which alone tell the function."""
    line, test = int(values["at"]), values.get("test", "throughput")
    if test != "throughput":
        raise Unreadable(line, f"is of the test {test}: run --ptest throughput")
    optype = values.get("optype", "")
    parts = [it for it in ("aead", "cipher", "auth") if it in values and it in (optype or it)]
    if not parts:
        raise Unreadable(
            line,
            "is of a table above which no algorithm is named: put the command line above it, which "
            "begins with dpdk-test-crypto-perf",
        )
    device = values.get("device", "").removeprefix("crypto_")
    values |= {
        "name": " and ".join(values[part] for part in parts),
        "op": next((it for part in parts if (it := values.get(f"{part}_op", "")) in _UNDOING), ""),
        "library": _DPDK_LIBRARIES.get(device, device or "dpdk"),
    }
    if len(parts) == 1 and parts[0] != "auth" and (key := values.get(f"{parts[0]}_key")):
        values["bits"] = str(8 * whole(key, line))
        if values["name"].startswith("zuc") and values["bits"] != "128":
            values["plain"] = "zuc-256"
    if number(values["gbps"], line) > number(values["mops"], line):
        return values | {"rate": values["gbps"], "unit_bytes": "1.25e8"}
    return values | {"took": "1000", "count": values["mops"]}


_UNDOING = ("decrypt", "verify")
_SEPARATOR = r"(?:\s*,\s*|\s+)"

DPDK = Program(  # app/test-crypto-perf of DPDK: cperf_test_throughput.c, cperf_options_parsing.c
    name="dpdk",
    tool="dpdk-test-crypto-perf",
    provider="dpdk",
    mark="lcore id",
    state=(
        r"(?P<begin>dpdk-test-crypto-perf .*|# Crypto Performance Application Options)",
        r"(?P<command>dpdk-test-crypto-perf .*)",
        r"(?:# cryptodev type: |--devtype[ =])(?P<device>\S+)",
        r"(?:# cperf test: |--ptest[ =])(?P<test>\S+)",
        r"(?:# crypto operation: |--optype[ =])(?P<optype>\S+)",
        *(option for kind in ("aead", "cipher", "auth") for option in _dpdk_option(kind)),
    ),
    rows=(
        r"^\s*"
        + _SEPARATOR.join(
            (
                *(rf"(?P<{it}>\d+)" for it in ("apart", "size", "lanes")),
                *(4 * (r"\d+",)),
                *(rf"(?P<{it}>\d[\d.]*)" for it in ("mops", "gbps", "each")),
            )
        )
        + "$",
    ),
    cut=(rf"^\s*\d+{_SEPARATOR}\d+{_SEPARATOR}\d+{_SEPARATOR}\d",),
    words=_DPDK_WORDS,
    settle=_dpdk,
    combine=fmean,
    told=("device",),
    traps=(
        "Cycles/Buf are ticks of the TSC, which are no core cycles, and are left out; time is that "
        "of the rate of operations",
        "making and freeing the operations is in the time; nothing is received, sent or looked up",
        "the rate is that of one lcore, of several the mean; it also polls, and a device does the "
        "work beside it",
        f"the same vector again and again; {_MEAN}",
    ),
)

# ---------------------------------------------------------------- SUPERCOP

_KEPT_SIZES = {43, 576, 1420, 1500} | {2**power for power in range(4, 31)}
"""SUPERCOP measures hundreds of sizes; people compare at these."""

_ASSOCIATED = 1_000_000
"""Added to the bytes of an AEAD's message for each byte of associated data."""

_COUNTS_CORE_CYCLES = re.compile(r"pmc|perfevent|rdcycle")
"""Ways of cpucycles that read a counter of the core; the others read one of constant rate."""

_SUPERCOP_NAMES = (
    (r"^aead(?=aes)|taglen128(?=v1$)", ""),
    (r"v1$", ""),
    (r"^ascon128av12$", "ascon-aead128"),
    (r"^(ascon)(aead128|hash256)$", r"\1-\2"),
)


def _supercop(values: Values) -> Values | str:
    line, size = int(values["at"]), whole(values["size"], int(values["at"]))
    if values["kind"] == "aead" and size >= _ASSOCIATED:
        return "figures with associated data"
    if size not in _KEPT_SIZES:
        return "figures at other sizes"
    primitive, _, security = values["primitive"].partition("/")
    if values.get("of") != values["primitive"] or "hz" not in values:
        raise Unreadable(line, "has cycles whose rate, cpucycles_persecond, is not stated before")
    values |= {
        "name": primitive,
        "plain": respelt(primitive, _SUPERCOP_NAMES),
        "code": values.get("code", "").removeprefix(f"crypto_{values['kind']}/{primitive}/"),
        "asked": security,
        "apart": values["at"],
        "version": f"supercop-{values['version']}",
    }
    if values["kind"] != "hash":
        values["one_shot"] = "the call sets the key"
    if not _COUNTS_CORE_CYCLES.search(values.get("how", "")):
        values["ticks"] = values.pop("cycles")
    return values


def _supercop_clock(reading: Reading, values: Values) -> None:
    how, rate = values.get("how", "unknown"), positive(values["hz"], int(values["at"]))
    if reading.counted:
        reading.divisor = "core-cycles"
        trap = f"core cycles were counted by the processor ({how}); time is theirs at {rate:g} Hz"
    else:
        reading.divisor, reading.ticks_hz = "ticks", rate
        trap = (
            f"SUPERCOP's cpucycles read a counter of constant rate ({how}): ticks, which are no "
            f"core cycles, at {rate:g} Hz"
        )
    reading.traps.append(trap)
    if any(it.said == "ascon128av12" for it in reading.figures):
        reading.traps.append(
            "ascon128av12 is taken as Ascon-AEAD128, which differs from it in the order of bytes; "
            "ascon128v12 has half the rate and is left out"
        )


_SUPERCOP_LINE = (
    r"^(?P<version>\d{8}) (?P<host>\S+) (?P<abi>\S+) \S+"
    r" crypto_(?P<kind>hash|stream|aead|auth|onetimeauth)"
)

SUPERCOP = Program(  # do-part and measure-anything.c of SUPERCOP 20240107
    name="supercop",
    tool="supercop",
    provider="supercop",
    mark=" crypto_",
    state=(
        rf"{_SUPERCOP_LINE} (?P<of>\S+) (?:(?P<begin>implementation) (?P<code>\S+)"
        r"|cpucycles_persecond <hz>|cpucycles_implementation (?P<how>\S+))",
    ),
    rows=(
        rf"{_SUPERCOP_LINE} (?P<primitive>\S+) (?P<op>|encrypt_|decrypt_|verify_)cycles"
        r" <size> <cycles> \d",
    ),
    cut=(r"^\d{8} \S+ \S+ \S+ crypto_\w+ \S+ (?:\w+_)?cycles(?: \d*)?$",),
    skips={"lines that are no cycles": r"^\d{8} \S+ \S+ \d+ crypto_|^\+ "},
    settle=_supercop,
    combine=median,
    complete=_supercop_clock,
    told=("host", "abi"),
    counted="pmu",
    traps=(
        "a call of SUPERCOP's makes the key schedule, or takes the nonce, anew for each message: "
        "that is in the figure",
        "the figure is of the fastest implementation and compiler of each primitive, the median "
        "of 15 or 16 calls in a row with warm caches",
    ),
)

# ---------------------------------------------------------------- wolfCrypt benchmark


def _wolfcrypt(values: Values) -> Values | str:
    """Converts units: of 1024 up to wolfSSL 5.5, later of 1000 but for MiB and KiB."""
    if "csv" in values and "unit" not in values and "done" not in values:
        if "size" not in values or whole(values["size"], int(values["at"])) < 2**20:
            raise Unreadable(
                int(values["at"]),
                "is of a table with -csv, where a rate is in KB or MB without saying which: run "
                "the benchmark without -csv",
            )
        values["unit_bytes"] = str(2**20)
    version = re.match(r"(\d+)\.(\d+)", values.get("version", ""))
    if "unit" in values and (version is None or (int(version[1]), int(version[2])) < (5, 6)):
        values["unit_bytes"] = {"MB": "1048576", "KB": "1024"}.get(values["unit"], "")
    if "code" in values:
        values["code"] = values["code"].lower()
    return values


_WOLF_NAME = r"(?P<name>[^,\s]+?(?: [^,\s]+){0,3}?)(?:-(?P<op>[Ee]nc|[Dd]ec))?"

WOLFCRYPT = Program(  # wolfcrypt/benchmark/benchmark.c of wolfSSL 3.12 to 5.8
    name="wolfcrypt",
    tool="wolfCrypt benchmark",
    provider="wolfssl",
    mark="B",
    state=(
        r"(?P<begin>wolfSSL version) (?P<version>\d\S*)",
        r"wolfCrypt Benchmark \(block bytes <size>",
        r'^"?(?:sym"?,)?Algorithm,(?:HW/SW,)?(?P<csv>\S+)/s,',
    ),
    rows=(
        rf"^(?:[\[\]\w]+: )?\s*{_WOLF_NAME}(?:\s+(?P<code>HW|SW))?\s+<n> (?:[kKMGm]?i?B|bytes)"
        r" took <n> s(?:ec(?:onds)?)?, +<rate> <unit>/s(?!.* took )",
        rf"^sym,{_WOLF_NAME},(?P<code>HW|SW|),(?P<done>\d+),(?P<took>\d[\d.]*),",
        rf"^{_WOLF_NAME},(?:(?P<code>HW|SW),)?(?P<rate>\d[\d.]*),(?:\s*\d[\d.]*,)?\s*$",
    ),
    cut=(r"B took\b",),
    skips={PUBLIC_KEY: r" ops took |^asym,|^(?:[^,]+,){4}[\d.]+,\s*$"},
    own={"aes": "128", "clock": "s"},
    words={
        "cha-poly": "chacha20-poly1305",
        "ripemd": "ripemd160",
        "arc4": "rc4-128",
        "siphash-8": "siphash-2-4-64",
        "siphash-16": "siphash-2-4-128",
    },
    settle=_wolfcrypt,
    told=("version",),
    traps=(
        "MB and KB are 2^20 and 2^10 bytes up to wolfSSL 5.5; later versions print MiB and KiB for "
        "these, and MB for 10^6 bytes",
        "cycles per byte are of a counter whose kind is not told, and are left out: wall time "
        "divides",
        "a hash or a MAC takes several blocks before it is finished, so the fixed cost of a "
        "message is less than in use; an AEAD makes each block a message",
        f"the key is set before; {_MEAN}",
    ),
)

# ---------------------------------------------------------------- bssl speed


def _bssl(values: Values) -> Values | str:
    if "size" not in values:
        return "set-ups of keys and public-key operations"
    return values | {"op": values.get("op", values.get("after", ""))}


BSSL = Program(  # tool/speed.cc of BoringSSL up to October 2025, and of AWS-LC
    name="bssl",
    tool="bssl speed",
    provider="boringssl",
    mark=" operations in ",
    state=(r"Did \d+ (?P<awslc>EVP|AEAD)-",),
    rows=(
        r"^\s*Did <count> (?:EVP-|AEAD-)?<name>(?: (?P<op>(?i:encrypt|decrypt)|seal|open))?"
        r"(?: \(<size> bytes?\))?(?: (?P<after>seal|open))? operations in <took>(?P<clock>us|ms)\b",
    ),
    json=("Did {numCalls} {description} operations in {microseconds}us",),
    cut=(r"^\s*Did \d",),
    settle=_bssl,
    complete=lambda reading, values: setattr(
        reading, "provider", "aws-lc" if "awslc" in values else reading.provider
    ),
    traps=(
        "contexts and keys are made before, but for a hash; each message is whole, an AEAD's with "
        "a nonce, a tag and 13 bytes of associated data",
        f"one buffer again and again, in the nearest cache; {_MEAN}",
    ),
)

# ---------------------------------------------------------------- Mbed TLS benchmark

MBEDTLS = Program(  # programs/test/benchmark.c of Mbed TLS 2.16 to 3.6
    name="mbedtls",
    tool="Mbed TLS benchmark",
    provider="mbedtls",
    mark="B/s",
    rows=(r"^\s*<name>\s*:\s+<rate> [kK]i?B/s,\s+(?:<per> ns|<n> (?:cycles|ticks))/byte\s*$",),
    cut=(r"^\s*<name>\s*:\s+<n>(?: [kK]i?(?:B(?:/s?)?)?)?(?:,.*)?$",),
    skips={PUBLIC_KEY: r"^\s*<name>\s*:\s+\d+\s+\S+(?: \S+)?/s"},
    own={"size": "1024", "unit_bytes": "1024"},
    settle=lambda values: with_more_digits(values, "per", "rate"),
    traps=(
        "rates are of KiB (2^10 bytes) without decimals, or nanoseconds of a byte where they have "
        "more digits; cycles per byte are of a counter of the platform, and are left out",
        "the key is set before; one message of 1024 bytes again and again, an AEAD's with a tag; "
        f"{_MEAN}",
    ),
)

# ---------------------------------------------------------------- free names: go, criterion, google

_SIZE = re.compile(r"(?<![\d.])(\d{1,12})[ _-]?(ki?b?|mi?b?|b(?:ytes?)?|)(?![a-z\d])")
_SCALES = {"k": 2**10, "m": 2**20}
_PART_OF_A_NAME = re.compile(r"(?:[a-z]|sha[23]?[-_]|blake2[bs][-_])$")
_OPERATION = re.compile(r"seal|open|encrypt|decrypt|enc(?![a-z])|dec(?![a-z])")
_FILLERS = re.compile(
    r"^benchmark|^bench|^bm(?=[_/-])|speed|aead(?=[_/-])|(?:hash|digest)(?!\d)|inputsize"
    r"|new(?![a-z])|mtu|write|apply|keystream|in[-_]?place|blocks?"
    r"|(?:seal|open|encrypt|decrypt|enc|dec)(?:ion)?(?![a-z])"
)


def _named(values: Values) -> Values | str:
    """Finds algorithm and bytes in a free name; the bytes have to be those of rate and time."""
    line, name = int(values["at"]), values["name"].lower()
    if "rate" in values:
        seconds = positive(values["time"], line) * CLOCKS[values["clock"]] / 1e9
        bytes_ = positive(values["rate"], line) * unit_of(values) * seconds
        error = bytes_ * (_rounding(values["rate"]) + _rounding(values["time"]))
    else:
        bytes_, error = positive(values["size"], line), 0
    for match in reversed(list(_SIZE.finditer(name))):
        size = int(match[1]) * _SCALES.get(match[2][:1], 1)
        if abs(size - bytes_) <= error and (
            match[2] or not _PART_OF_A_NAME.search(name[: match.start()])
        ):
            name = name[: match.start()] + name[match.end() :]
            break
    else:
        size = round(bytes_)
        if error >= 0.5 or abs(size - bytes_) > error + 1e-6 * bytes_:
            return "figures whose message has no settled size"
    op = _OPERATION.search(name)
    name = re.sub(r"^(?:\w*bench\w*|tests?)::", "", name)
    name = re.sub(r"(chacha20poly1305.*)-x(?![a-z])", r"x\1", re.sub(r"sum(?=\d)", "sha", name))
    name = re.sub(r"[/:_ -]+", "-", _FILLERS.sub("-", name))
    name = re.sub(r"-\d{1,2}$", "", name.rstrip("-")).strip("-")
    package = values.get("pkg", "")
    values = {key: text for key, text in values.items() if key != "rate"}
    if package == "crypto/cipher":
        values["aes"] = "128"
    return values | {
        "size": str(size),
        "op": op[0] if op else "",
        "plain": name if re.search("[a-z]", name) else package.rpartition("/")[2],
    }


def _rounding(text: str) -> float:
    """Returns the relative error of a number; one without decimals may have been cut."""
    digits = max(1, int(re.sub(r"\D", "", text)[:30]))
    return (0.501 if "." in text else 1.001) / digits


_FREE_NAMES = (
    "algorithm and bytes were taken from the name of each benchmark, and from rate and time"
)

GO = Program(  # testing/benchmark.go of Go 1.24
    name="go-test",
    tool="go test -bench",
    provider="go",
    mark=" ns/op",
    state=(r"^pkg: (?P<pkg>\S+)",),
    rows=(r"^\s*Benchmark(?P<name>\S+)\s+\d+\s+<time> (?P<clock>ns)/op.*?\s<rate> (?P<unit>MB)/s",),
    cut=(r"^\s*Benchmark\S+\s+\d+\s+[\d.]+ ns/op\s+[\d.]+(?: M?B?/?)?$",),
    skips={"figures without MB/s": r"^\s*Benchmark\S+\s+\d+\s+[\d.]+ ns/op"},
    settle=_named,
    traps=(_FREE_NAMES, f"the suffix -N of a name is GOMAXPROCS; one goroutine; {_MEAN}"),
)

CRITERION = Program(  # report.rs of criterion 0.5, message_formats/json.rs of cargo-criterion 1.1
    name="criterion",
    tool="criterion",
    provider="rust",
    mark="thrpt:",
    state=(
        r"^Benchmarking (?P<name>[^:]{1,80})",
        r"^(?P<name>[^\s:\[]{24,80})$",
        r"^<name>?\s+time:\s+\[\S+ \S+ <time> <clock> ",
        r"^full_id (?P<name>.*) of <size> bytes$",
    ),
    rows=(
        r"^\s+thrpt:\s+\[\S+ \S+ <rate> (?P<unit>[KMGT]?i?B)/s ",
        r"^thrpt: <size> bytes, time: <time> <clock>, name: <name>$",
        r"^thrpt: estimate <time> <clock>$",
    ),
    json=(
        "thrpt: {throughput.0.per_iteration} {throughput.0.unit}, "
        "time: {typical.estimate} {typical.unit}, name: {id}",
        "full_id {full_id} of {throughput.Bytes} bytes",
        "thrpt: estimate {slope.point_estimate} ns",
        "thrpt: estimate {mean.point_estimate} ns",
    ),
    cut=(r"^\s+thrpt:\s+\[[^\]%]*$",),
    settle=_named,
    traps=(_FREE_NAMES, "the slope or the mean of the samples, without criterion's interval"),
)


RUST = Program(  # library/test/src/bench.rs of Rust, which rounds the rate down
    name="cargo-bench",
    tool="cargo bench",
    provider="rust",
    mark=" ns/iter",
    rows=(
        r"^\s*test <name>\s+\.\.\. bench:\s+(?P<time>\d[\d,.]*) (?P<clock>ns)/iter"
        r" \(\+/- [\d,.]+\) = <rate> (?P<unit>MB)/s",
    ),
    cut=(r"^\s*test .* ns/iter \(\+/- [\d,.]+\) = [^/]*$",),
    skips={"figures without MB/s": r"^\s*test .* ns/iter \("},
    settle=lambda values: _named(values | {"time": values["time"].replace(",", "")}),
    traps=(_FREE_NAMES, "the median of the samples, without its deviation"),
)


def _google(values: Values) -> Values | str:
    name, powers = values["name"], "_kMGT".index(values.get("prefix", "").replace("K", "k") or "_")
    values["unit_bytes"] = str(1024**powers)
    if values.get("run") == "aggregate" and not name.endswith("_median"):
        return "means and deviations of repetitions"
    if re.search(r"/threads:(?!1\b)\d", name):
        return "figures of several threads"
    if re.search("/(?:real|manual)_time", name):
        values["time"] = values["real"]
    plain = re.sub(r"_median$|/threads:1\b|/[a-z]+_time|/(?:iterations|repeats):\d+", "", name)
    settled = _named(values | {"name": " ".join(filter(None, (plain, values.get("label"))))})
    return settled if isinstance(settled, str) else settled | {"apart": values["at"]}


GOOGLE = Program(  # src/json_reporter.cc, console_reporter.cc of google/benchmark 1.9
    name="google-benchmark",
    tool="google-benchmark",
    provider="google-benchmark",
    mark="bytes_per_second=",
    state=(r"^executable (?:\S*/)?(?P<library>[^/\s]+)$",),
    rows=(
        r"^<name> \((?P<run>\w*)\) <time>, <real> <clock> at <rate>: ?(?P<label>.*)$",
        r"^<name>\s+<real> [mun]?s\s+<time> <clock>\s+\d+\s.*bytes_per_second=<rate>"
        r"(?P<prefix>[kKMGT]?)i?B?/s",
    ),
    json=(
        "{name} ({run_type}) {cpu_time}, {real_time} {time_unit} at {bytes_per_second}: {label}",
        "{name} ({run_type}) {cpu_time}, {real_time} {time_unit} at {bytes_per_second}:",
        "{name} () {cpu_time}, {real_time} {time_unit} at {bytes_per_second}:",
        "executable {executable}",
    ),
    settle=_google,
    combine=median,
    divisor="cpu-time",
    traps=(
        _FREE_NAMES,
        "figures are CPU time, and bytes_per_second is of it unless real time was asked for; of "
        "repetitions the median",
    ),
)

# ---------------------------------------------------------------- tcrypt of the Linux kernel

_SALTED = re.compile(r"rfc(?:4106|3686|4309|7539)\((.*)\)$")
_SALT_BITS = {"4106": 32, "3686": 32, "4309": 24, "7539": 0}


def _tcrypt(values: Values) -> Values | str:
    if "update" in values:
        if values["update"] != values["size"]:
            return "hashes of messages in pieces"
        values.pop("bits", None)
    if salted := _SALTED.match(values.get("name", "")):
        bits = whole(values.get("bits", "0"), int(values["at"])) - _SALT_BITS[values["name"][3:7]]
        values |= {"plain": salted[1], "bits": str(bits)}
    return values


TCRYPT = Program(  # crypto/tcrypt.c of Linux 4.4 to 6.12
    name="tcrypt",
    tool="tcrypt",
    provider="linux",
    mark="oper",
    state=(
        r"(?P<begin>testing speed of) (?:a?sync )?(?P<name>(?:multibuffer )?\S+)"
        r"(?: \((?P<code>[^ ]{1,80})\))?(?: (?P<op>encryption|decryption))?\s*$",
        r"test +\d+ \(<bits> bit key, <size> byte blocks\)",
        r"test *\d+ \( *<size> byte blocks, *(?P<update>\d+) bytes per update, *\d+ updates\)",
    ),
    rows=(
        r"\boperations in <took> seconds \(<done> bytes\)",
        r"\b1 operation in <ticks> cycles \(\d+ bytes\)",
        r": +\d+ opers/sec, +<rate> bytes/sec",
        r": +<ticks> cycles/operation, +\d+ cycles/byte",
    ),
    cut=(r"\d+ operations? in \d*(?: \S*(?: \(\d*(?: byte)?s?)?)?$|\d+ opers/sec, +\d*$",),
    own={"clock": "s"},
    settle=_tcrypt,
    traps=(
        "the kernel's own functions, called within it: no system call is in the time",
        "cycles are ticks of get_cycles, which are no core cycles: --clock gives their rate",
        f"one buffer again and again; {_MEAN}",
    ),
)

# ---------------------------------------------------------------- gocryptfs -speed

GOCRYPTFS = Program(  # internal/speed/speed.go of gocryptfs 1.4 to 2.5
    name="gocryptfs",
    tool="gocryptfs -speed",
    provider="gocryptfs",
    mark="AES-GCM-256-",
    rows=(
        r"^[\s/*]*(?P<name>AES-GCM-256|AES-SIV-512|XChaCha20-Poly1305)-(?P<code>OpenSSL|Go)\s+"
        r"(?P<rate>N/A|\d[\d.,]*(?= MB/s))(?: (?P<unit>MB)/s)?(?=\s|$)",
    ),
    cut=(r"^(?:AES-GCM-256|AES-SIV-512|XChaCha20-Poly1305)-(?:OpenSSL|Go)\s+\d",),
    own={"size": "4096"},
    settle=lambda values: values | {"code": values["code"].lower()},
    traps=(
        "messages are blocks of 4096 bytes with a nonce and 24 bytes of associated data each",
        f"the key is set before; {_MEAN}",
    ),
)

# ---------------------------------------------------------------- Crypto++


def _cryptopp(values: Values) -> Values | str:
    """Takes cycles of a byte where they have more digits and the clock is stated."""
    if "cpb" in values and "clock_hz" in values:
        hz = positive(values["clock_hz"], int(values["at"])) * _HERTZ[values["hertz"]]
        digits = values["cpb"].replace(".", "").lstrip("0")
        if len(digits) > len(values["rate"]):
            values["per"] = f"{positive(values['cpb'], int(values['at'])) / hz * 1e9:.12f}"
            values.pop("rate")
    name = values["name"].lower()
    if ("keying" if "clock_hz" in values else "cpb") in values and name in ("blake2b", "blake2s"):
        values |= {"name": f"{values['name']} as a MAC", "plain": f"{name}-mac"}
    return values


_HERTZ = {"GHz": 1e9, "MHz": 1e6, "KHz": 1e3, "Hz": 1.0}

CRYPTOPP = Program(  # bench1.cpp, bench2.cpp of Crypto++ 5.6 to 8.9
    name="cryptopp",
    tool="cryptest b",
    provider="cryptopp",
    mark="<TD>",
    state=(
        r"Crypto\+\+ (?P<version>\d[\d.]*)</A> Benchmarks",
        r"CPU frequency of the test platform is (?P<clock_hz>\d[\d.]*) (?P<hertz>[GMK]?Hz)",
    ),
    rows=(
        r"^<TR[^>]*><T[DH]>(?P<name>[^<]{1,60}?)(?: \(<bits>-bit key\))?"
        r"(?:<T[DH]>(?P<code>[^<\d][^<]*))?<TD>\s*<rate>(?:<TD>\s*(?P<cpb>\d[\d.]*))?"
        r"(?P<keying>(?:<TD>\s*\d[\d.]*)+)?\s*$",
    ),
    own={"size": "2048", "unit": "MiB", "aes": "128", "serpent": "128", "twofish": "128"},
    words={
        "vmac(aes)-64": "vmac-64",
        "vmac(aes)-128": "vmac-128",
        "poly1305tls": "poly1305",
        "chachatls": "chacha20",
    },
    settle=_cryptopp,
    divisor="cpu-time",
    traps=(
        "rates are MiB without decimals; cycles of a byte are taken where they have more digits",
        "the benchmark gives a cipher, hash or MAC 2048 bytes after 2048 bytes and never finishes "
        "a message: nonce, tag and digest are not in the time",
        f"the key is set before; CPU time divides; {_MEAN}",
    ),
)

PROGRAMS = (
    CRYPTSETUP,
    BOTAN,
    DPDK,
    BENCH_SLOPE,
    SUPERCOP,
    WOLFCRYPT,
    BSSL,
    MBEDTLS,
    GO,
    CRITERION,
    RUST,
    GOOGLE,
    TCRYPT,
    GOCRYPTFS,
    CRYPTOPP,
)
"""Programs in the order in which a file is tried."""
