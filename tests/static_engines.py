"""The engines that `make engines` has made, each in a form that this machine can run."""

from __future__ import annotations

import ctypes
import errno
import functools
import shlex
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from ciphermark.errors import UsageError
from ciphermark.run import engine_choice

EMULATED = {"aarch64": (2, 183), "armv7": (1, 40), "riscv64": (2, 243)}
"""Word length and machine of programs that are emulated here (ELF's gABI, "ELF Header": EI_CLASS,
e_machine)."""
QEMU = {"armv7": "qemu-arm"}
"""Emulators whose name is not that of the machine."""


def made(machine: str) -> Path:
    """The static engine for a machine; skips where it was not made."""
    try:
        return engine_choice.static_engine(machine).path
    except UsageError as error:
        pytest.skip(str(error))


def run_on(machine: str, folder: Path) -> Path:
    """A program that behaves as that machine's engine: itself, or a script that emulates it.

    The engine starts its workers itself, so that the kernel must know how to: it is told in a
    namespace of the script's own, and of nothing else on this machine.
    """
    engine = made(machine)
    if machine == engine_choice.own_machine():
        return engine
    if machine not in EMULATED:
        pytest.skip(f"engines for {machine} are not emulated here")
    return emulator(machine, engine, folder)


def emulator(machine: str, engine: Path, folder: Path) -> Path:
    """A script that emulates a machine's engine."""
    script = folder / "engine"
    script.write_text("#!/bin/sh\nexec " + shlex.join(_emulating(engine, machine)) + ' "$@"\n')
    script.chmod(0o755)
    return script


def _emulating(engine: Path, machine: str) -> list[str]:
    """The command that arguments of the engine follow."""
    steps = (*steps_to_emulate(machine), 'exec "$0" "$@"')
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", " && ".join(steps)]
    refusal = _refusal(tuple(command))
    if refusal:
        pytest.skip(f"this kernel lets no user say how {machine} programs are run: {refusal}")
    return [*command, str(engine)]


def steps_to_emulate(machine: str = "aarch64") -> tuple[str, ...]:
    """Commands of a shell, root in a namespace of users, after which programs of a machine run
    there; skips where there is no emulator."""
    qemu = shutil.which(QEMU.get(machine, f"qemu-{machine}"))
    if qemu is None:
        pytest.skip(f"no emulator of {machine} (Debian's qemu-user); type: make system-packages")
    magic, mask = map(_escaped, _pattern(*EMULATED[machine]))
    rule = shlex.quote(f":{machine}:M::{magic}:{mask}:{qemu}:F")
    return (
        "mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc",
        f"printf %s {rule} >/proc/sys/fs/binfmt_misc/register",
    )


def _pattern(word: int, machine: int) -> tuple[bytes, bytes]:
    """First bytes of little-endian programs, of type 2, or 3 where position-independent, and the
    bits of them that count (Linux' admin-guide/binfmt-misc.rst)."""
    magic = struct.pack("<4s3B9xHH", b"\x7fELF", word, 1, 1, 2, machine)
    mask = b"\xff" * 7 + b"\0" + b"\xff" * 8 + b"\xfe\xff\xff\xff"
    return magic, mask


def _escaped(text: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in text)


@functools.cache
def _refusal(command: tuple[str, ...]) -> str:
    """Why the steps cannot be taken here (Linux 6.7 and namespaces of users); empty if they can."""
    if shutil.which("unshare") is None:
        return "no command unshare"
    tried = subprocess.run([*command, "true"], capture_output=True, text=True, timeout=60)
    return "" if tried.returncode == 0 else tried.stderr.strip() or f"code {tried.returncode}"


def have_calls_up_to(newest: int) -> None:
    """Lets this process, and whatever it becomes, have no system calls of higher numbers.

    On x86-64 they are numbered as they came, so this is a kernel of that age. For `preexec_fn`.
    """
    load, if_above, answer = 0x20, 0x25, 0x06  # BPF_LD|W|ABS, BPF_JMP|JGT|K, BPF_RET|K
    allow, refuse = 0x7FFF0000, 0x00050000 | errno.ENOSYS  # linux/seccomp.h
    steps = (
        (load, 0, 0, 0),
        (if_above, 1, 0, newest),
        (answer, 0, 0, allow),
        (answer, 0, 0, refuse),
    )
    program = b"".join(struct.pack("=HBBI", *step) for step in steps)
    kept = ctypes.create_string_buffer(program)
    filters = struct.pack("@HP", len(steps), ctypes.addressof(kept))  # struct sock_fprog
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, seccomp, by_filter = 38, 22, 2  # linux/prctl.h, linux/seccomp.h
    libc.prctl(no_new_privileges, 1, 0, 0, 0)
    if libc.prctl(seccomp, by_filter, filters, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no filter of system calls")
