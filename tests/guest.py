"""A Debian kernel in QEMU, for what the kernel of the machine may refuse.

Without disk and network: all that it has is in its first file system. It is emulated, and not
virtualised, so that it starts wherever QEMU does; nothing in it can be timed.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

QEMU = "qemu-system-x86_64"
BUSYBOX = Path("/bin/busybox")
MACHINE = (
    *("-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "1024"),
    *("-nodefaults", "-no-reboot", "-display", "none", "-net", "none"),
)

ARGUMENTS = "console=ttyS0 quiet panic=-1 no_timer_check cryptomgr.notests=1"
"""On a busy machine an emulated timer is late, and the kernel would take it for a broken one.
Drivers need no tests of their own when they are loaded: what they compute is tested here."""

INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
for module in $(find /lib/modules -path '*/arch/x86/crypto/*.ko'); do
    modprobe -q "$(basename "$module" .ko)"
done
sh /commands
poweroff -f
"""
"""Drivers that need features of the processor are loaded as at the start of a machine; everything
else when it is asked for."""


class Answer(NamedTuple):
    """What a command in the guest said, and how it ended."""

    code: int
    output: str
    messages: str


class Unavailable(Exception):
    """A piece of the guest is missing; says what to type."""


@dataclass(frozen=True)
class Guest:
    """What a guest is made of, in a folder of this test."""

    kernel: Path
    modules: Path
    folder: Path

    @classmethod
    def of(cls, unpacked: Path, folder: Path) -> Guest:
        """The guest of an unpacked kernel package."""
        if sys.platform != "linux" or shutil.which(QEMU) is None or not BUSYBOX.exists():
            raise Unavailable(f"no {QEMU} or no static busybox; type: sudo make system-packages")
        kernels = sorted(unpacked.glob("boot/vmlinuz-*"))
        if not kernels:
            raise Unavailable(f"no kernel for a guest in {unpacked}; type: make guest-kernel")
        version = kernels[-1].name.removeprefix("vmlinuz-")
        return cls(kernels[-1], unpacked / "lib" / "modules" / version, folder)

    def run(
        self, commands: Sequence[Sequence[str]], programs: dict[str, Path], seconds: float
    ) -> list[Answer]:
        """The answers to commands, which are run one after the other.

        `programs` are put into the guest's /bin under these names, with the libraries that they
        need.
        """
        image = self._image(commands, programs)
        console, answers = self.folder / "console", self.folder / "answers"
        try:
            subprocess.run(
                [
                    *(QEMU, *MACHINE, "-kernel", self.kernel, "-initrd", image),
                    *("-append", ARGUMENTS),
                    *("-serial", f"file:{console}", "-serial", f"file:{answers}"),
                ],
                check=True,
                timeout=seconds,
                stdin=subprocess.DEVNULL,
                capture_output=True,
            )
        except subprocess.TimeoutExpired:
            said = console.read_text(errors="replace")[-2000:]
            raise AssertionError(f"the guest did not end within {seconds} s:\n{said}") from None
        found = _answers(answers.read_text())
        assert len(found) == len(commands), console.read_text(errors="replace")[-2000:]
        return found

    def _image(self, commands: Sequence[Sequence[str]], programs: dict[str, Path]) -> Path:
        """The first file system, as the kernel takes it."""
        root = self.folder / "root"
        for name in ("bin", "dev", "proc", "sys", "tmp"):
            (root / name).mkdir(parents=True)
        for name, program in {"busybox": BUSYBOX, **programs}.items():
            shutil.copy(program, root / "bin" / name)
        for library in {it for program in programs.values() for it in _libraries(program)}:
            (root / library.parent.relative_to("/")).mkdir(parents=True, exist_ok=True)
            shutil.copy(library, root / library.relative_to("/"))
        # Where the kernel looks for the program that loads its modules.
        (root / "sbin").mkdir()
        (root / "sbin" / "modprobe").symlink_to("/bin/busybox")
        shutil.copytree(self.modules, root / "lib" / "modules" / self.modules.name)
        depmod = [BUSYBOX, "depmod", "-b", root, self.modules.name]
        subprocess.run(depmod, check=True, timeout=60)
        (root / "commands").write_text("".join(_line(command) for command in commands))
        init = root / "init"
        init.write_text(INIT)
        init.chmod(0o755)
        image = self.folder / "image"
        with image.open("wb") as file:
            names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
            pack = [BUSYBOX, "cpio", "-o", "-H", "newc"]
            subprocess.run(
                pack, cwd=root, input=names.encode(), stdout=file, check=True, timeout=60
            )
        return image


def _line(command: Sequence[str]) -> str:
    """A command of the guest's script, whose answer goes to the second serial line."""
    parts = ("echo $code", "cat /tmp/output", "echo ---", "cat /tmp/messages", "echo ===")
    return (
        f"{shlex.join(command)} >/tmp/output 2>/tmp/messages </dev/null; code=$?\n"
        f"{{ {'; '.join(parts)}; }} >/dev/ttyS1\n"
    )


def _answers(text: str) -> list[Answer]:
    """What the second serial line brought, whose lines end as a terminal wants them."""
    *answers, _ = text.replace("\r\n", "\n").split("===\n")
    found = []
    for answer in answers:
        code, _, rest = answer.partition("\n")
        output, _, messages = rest.partition("---\n")
        found.append(Answer(int(code), output, messages))
    return found


def _libraries(program: Path) -> list[Path]:
    """The shared libraries that a program needs, and what loads them."""
    listed = subprocess.run(
        ["ldd", program], check=True, capture_output=True, text=True, timeout=60
    ).stdout
    return [Path(path) for path in re.findall(r"(/\S+) \(0x", listed)]
