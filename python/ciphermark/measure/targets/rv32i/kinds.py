"""The kinds of operations that instructions are, and how many bits of their words matter."""

from __future__ import annotations

from ciphermark.measure.targets.rv32i.flow import is_call
from ciphermark.measure.targets.rv32i.instructions import ZERO, Instruction
from ciphermark.measure.targets.rv32i.known_bits import WORD, Bits, Known

_KINDS = {
    "add": ("add", "sub", "addi"),
    "logic": ("and", "or", "xor", "andi", "ori", "xori"),
    "shift": ("slli", "srli", "srai"),
    "shift-variable": ("sll", "srl", "sra"),
    "compare": ("slt", "sltu", "slti", "sltiu"),
    "constant": ("lui", "auipc"),
    "load-8": ("lb", "lbu"),
    "load-16": ("lh", "lhu"),
    "load": ("lw",),
    "store-8": ("sb",),
    "store-16": ("sh",),
    "store": ("sw",),
    "branch": ("beq", "bne", "blt", "bge", "bltu", "bgeu"),
    "jump": ("jal", "jalr"),
    "other": ("fence", "system"),
}
_KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}

_WITH_WIDTH = ("add", "logic", "shift", "shift-bytes", "shift-variable", "compare")
_MOVES = ("move", "constant", "load")
_JOINS = ("add", "or", "xor")

ROUTINES = {
    "multiply": ("__mulsi3", "__muldi3"),
    "divide": (
        *("__divsi3", "__udivsi3", "__modsi3", "__umodsi3", "__hidden___udivsi3"),
        *("__divdi3", "__udivdi3", "__moddi3", "__umoddi3"),
    ),
}
"""The compiler's multiplications and divisions, by their symbols in libgcc."""
_OPERATION_OF = {symbol: kind for kind, symbols in ROUTINES.items() for symbol in symbols}


def operation_of(function: str) -> str | None:
    """Which operation a function of the compiler's library computes, if it is one of these."""
    return _OPERATION_OF.get(function)


def kind_of(instruction: Instruction) -> str:
    """What an instruction does, by itself."""
    name, immediate = instruction.name, instruction.immediate
    if name == "addi" and instruction.rs1 == ZERO:
        return "constant"
    if name == "addi" and immediate == 0:
        return "move"
    if is_call(instruction):
        return "call"
    kind = _KIND_OF[name]
    return "shift-bytes" if kind == "shift" and immediate % 8 == 0 else kind


def sized_kind(instruction: Instruction, known: Known, demand: int, is_save: bool) -> str:
    """What an instruction does, and to how many bits that matter."""
    kind = kind_of(instruction)
    if kind == "store":
        return "store-address" if is_save else "store-32"
    if kind in _WITH_WIDTH and instruction.name in _JOINS and _is_join(known, demand):
        return "join"
    if kind in _WITH_WIDTH or kind in _MOVES:
        return f"{kind}-{width(known.result, demand)}"
    return kind


def width(value: Bits, demand: int) -> str:
    """How many bits of a value matter: 8, 16 or 32, or those of an address."""
    if not demand & WORD:
        return "address"
    count = len(_places(value.may & demand))
    return "8" if count < 2 else "16" if count == 2 else "32"


def routine_kind(operation: str, function: str, factors: tuple[Bits, Bits], demand: int) -> str:
    """What a routine of the compiler's library does, whose result is needed so far.

    The narrower factor of a multiplication counts, and the wider operand of a division. Where the
    result is an address, operands are as well.
    """
    if function.endswith("di3"):
        return f"{operation}-64"
    if not demand & WORD:
        return f"{operation}-address"
    chosen = (min if operation == "multiply" else max)(factors)
    return f"{operation}-{width(chosen, WORD)}"


def _is_join(known: Known, demand: int) -> bool:
    """Whether two values that have no byte in common are put together."""
    data = demand & WORD
    return data != 0 and not _places(known.first.may & data) & _places(known.second.may & data)


def _places(bits: int) -> set[int]:
    """Which bytes of a word have any of these bits."""
    return {place for place in range(4) if bits >> 8 * place & 0xFF}
