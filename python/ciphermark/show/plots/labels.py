"""Places for labels beside the ends of lines."""

from __future__ import annotations

from collections.abc import Sequence

Block = list[int]


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The places nearest to those wanted, in their order, a gap or more apart, from low to high.

    Labels that would overlap become a block, centred where its labels want to be on average; a
    block that then overlaps its neighbour joins it. More labels than there is room for go on
    beyond `high`.
    """

    def places(block: Block) -> list[float]:
        middle = sum(wanted[label] for label in block) / len(block)
        length = gap * (len(block) - 1)
        first = max(low, min(middle - length / 2, high - length))
        return [first + gap * place for place in range(len(block))]

    blocks: list[Block] = []
    for label in sorted(range(len(wanted)), key=lambda label: wanted[label]):
        blocks.append([label])
        while len(blocks) > 1 and places(blocks[-1])[0] - places(blocks[-2])[-1] < gap:
            last = blocks.pop()
            blocks[-1] += last
    placed = {
        label: place
        for block in blocks
        for label, place in zip(block, places(block), strict=True)
    }
    return [placed[label] for label in range(len(wanted))]
