"""Finds circuits for the S-boxes of KASUMI, and writes kernels/lanes/kasumi_circuits.h.

A circuit is a list of gates of two inputs. Complements cost nothing, because the keys of KASUMI
take them in (kasumi_planes.h says how), so functions count only up to a constant: all are kept as 0
where every input is 0. Of two signals a and b there are then five: a ^ b, a & b, ~a & b, a & ~b and
a | b.

The search walks at random from the circuits that the header has, or from the polynomials of the
S-boxes. A step adds a gate, and drops all that can then be had without; it is taken if that leaves
no more gates than before. Where a circuit of fewer gates was found, gates are then moved to where
few values leave the registers; else the header keeps its own.

The circuits of the header took ten million steps each, of the same walk in C++. S9, all of whose
bits are quadratic, began from products that lower the ranks of several bits at once. Of the orders
that were tried, the header has the one that was measured fastest.

    python tools/kasumi_circuits.py                           checks the header and writes it anew
    python tools/kasumi_circuits.py --steps 10000 --seed 1    looks for something better first
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
HEADER = ROOT / "kernels" / "lanes" / "kasumi_circuits.h"
TABLES = ROOT / "kernels" / "reference" / "kasumi.h"

REGISTERS = 14
"""That a circuit may fill: of AVX2's sixteen, two are left to what comes before and after."""

PRODUCTS = {(0, 0): "and2", (1, 0): "not_and2", (1, 1): "or2"}
"""The gate that multiplies a and b, or their complements where the numbers are 1."""


class Gate(NamedTuple):
    """`to` = a ^ b, a & b, ~a & b or a | b. Signals are x0, x1, … which enter, y0, … and t0, …"""

    to: str
    does: str
    a: str
    b: str

    def value(self, a: int, b: int) -> int:
        match self.does:
            case "xor2":
                return a ^ b
            case "and2":
                return a & b
            case "not_and2":
                return ~a & b
        return a | b


Circuit = list[Gate]


class Sbox:
    """S(x) ^ S(0) as functions: numbers whose bit x is a bit of the value at x."""

    def __init__(self, name: str, table: Sequence[int]) -> None:
        self.name, self.table = name, table
        self.bits = (len(table) - 1).bit_length()
        self.inputs = [_function(range(len(table)), bit) for bit in range(self.bits)]
        changed = [value ^ table[0] for value in table]
        self.outputs = [_function(changed, bit) for bit in range(self.bits)]

    def signals(self, circuit: Circuit) -> dict[str, int]:
        """The function that each signal is."""
        found = {f"x{i}": function for i, function in enumerate(self.inputs)}
        for gate in circuit:
            found[gate.to] = gate.value(found[gate.a], found[gate.b])
        return found

    def is_computed_by(self, circuit: Circuit) -> bool:
        found = self.signals(circuit)
        return all(found.get(f"y{i}") == function for i, function in enumerate(self.outputs))


def _function(values: Iterable[int], bit: int) -> int:
    return sum((value >> bit & 1) << x for x, value in enumerate(values))


def sboxes() -> tuple[Sbox, Sbox]:
    """S7 and S9."""
    seven, nine = TABLES.read_text().split("#define KASUMI_S9(X)")
    s7 = re.findall(r"X\(\d+, (\d+)\)", seven)
    s9 = re.findall(r"X\((\d+)\)", nine)
    return Sbox("s7", [int(value) for value in s7]), Sbox("s9", [int(value) for value in s9])


def constants(seven: Sbox, nine: Sbox) -> dict[str, int]:
    """What is added before the second step of FI, for each S-box: S7(c7) = 0 and S9(c9) = c7."""
    c7 = seven.table.index(0)
    return {"s7": c7, "s9": nine.table.index(c7)}


