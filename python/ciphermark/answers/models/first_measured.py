"""What measuring a few functions on a new processor is worth to the model of operations.

Back-tested: each processor is left out with its core, some of its calls are then made known, and
the others are predicted. The call to measure first is the one after which the errors on all
processors are least; the next one, that which helps most beside it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from ciphermark.answers.models import operation_regression as regression
from ciphermark.answers.models.backtest import is_reference
from ciphermark.answers.models.operation_fit import Core
from ciphermark.answers.models.operation_model import Key, OperationModel
from ciphermark.answers.models.operation_regression import Beliefs, Calls, Spread
from ciphermark.statistics.median import Floats
from ciphermark.statistics.quantiles import weighted_quantile

MOST_MEASURED = 3
_DRAWS = 30
"""Of calls at random, for what a choice without thought gives."""
_SEED = 1


class Step(msgspec.Struct, kw_only=True):
    """The errors when so many calls are known."""

    measured: int
    median_error: float
    """Over all processors, of the calls of all other functions."""
    nine_tenths: float
    at_random: float
    """The median error with calls that were drawn; typical of many draws."""
    algorithm: str | None = None
    """Of the call that is to be measured beside those of the steps before."""
    operation: str | None = None
    message_bytes: int | None = None


class _LeftOut(NamedTuple):
    """A processor that was left out."""

    calls: Calls
    beliefs: Beliefs
    places: dict[Key, int]
    spread: Spread


class _Off(NamedTuple):
    errors: Floats
    weights: Floats


def steps(model: OperationModel) -> list[Step]:
    """The errors with none to `MOST_MEASURED` known calls, chosen one after the other."""
    them = [_left_out(model, core) for core in model.fit.cores if not is_reference(core)]
    offered = _candidates(them)
    draw = random.Random(_SEED)
    found = [_step([], _off(them, []))]
    chosen: list[Key] = []
    while len(chosen) < min(MOST_MEASURED, len(offered) - 1):
        further = [key for key in offered if key not in chosen]
        chosen.append(min(further, key=lambda key: _median(_off(them, [*chosen, key]))))
        drawn = [draw.sample(offered, len(chosen)) for _ in range(_DRAWS)]
        usual = float(np.median([_median(_off(them, keys)) for keys in drawn]))
        found.append(_step(chosen, _off(them, chosen), usual))
    return found


def _left_out(model: OperationModel, core: Core) -> _LeftOut:
    without = [model.fit.cores.index(core)]
    spread = model.fit.chosen(without).spread
    beliefs = regression.beliefs_on_core(model.fit.shared(spread, without), spread)
    keys = [(it.algorithm, it.operation, it.message_bytes) for it in core.observations]
    return _LeftOut(core.calls, beliefs, {key: at for at, key in enumerate(keys)}, spread)


def _candidates(them: Sequence[_LeftOut]) -> list[Key]:
    """One call of each function that all processors have: that of the middle size."""
    common = set.intersection(*(set(it.places) for it in them))
    functions: dict[tuple[str, str], list[Key]] = {}
    for key in sorted(common, key=lambda key: (key[0], key[1], key[2] or 0)):
        functions.setdefault(key[:2], []).append(key)
    return [keys[len(keys) // 2] for keys in functions.values()]


def _off(them: Iterable[_LeftOut], known: Sequence[Key]) -> _Off:
    """The relative errors of the calls of functions that are not known, on all processors."""
    functions = {key[:2] for key in known}
    errors, weights = [], []
    for it in them:
        told = it.calls.only([it.places[key] for key in known])
        told = told._replace(weight=np.ones(len(known)))  # a call is all there is of its function
        beliefs = regression.given(it.beliefs, told, it.spread)
        mean, _ = regression.figures(it.calls, beliefs, it.spread)
        others = [at for key, at in it.places.items() if key[:2] not in functions]
        errors.append(np.abs(np.expm1(mean - it.calls.rest))[others])
        weights.append(it.calls.weight[others])
    return _Off(np.concatenate(errors), np.concatenate(weights))


def _median(off: _Off) -> float:
    return weighted_quantile(off.errors, off.weights, 0.5)


def _step(chosen: Sequence[Key], off: _Off, usual: float | None = None) -> Step:
    algorithm, operation, message_bytes = chosen[-1] if chosen else (None, None, None)
    return Step(
        measured=len(chosen),
        median_error=_median(off),
        nine_tenths=weighted_quantile(off.errors, off.weights, 0.9),
        at_random=_median(off) if usual is None else usual,
        algorithm=algorithm,
        operation=operation,
        message_bytes=message_bytes,
    )
