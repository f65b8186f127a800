"""Places for labels beside the ends of lines."""

from __future__ import annotations


def spread(wanted: list[float], gap: float) -> list[float]:
    """The places nearest to those wanted, in their order, that are a gap or more apart.

    Labels that would overlap become a block, centred where its labels want to be on average; a
    block that then overlaps its neighbour joins it.
    """
    blocks: list[list[int]] = []
    for label in sorted(range(len(wanted)), key=lambda label: wanted[label]):
        blocks.append([label])
        while len(blocks) > 1 and _overlap(blocks[-2], blocks[-1], wanted, gap):
            last = blocks.pop()
            blocks[-1] += last
    placed = dict(place for block in blocks for place in zip(block, _places(block, wanted, gap)))
    return [placed[label] for label in range(len(wanted))]


def _overlap(above: list[int], below: list[int], wanted: list[float], gap: float) -> bool:
    return _places(below, wanted, gap)[0] - _places(above, wanted, gap)[-1] < gap


def _places(block: list[int], wanted: list[float], gap: float) -> list[float]:
    middle = sum(wanted[label] for label in block) / len(block)
    first = middle - gap * (len(block) - 1) / 2
    return [first + gap * place for place in range(len(block))]