def moved(circuit: Circuit, sbox: Sbox, constant: int) -> Circuit:
    """The same gates for S(x ^ constant) ^ S(constant): of products, some inputs change sign."""
    at_constant = {name: value >> constant & 1 for name, value in sbox.signals(circuit).items()}
    signs = {gate: sign for sign, gate in PRODUCTS.items()}
    result = []
    for gate in circuit:
        if gate.does != "xor2":
            sign_a, sign_b = signs[gate.does]
            gate = _product(gate, sign_a ^ at_constant[gate.a], sign_b ^ at_constant[gate.b])
        result.append(gate)
    return result


def _product(gate: Gate, sign_a: int, sign_b: int) -> Gate:
    if (sign_a, sign_b) == (0, 1):
        return Gate(gate.to, PRODUCTS[1, 0], gate.b, gate.a)
    return Gate(gate.to, PRODUCTS[sign_a, sign_b], gate.a, gate.b)


class Walk:
    """Functions, each of which can be computed from two others until all come from the inputs."""

    def __init__(self, sbox: Sbox, functions: Iterable[int], rng: random.Random) -> None:
        self.sbox, self.rng = sbox, rng
        self.fixed = {*sbox.inputs, *sbox.outputs}
        self.functions = self._reduced({*functions, *self.fixed}, None)
        self.ways = all_ways(self.functions)

    def step(self) -> None:
        """Adds a gate and drops others, or does nothing."""
        added = self._candidate()
        if added in self.functions or added == 0:
            return
        ways = {function: list(pairs) for function, pairs in self.ways.items()}
        ways[added] = []
        for target, gate in ways_with(added, self.functions):
            ways[target].append(gate)
        if not self._droppable(ways, added):
            return
        functions = self._reduced(self.functions | {added}, added)
        if added in functions and len(functions) <= len(self.functions):
            self.functions = functions
            self.ways = all_ways(functions)

    def _candidate(self) -> int:
        a, b = self.rng.sample(sorted(self.functions), 2)
        return self.rng.choice([a ^ b, a ^ b, a & b, ~a & b, a & ~b, a | b])

    def _droppable(self, ways: dict[int, list[Way]], added: int | None) -> list[int]:
        """What no function needs in every one of its ways."""
        needed = set(self.fixed)
        for function, pairs in ways.items():
            if function not in self.sbox.inputs and function != added:
                needed |= set.intersection(*({a, b} for _, a, b in pairs)) if pairs else set()
        return [function for function in ways if function not in needed and function != added]

    def _reduced(self, functions: set[int], added: int | None) -> set[int]:
        """Without functions that can be spared, tried in random order."""
        ways = all_ways(functions)
        while True:
            candidates = self._droppable(ways, added)
            self.rng.shuffle(candidates)
            for spared in candidates:
                left = {
                    function: [way for way in pairs if spared not in way[1:]]
                    for function, pairs in ways.items()
                    if function != spared
                }
                if len(list(computed(self.sbox, left))) == len(left) - self.sbox.bits:
                    ways = left
                    break
            else:
                return set(ways)

    def circuit(self) -> Circuit:
        names = {function: f"x{i}" for i, function in enumerate(self.sbox.inputs)}
        outputs = {function: f"y{i}" for i, function in enumerate(self.sbox.outputs)}
        result = []
        for function, (does, a, b) in computed(self.sbox, self.ways):
            names[function] = outputs.get(function, f"t{len(result)}")
            result.append(Gate(names[function], does, names[a], names[b]))
        return result


Way = tuple[str, int, int]
"""A gate and the functions that it is given."""


def gates_of(a: int, b: int) -> Iterator[tuple[int, Way]]:
    yield a ^ b, ("xor2", a, b)
    yield a & b, ("and2", a, b)
    yield ~a & b, ("not_and2", a, b)
    yield a & ~b, ("not_and2", b, a)
    yield a | b, ("or2", a, b)


