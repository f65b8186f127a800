"""Libraries behind shims, kernels and switches that are not as they should be: each is one line in
`list providers` or one row without a figure, and the others go on.

What is said of OpenSSL is tested in test_bad_input_library.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ciphermark import contract
from ciphermark.run.engine import Engine
from engine_fixture import FEW, Command, has_figures, unspaced
from library_fixture import KERNELS, SOURCES, Build, compiled

pytestmark = pytest.mark.engine

CRASHED = "crashed the worker process with SIGABRT when it was opened"
NOWHERE = """#include "kernel.h"

static const struct ciphermark_library table = {
    .abi = CIPHERMARK_ABI, .function_bytes = sizeof(struct ciphermark_function),
    .function_count = 3,
};

const struct ciphermark_library *ciphermark_library(void)
{
    return &table;
}
"""
"""A kernel whose table says that there are rows, and not where."""
E_MACHINE = slice(18, 20)
"""Where an ELF header has the number of the machine."""


def installed(engine: Engine, name: str) -> Path:
    """The file of a library; skips where it cannot be used."""
    [provider] = [it for it in engine.describe().providers if it.name == name]
    if not provider.usable:
        pytest.skip(provider.reason)
    return Path(provider.location)


class Listing(NamedTuple):
    """What `list providers` says, for machines and for people."""

    providers: dict[str, dict[str, Any]]
    text: str

    def of(self, name: str) -> dict[str, Any]:
        """What it says of one, for people in a line of its own."""
        assert unspaced(self.providers[name]["reason"]) in unspaced(self.text)
        return self.providers[name]


def listed(command: Command, name: str, *options: object) -> Listing:
    """With options that change one provider; the others are there as usual."""
    usual = command("list", "providers", "--json").document["providers"]
    ended = command("list", "providers", *options, "--json")
    assert ended.code == 0, ended.messages
    found = {it["name"]: it for it in ended.document["providers"]}
    assert all(found[it["name"]] == it for it in usual if it["name"] != name)
    return Listing(found, command("list", "providers", *options).output)


def refused(command: Command, name: str, *options: object) -> str:
    """Why a library that the user named cannot be used, which all commands say alike."""
    provider = listed(command, name, *options).of(name)
    assert not provider["usable"]
    sentence = f"{name} cannot be used: {provider['reason']}"
    for verb in (("survey", *FEW), ("verify", "--algorithms", "sha256")):
        refusal = command(*verb, *options)
        assert (refusal.code, refusal.sentence) == (2, sentence)
    return provider["reason"]


def of_another_machine(library: Path, target: Path) -> Path:
    """The library, with a header that says it is for 32-bit SPARC, where no test runs."""
    content = bytearray(library.read_bytes())
    content[E_MACHINE] = (2).to_bytes(2, "little")
    target.write_bytes(content)
    return target


@pytest.mark.parametrize(
    ("name", "old"), [("libtomcrypt", "1.01.1"), ("wolfssl", "3.1.0"), ("ipsec-mb", "0.5.5")]
)
def test_a_library_of_another_version_than_its_headers(
    command: Command, engine: Engine, tmp_path: Path, name: str, old: str
) -> None:
    """A copy of the installed one that says it is older."""
    library = installed(engine, name)
    [provider] = [it for it in engine.describe().providers if it.name == name]
    text = provider.version.encode()
    same_length = old[: len(text)].ljust(len(text), "0").encode()
    copy = tmp_path / library.name
    copy.write_bytes(library.read_bytes().replace(text, same_length))
    reason = refused(command, name, "--library", f"{name}={copy}")
    assert f"{copy} is {provider.title} {same_length.decode()}, and this engine has shims" in reason
    assert "apt-get install" in reason


def test_a_library_for_another_machine(command: Command, engine: Engine, tmp_path: Path) -> None:
    foreign = of_another_machine(installed(engine, "nettle"), tmp_path / "libnettle.so.8")
    reason = refused(command, "nettle", "--library", f"nettle={foreign}")
    assert reason.startswith(f"libnettle cannot be loaded ({foreign}: ")
    assert "--library nettle=PATH" in reason


def test_a_library_that_lacks_a_function(
    command: Command, engine: Engine, compiler: str, tmp_path: Path
) -> None:
    installed(engine, "libtomcrypt")
    source = tmp_path / "lacking.c"
    source.write_text("int register_cipher(const void *cipher) { return cipher != 0; }")
    lacking = compiled(
        compiler, tmp_path / "libtomcrypt.so.1", "-Wl,-soname,libtomcrypt.so.1", source
    )
    reason = refused(command, "libtomcrypt", "--library", f"libtomcrypt={lacking}")
    assert f"{lacking} does not fit the headers" in reason
    assert "undefined symbol" in reason


def test_a_library_that_crashes_when_it_is_opened(
    command: Command, engine: Engine, library: Build
) -> None:
    installed(engine, "nettle")
    crashing = library("at_load", alone=True, MISDEED="abort()")
    reason = refused(command, "nettle", "--library", f"nettle={crashing}")
    assert reason == f"nettle {CRASHED}; name another library with --library nettle=PATH"


def test_kernels_that_cannot_be_used(
    command: Command, kernel: Build, library: Build, compiler: str, tmp_path: Path
) -> None:
    """All at once, beside one that can."""
    empty = tmp_path / "empty.c"
    empty.write_text("int nothing;")
    nowhere = tmp_path / "nowhere.c"
    nowhere.write_text(NOWHERE)
    headers = f"-I{KERNELS / 'include'}"
    kernels = {
        "mine": kernel("mine"),
        "lacking": compiled(compiler, tmp_path / "lacking.so", empty),
        "nowhere": compiled(compiler, tmp_path / "nowhere.so", headers, nowhere),
        "foreign": of_another_machine(kernel("mine"), tmp_path / "foreign.so"),
        "libcrypto": library("at_load", alone=True, MISDEED="abort()"),
        "absent": tmp_path / "absent.so",
    }
    options = [text for path in kernels.values() for text in ("--kernel", path)]
    said = {
        "lacking": "lacks the function ciphermark_library",
        "nowhere": "has a table whose functions are at 0x0: point it at its rows",
        "foreign": "is not a shared object for ",
        "absent": "cannot be opened (No such file",
    }
    listing = listed(command, "kernel", *options)
    for name, words in said.items():
        reason = listing.of(f"kernel@{name}")["reason"]
        assert reason.startswith(f"{kernels[name]} {words}")
    assert CRASHED in listing.of("kernel@crypto")["reason"]
    assert listing.of("kernel@mine")["usable"]
    assert refused(command, "kernel@absent", "--kernel", kernels["absent"])


@pytest.mark.parametrize(
    ("misdeed", "kind", "message"),
    [
        ("return 7", "failed", "the library returned error 7"),
        ("raise(SIGSEGV)", "crash", "kernel@mine crashed the worker process with SIGSEGV"),
        # Which of the two is found first depends on how long it was timed.
        (
            "spoil = 1",
            "wrong-while-timed",
            ("it no longer gives", "what it wrote while it was timed"),
        ),
    ],
)
@pytest.mark.measures
def test_a_kernel_that_fails_in_the_middle_leaves_the_others_alone(
    command: Command,
    engine: Engine,
    kernel: Build,
    misdeed: str,
    kind: str,
    message: str | tuple[str, ...],
) -> None:
    installed(engine, "openssl")
    broken = kernel("mine", WHEN="call > 1000", MISDEED=misdeed)
    ended = command("survey", *FEW, "--kernel", broken, "--providers", "kernel@mine,openssl",
                    "--algorithms", "siphash-2-4-64", "--operations", "mac", "--json")  # fmt: skip
    assert ended.code == 1
    other, failed = ended.document["rows"]
    assert (other["provider"], failed["provider"]) == ("openssl", "kernel@mine")
    assert failed["error"]["kind"] == kind
    assert failed["error"]["message"].startswith(message)
    assert failed["cycles_per_message"] is failed["cycles_per_byte"] is failed["ci_low"] is None
    has_figures(other)


@pytest.mark.measures
def test_a_library_behind_a_shim_that_fails_in_the_middle_leaves_the_others_alone(
    command: Command, engine: Engine, compiler: str, tmp_path: Path
) -> None:
    library = installed(engine, "libtomcrypt")
    soname = "libtomcrypt.so.1"
    # The loader takes two libraries of one name for the same, so the real one gets another.
    other_name = soname.replace("lib", "Lib")
    real = tmp_path / other_name
    real.write_bytes(library.read_bytes().replace(soname.encode(), other_name.encode()))
    failing = compiled(
        compiler, tmp_path / soname, f"-Wl,-soname,{soname}", "-Wl,--no-as-needed",
        f"-Wl,-rpath,{tmp_path}", SOURCES / "tomcrypt.c", real, "-ldl",
    )  # fmt: skip
    options = ("--providers", "libtomcrypt,rustcrypto", "--library", f"libtomcrypt={failing}")
    ended = command("survey", *FEW, *options, "--json")
    assert ended.code == 1
    failed, other = ended.document["rows"]
    assert (failed["provider"], other["provider"]) == ("libtomcrypt", "rustcrypto")
    assert failed["error"]["message"] == "the library returned error 5"
    assert failed["cycles_per_message"] is None
    has_figures(other)


@pytest.mark.parametrize(
    ("name", "variable", "value"),
    [
        ("openssl", "OPENSSL_ia32cap", "~0x0:~0x20000000"),
        ("nettle", "NETTLE_FAT_OVERRIDE", "vendor:other"),
        ("nettle", "NETTLE_FAT_OVERRIDE", "\n"),
    ],
)
@pytest.mark.measures
def test_a_switch_that_the_user_has_set_is_said(
    command: Command, engine: Engine, name: str, variable: str, value: str
) -> None:
    """It is no mistake: the library runs under it, and everybody is told."""
    installed(engine, name)
    command.environment[variable] = value
    providers = command("list", "providers", "--json").document["providers"]
    noticed = {it["name"]: it["notice"] for it in providers if it["notice"]}
    # AWS-LC follows OpenSSL's variable.
    assert {name} <= noticed.keys() <= {name, "aws-lc"}
    assert all(notice.startswith(f"{variable} is set to ") for notice in noticed.values())
    assert f"(unset {variable} to measure what it does by itself)" in noticed[name]
    assert unspaced(noticed[name]) in unspaced(command("list", "providers").output)

    ended = command("survey", *FEW, "--providers", f"{name},rustcrypto", "--json")
    assert ended.code == 0, ended.messages
    assert {row["provider"] for row in ended.document["rows"]} == {name, "rustcrypto"}
    kept: dict[str, contract.Provider] = {it.name: it for it in command.only_run().hello.providers}
    assert kept[name].notice == noticed[name]


def test_a_library_that_nobody_has_is_no_library(command: Command) -> None:
    for verb in (("list", "providers"), ("verify", "--algorithms", "md5"), ("survey", *FEW)):
        refusal = command(*verb, "--library", "opensl=/lib/libcrypto.so.3")
        assert refusal.code == 2
        # A survey knows no devices, one of which has a name that is near as well.
        assert refusal.sentence.startswith("there is no provider 'opensl'; near: openssl")
