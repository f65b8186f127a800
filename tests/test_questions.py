"""The engine's test vectors as questions with answers, which an installed ciphermark has."""

from __future__ import annotations

import pytest

from ciphermark.errors import UsageError
from ciphermark.run.engine import Engine

pytestmark = pytest.mark.engine


def test_questions_are_of_the_algorithms_that_are_named(engine: Engine) -> None:
    asked = engine.questions(["md5", "rc5-32-8-8-ecb"])
    assert {it.algorithm for it in asked} == {"md5", "rc5-32-8-8-ecb"}
    assert {it.operation for it in asked} == {"digest", "encrypt", "decrypt"}
    (empty,) = (it for it in asked if it.input == "")
    assert empty.answer is not None
    assert (empty.answer.bytes, empty.answer.bits) == ("d41d8cd98f00b204e9800998ecf8427e", 128)


def test_all_questions_are_those_of_each_algorithm(engine: Engine) -> None:
    every = engine.questions()
    assert [it for it in every if it.algorithm == "uia1"] == engine.questions(["uia1"])
    assert len({it.algorithm for it in every}) > 100


def test_an_algorithm_without_vectors_is_refused(engine: Engine) -> None:
    with pytest.raises(UsageError, match="^there are no test vectors of md55: write names of"):
        engine.questions(["md5", "md55"])