def all_ways(functions: set[int]) -> dict[int, list[Way]]:
    """Every way by which each function is a gate of two others."""
    ways: dict[int, list[Way]] = {function: [] for function in sorted(functions)}
    for a, b in combinations(ways, 2):
        for target, way in gates_of(a, b):
            if target in ways and target not in (a, b):
                ways[target].append(way)
    return ways


def ways_with(added: int, functions: set[int]) -> Iterator[tuple[int, Way]]:
    """Those of which one input is `added`."""
    for other in functions:
        for target, way in gates_of(added, other):
            if target in functions and target != other:
                yield target, way


def computed(sbox: Sbox, ways: dict[int, list[Way]]) -> Iterator[tuple[int, Way]]:
    """Each function that can be computed, after those that it is computed from."""
    known = set(sbox.inputs)
    left = [function for function in ways if function not in known]
    while left:
        later = []
        for function in left:
            way = next((way for way in ways[function] if known.issuperset(way[1:])), None)
            if way is None:
                later.append(function)
            else:
                known.add(function)
                yield function, way
        if len(later) == len(left):
            return
        left = later


def polynomials(sbox: Sbox) -> set[int]:
    """Functions of which a circuit is easily made: all products of inputs, and the partial sums of
    each output's polynomial."""
    found = set()
    for output in sbox.outputs:
        total = 0
        for product in _products(sbox, output):
            function = (1 << len(sbox.table)) - 1
            for i in (i for i in range(sbox.bits) if product >> i & 1):
                function &= sbox.inputs[i]
                found.add(function)
            total ^= function
            found.add(total)
    return found


def _products(sbox: Sbox, function: int) -> list[int]:
    """The products whose sum is the function, as sets of inputs."""
    values = [function >> x & 1 for x in range(len(sbox.table))]
    for bit in range(sbox.bits):
        for x in range(len(values)):
            if x >> bit & 1:
                values[x] ^= values[x ^ 1 << bit]
    return [x for x, value in enumerate(values) if value]


def spills(circuit: Circuit) -> int:
    """How many values leave the registers while they are still needed, the best ones chosen."""
    uses: dict[str, list[int]] = {}
    for at, gate in enumerate(circuit):
        uses.setdefault(gate.a, []).append(at)
        uses.setdefault(gate.b, []).append(at)
    held: set[str] = set()
    stored: set[str] = set()
    for at, gate in enumerate(circuit):
        held |= {gate.a, gate.b, gate.to}
        held = {name for name in held if uses.get(name, [-1])[-1] > at}
        while len(held) > REGISTERS:
            latest = max(held, key=lambda name: next(use for use in uses[name] if use > at))
            held.remove(latest)
            stored.add(latest)
    return len(stored)


def reordered(circuit: Circuit, steps: int, rng: random.Random) -> Circuit:
    """By moves of one gate, none of which makes more spills."""
    least = spills(circuit)
    for _ in range(steps):
        at = rng.randrange(len(circuit))
        gate, others = circuit[at], circuit[:at] + circuit[at + 1 :]
        first = 1 + max((i for i, g in enumerate(others) if g.to in (gate.a, gate.b)), default=-1)
        last = min((i for i, g in enumerate(others) if gate.to in (g.a, g.b)), default=len(others))
        place = rng.randint(first, last)
        candidate = [*others[:place], gate, *others[place:]]
        number = spills(candidate)
        if number <= least:
            circuit, least = candidate, number
    return circuit


def improved(circuit: Circuit, sbox: Sbox, steps: int, rng: random.Random) -> Circuit:
    known = sbox.signals(circuit).values() if circuit else polynomials(sbox)
    walk = Walk(sbox, known, rng)
    before = len(walk.functions)
    for _ in range(steps):
        walk.step()
    if circuit and len(walk.functions) == before:
        return circuit
    return renumbered(reordered(walk.circuit(), steps, rng))


