"""Decodes ARM and Thumb, up to ARMv7E-M and without coprocessors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.files import extras
from ciphermark.run.targets.pipelines.core import (
    LOADS,
    STORES,
    Decoder,
    Instruction,
    Kind,
    Transfer,
)

if TYPE_CHECKING:
    import capstone

_HALVES = ("bb", "bt", "tb", "tt")
"""Of two words, whose halves are multiplied."""
_KINDS = {
    **dict.fromkeys(("mul", "mla", "mls"), Kind.MULTIPLY),
    **{f"s{it}{halves}": Kind.MULTIPLY for it in ("mul", "mla") for halves in _HALVES},
    **dict.fromkeys(("umull", "umlal", "smull", "smlal", "umaal"), Kind.LONG_MULTIPLY),
    **dict.fromkeys(("udiv", "sdiv"), Kind.DIVIDE),
    **dict.fromkeys(("ldm", "ldmda", "ldmdb", "ldmib", "pop"), Kind.LOAD_MULTIPLE),
    **dict.fromkeys(("stm", "stmda", "stmdb", "stmib", "push"), Kind.STORE_MULTIPLE),
    **dict.fromkeys(("ldr", "ldrb", "ldrh", "ldrsb", "ldrsh", "tbb", "tbh"), Kind.LOAD),
    **dict.fromkeys(("str", "strb", "strh"), Kind.STORE),
    "ldrd": Kind.LOAD_DOUBLE,
    "strd": Kind.STORE_DOUBLE,
}
_TRANSFERS = {
    **dict.fromkeys(("cbz", "cbnz"), Transfer.BRANCH),
    "bl": Transfer.CALL,
    **dict.fromkeys(("bx", "blx"), Transfer.REGISTER),
    **dict.fromkeys(("tbb", "tbh"), Transfer.LOADED),
}
_SHIFTS = frozenset({"asr", "lsl", "lsr", "ror"})
_STACK = frozenset({"push", "pop"})
_LISTED = ("ldm", "stm")
"""How the names begin of those whose first operand is the address of the others."""
_ACCUMULATING = frozenset({"umlal", "smlal", "umaal"})


def decoder(thumb: bool) -> Decoder:
    """Returns a decoder of addresses and codes to instructions."""
    capstone = extras.needed("simulate")
    mode = capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS if thumb else capstone.CS_MODE_ARM
    disassembler = capstone.Cs(capstone.CS_ARCH_ARM, mode)
    disassembler.detail = True

    def decode(address: int, code: bytes) -> Instruction | None:
        found = next(disassembler.disasm(code, address, 1), None)
        return None if found is None else _instruction(found)

    return decode


def _instruction(found: capstone.CsInsn) -> Instruction:
    from capstone.arm import ARM_REG_PC

    name = found.insn_name()
    kind = _kind(found, name)
    address = _address(found, name)
    read, written = found.regs_access()
    advanced = address if found.writeback or name in _STACK else frozenset()
    # The program counter is never waited for: that is what `transfer` is for.
    results = tuple(it for it in written if it not in advanced and it != ARM_REG_PC)
    distance = _distance(found, name)
    return Instruction(
        name,
        kind,
        _transfer(found, name, kind, ARM_REG_PC in written),
        reads=distance.union(read, _unnamed_reads(found, name, results)) - {ARM_REG_PC},
        results=results,
        address=address - {ARM_REG_PC},
        shifted=_shifted(found),
        is_shifted_by_register=bool(distance),
        registers=_registers(found, name) if kind in LOADS | STORES else 0,
    )


def _kind(found: capstone.CsInsn, name: str) -> Kind:
    # One register from the stack is what LDR loads, which the disassembler calls POP; where it is
    # POP indeed, in Thumb, that takes as long.
    if name == "pop" and _registers(found, name) == 1:
        return Kind.LOAD
    return _KINDS.get(name, Kind.SIMPLE)


def _transfer(found: capstone.CsInsn, name: str, kind: Kind, writes_pc: bool) -> Transfer | None:
    from capstone.arm import ARM_CC_AL

    if name == "b":
        return Transfer.JUMP if found.cc == ARM_CC_AL else Transfer.BRANCH
    if name in _TRANSFERS:
        return _TRANSFERS[name]
    if writes_pc:
        return Transfer.LOADED if kind in LOADS else Transfer.REGISTER
    return None


def _address(found: capstone.CsInsn, name: str) -> frozenset[int]:
    """Registers that a memory address is made of."""
    from capstone.arm import ARM_OP_MEM, ARM_REG_SP

    if name in _STACK:
        return frozenset({ARM_REG_SP})
    if name.startswith(_LISTED):
        return frozenset({found.operands[0].reg})
    memory = [it.mem for it in found.operands if it.type == ARM_OP_MEM]
    return frozenset(register for it in memory for register in (it.base, it.index) if register)


def _registers(found: capstone.CsInsn, name: str) -> int:
    """How many are loaded or stored."""
    return len(_named(found)) - name.startswith(_LISTED)


def _shifted(found: capstone.CsInsn) -> frozenset[int]:
    """Registers that are shifted by constants before they are used."""
    from capstone.arm import ARM_SFT_INVALID, ARM_SFT_RRX

    constant = range(ARM_SFT_INVALID + 1, ARM_SFT_RRX + 1)
    return frozenset(it.reg for it in _named(found) if it.shift.type in constant)


def _distance(found: capstone.CsInsn, name: str) -> frozenset[int]:
    """The register that an operand is shifted by, if it is one."""
    from capstone.arm import ARM_OP_REG, ARM_SFT_INVALID, ARM_SFT_RRX

    last = found.operands[-1] if found.operands else None
    if last and name in _SHIFTS and last.type == ARM_OP_REG:
        if last.shift.type == ARM_SFT_INVALID:
            return frozenset({last.reg})
    return frozenset(it.shift.value for it in _named(found) if it.shift.type > ARM_SFT_RRX)


def _unnamed_reads(found: capstone.CsInsn, name: str, results: tuple[int, ...]) -> tuple[int, ...]:
    """Those that the disassembler does not count as read."""
    if name in _ACCUMULATING:
        return results
    return tuple(it.reg for it in _named(found)) if name == "bx" else ()


def _named(found: capstone.CsInsn) -> list[capstone.arm.ArmOp]:
    """The operands that are registers."""
    from capstone.arm import ARM_OP_REG

    return [it for it in found.operands if it.type == ARM_OP_REG]
