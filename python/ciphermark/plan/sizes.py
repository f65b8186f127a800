"""Which message sizes a function has."""

from __future__ import annotations

from ciphermark import contract
from ciphermark.plan.profiles import Profile

Size = int | Profile
"""Bytes of all messages of a case, or the mix that they are of."""


def label(size: Size) -> int | str:
    """What stands for it in a case: a number of bytes, or the profile's name."""
    return size.name if isinstance(size, Profile) else size


def has_size(algorithm: contract.Algorithm, size: Size) -> bool:
    """Whether the function takes messages of that many bytes, or of all lengths of the profile."""
    if isinstance(size, Profile):
        return size.lacks(algorithm) is None
    longest = size if algorithm.max_message_bytes is None else algorithm.max_message_bytes
    return algorithm.min_message_bytes <= size <= longest and size % algorithm.block_bytes == 0


def no_such_size(algorithm: contract.Algorithm, size: Size) -> str:
    """The sentence about a size that the function does not have."""
    if isinstance(size, Profile):
        return (
            f"the profile {size.name} has messages of {size.lacks(algorithm)} bytes, and "
            f"{algorithm.name} has none: write --profile with a file of lengths that it has"
        )
    if size % algorithm.block_bytes:
        below = size // algorithm.block_bytes * algorithm.block_bytes
        near = [it for it in (below, below + algorithm.block_bytes) if it > 0]
        return (
            f"{algorithm.name} takes whole blocks of {algorithm.block_bytes} bytes, and {size} is "
            f"none: write {' or '.join(f'--sizes {it}' for it in near)}"
        )
    if size < algorithm.min_message_bytes:
        bound = f"at least --sizes {algorithm.min_message_bytes}"
    else:
        bound = f"at most --sizes {algorithm.max_message_bytes}"
    return f"{algorithm.name} has no message of {size} bytes: write {bound}"