def renumbered(circuit: Circuit) -> Circuit:
    """With the signals between numbered in their order."""
    between = [gate.to for gate in circuit if gate.to[0] == "t"]
    names = {name: f"t{i}" for i, name in enumerate(between)}
    renamed = (tuple(names.get(word, word) for word in gate) for gate in circuit)
    return [Gate(*gate) for gate in renamed]


FUNCTION = "INLINED void kasumi_{}(vector y[{}], const vector x[{}])"


def written(name: str, bits: int, circuit: Circuit) -> str:
    between = [gate.to for gate in circuit if gate.to[0] == "t"]
    lines = [FUNCTION.format(name, bits, bits), "{"]
    lines += [f"    vector {', '.join(between[i : i + 16])};" for i in range(0, len(between), 16)]
    for to, does, a, b in ((_place(g.to), g.does, _place(g.a), _place(g.b)) for g in circuit):
        lines.append(f"    GATE({to}, {does}({a}, {b}));")
    return "\n".join([*lines, "}"])


def _place(signal: str) -> str:
    return signal if signal[0] == "t" else f"{signal[0]}[{signal[1:]}]"


def read(header: str, name: str) -> Circuit:
    """The circuit of the function of that name; empty where there is none."""
    _, _, body = header.partition(f"kasumi_{name}(")
    gates = re.findall(r"GATE\((\S+), (\w+)\((\S+), (\S+)\)\);", body.partition("\n}")[0])
    return [Gate(*(re.sub(r"[\[\]]", "", word) for word in gate)) for gate in gates]


COMMENT = """\
/*
 * The S-boxes of KASUMI as circuits over planes, written by tools/kasumi_circuits.py: S7 of {s7}
 * gates and S9 of {s9}. The functions for FI's first step compute S(x) ^ S(0), those for the second
 * S(x ^ c) ^ S(c), so that no gate is a complement.
 *
 * The order of the gates keeps values in registers. Compilers would find another one, so each gate
 * is held in its place by IN_ORDER of the including file.
 */
"""


def header(circuits: dict[str, Circuit]) -> str:
    seven, nine = sboxes()
    added = constants(seven, nine)
    parts = [COMMENT.format(**{name: len(circuit) for name, circuit in circuits.items()})]
    parts[0] += "#ifndef CIPHERMARK_KASUMI_CIRCUITS_H\n#define CIPHERMARK_KASUMI_CIRCUITS_H\n"
    numbers = []
    for sbox in (seven, nine):
        digit = sbox.name[1]
        numbers.append(f"#define KASUMI_S{digit}_OF_0 {sbox.table[0]}")
        numbers.append(f"#define KASUMI_C{digit} {added[sbox.name]}")
    parts.append("\n".join(numbers) + "\n")
    parts.append("#define GATE(to, value) \\\n    to = value; \\\n    IN_ORDER(to)\n")
    for sbox in (seven, nine):
        circuit = circuits[sbox.name]
        second = moved(circuit, sbox, added[sbox.name])
        parts.append(written(f"{sbox.name}_first", sbox.bits, circuit) + "\n")
        parts.append(written(f"{sbox.name}_second", sbox.bits, second) + "\n")
    return "\n".join([*parts, "#undef GATE\n\n#endif\n"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=0, help="of the search")
    parser.add_argument("--seed", type=int, default=1, help="of its random numbers")
    options = parser.parse_args()
    text = HEADER.read_text() if HEADER.exists() else ""
    circuits = {}
    for sbox in sboxes():
        circuit = read(text, f"{sbox.name}_first")
        if options.steps or not circuit:
            circuit = improved(circuit, sbox, options.steps, random.Random(options.seed))
        if not sbox.is_computed_by(circuit):
            raise SystemExit(f"{HEADER}: the circuit of {sbox.name} does not compute it")
        print(f"{sbox.name}: {len(circuit)} gates, {spills(circuit)} of their values spilt")
        circuits[sbox.name] = circuit
    HEADER.write_text(header(circuits))


if __name__ == "__main__":
    main()
