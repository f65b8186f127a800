"""The portable kernels in builds of two widths of words."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.errors import WorkError
from ciphermark.run import word_size
from ciphermark.run.speed_tools import first_cpu
from ciphermark.run.word_size import NARROW, WIDE, Timed, word_sizes

LINES = {
    "narrow": [("hmac-md5", "portable", 300, 7), ("cmac-aes-128", "table", 500, 8)],
    "wide": [
        ("hmac-md5", "portable", 200, 7),
        ("cmac-aes-128", "table", 400, 8),
        ("cmac-aes-128", "portable", 900, 8),
    ],
}
"""What images would print: nanoseconds of a message of 100 bytes, and the tag."""


def lend(
    monkeypatch: pytest.MonkeyPatch, lines: dict[str, list[tuple[str, str, int, int]]]
) -> None:
    """Builds that need no compiler."""

    def build(targets: object, kernels: Path, folder: Path) -> word_size._Build:
        return word_size._Build(Path(folder.name), f"{folder.name}-gcc -O2")

    def run(image: Path, cpu: int) -> list[Timed]:
        return [
            Timed(name, backend, message_bytes=100, messages=2, ns=2 * ns, tag=tag)
            for name, backend, ns, tag in lines[image.name]
        ]

    monkeypatch.setattr(word_size, "_build", build)
    monkeypatch.setattr(word_size, "_run", run)
    monkeypatch.setattr(word_size.platform, "machine", lambda: "x86_64")


def test_each_function_has_its_quickest_kernel_in_both_builds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lend(monkeypatch, LINES)
    found = {
        (it.program, it.algorithm): it for it in word_sizes(["hmac-md5", "cmac-aes-128"], 0, 3)
    }
    assert found[NARROW, "hmac-md5"].ns_per_byte == pytest.approx(3.0)
    assert found[WIDE, "cmac-aes-128"].ns_per_byte == pytest.approx(4.0)
    assert found[WIDE, "cmac-aes-128"].detail == "wide-gcc -O2, table"


def test_builds_that_compute_something_else_have_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = [("hmac-md5", "portable", 200, 9), *LINES["wide"][1:]]
    lend(monkeypatch, LINES | {"wide": wrong})
    found = {
        (it.program, it.algorithm): it for it in word_sizes(["hmac-md5", "cmac-aes-128"], 0, 1)
    }
    assert found[NARROW, "hmac-md5"].ns_per_byte is None
    assert found[NARROW, "hmac-md5"].reason == "the two builds do not give the same tag"
    assert found[WIDE, "cmac-aes-128"].ns_per_byte is not None


def test_what_no_kernel_has_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    lend(monkeypatch, LINES)
    assert [it.reason for it in word_sizes(["vmac-64"], 0, 1)] == 2 * ["no portable kernel has it"]


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_without_a_compiler_the_reason_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, machine: str
) -> None:
    monkeypatch.setattr(word_size.platform, "machine", lambda: machine)
    monkeypatch.setenv("PATH", "/nowhere")
    found = word_sizes(["hmac-md5"], 0, 1)
    assert [it.program for it in found] == [NARROW, WIDE]
    assert all("apt-get install gcc-" in it.reason for it in found)
    assert "qemu" not in found[0].reason


def test_other_processors_have_no_build_of_32_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_size.platform, "machine", lambda: "riscv64")
    [found, _] = word_sizes(["hmac-md5"], 0, 1)
    assert found.reason == "no 32-bit build is known that runs on riscv64"


@pytest.mark.targets
def test_both_builds_give_the_same_tags() -> None:
    names = ["hmac-md5", "hmac-sha512", "cmac-aes-128", "cmac-serpent-128", "vmac-64", "vmac-128"]
    found = word_sizes(names, first_cpu(), 1)
    if "apt-get" in found[0].reason:
        pytest.skip(found[0].reason)
    assert {it.reason for it in found} == {""}
    assert all(it.ns_per_byte and it.ns_per_byte > 0 for it in found)


def test_images_that_crash_are_an_error(tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_text("#!/bin/sh\nexit 1\n")
    image.chmod(0o755)
    with pytest.raises(WorkError, match="failed"):
        word_size._run(image, 0)
