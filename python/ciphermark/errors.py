"""The ways in which a command ends early, each one sentence for the user."""

from __future__ import annotations

import re

LONGEST = 2000
"""Characters of a sentence: what people still read, and more than any of ours needs."""


_LONG_WORD = re.compile(r"\S{400,}")
"""Longer than the paths that people have."""


def shortened(text: str, most: int = 80) -> str:
    """A text of somebody else's as it can stand in a sentence: of a long one both ends.

    `most` is how many characters of it are left.
    """
    if len(text) <= most:
        return text
    end = most // 3
    return f"{text[: most - end]}… ({len(text):,} characters) …{text[-end:]}"


def as_sentence(text: str) -> str:
    """Returns a text that can be read however long the texts are that it quotes: both ends of long
    words, and of the whole, since it begins with the fault and ends with the remedy."""
    return shortened(_LONG_WORD.sub(lambda word: shortened(word[0]), text), LONGEST)


class _Sentence(Exception):
    """Error whose message is one readable sentence."""

    def __init__(self, sentence: object = "") -> None:
        super().__init__(as_sentence(str(sentence)))


class UsageError(_Sentence):
    """What was asked for cannot be: wrong name, wrong value. Exit code 2, nothing was done."""


class WorkError(_Sentence):
    """Work had begun and something failed. Exit code 1, what was done is kept."""


class KeptElsewhere(WorkError):
    """A run could not be stored in its place and is kept on this machine, whole, until it can."""


class NotStored(WorkError):
    """A run could be stored nowhere: all that is left of it is `document`, to be printed."""

    def __init__(self, sentence: str, run: str, document: bytes) -> None:
        super().__init__(sentence)
        self.run = run
        self.document = document
        """One line of JSON, of which `ciphermark import` makes the run again."""


class StillRunning(WorkError):
    """Work goes on elsewhere and cannot be reached now: nothing is stored, a later call will."""


class Stopped(BaseException):
    """The user pressed Ctrl-C. Not an `Exception`, so that no handler of those swallows it."""
