"""Laws of scaling: throughput over a number of cores, or of sessions.

Amdahl's law, X(p) = λp / (1 + σ(p − 1)), knows a share σ of the work that only one can do at a
time. The universal scalability law, X(p) = λp / (1 + σ(p − 1) + κp(p − 1)), adds a cost κ for every
pair that has to agree, so that throughput can fall (N. J. Gunther, Guerrilla Capacity Planning,
Springer 2007, chapters 4 to 6). λ is the throughput of one alone.

Fitted is the logarithm of throughput by least squares, so that a per cent counts the same at every
number. Written as 1 − σ + σp + κp(p − 1), the denominator over λ is a sum of terms with weights
that are not negative. Each step of the Gauss-Newton method then is a linear problem with
unknowns that are not negative, and 0 ≤ σ ≤ 1 and κ ≥ 0 hold by themselves.

95 % intervals of σ, κ and the peak are profiles (D. M. Bates and D. G. Watts, Nonlinear Regression
Analysis and Its Applications, Wiley 1988, chapter 6): all values with which the best fit of the
others has a sum of squares S ≤ S₀(1 + t²/d), S₀ being the least one, d the points beyond the
parameters and t Student's 97.5 % quantile for d. They stay within the bounds, and where the truth
lies on a bound they are on the safe side. λ and the band around the law have the linear
approximation of the same. All of them rest on the scatter of the points alone, repeated ones and
those that the law misses.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

import msgspec
import numpy as np

from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.quantiles import Floats, student_quantile
from ciphermark.statistics.solving import nonnegative_least_squares, root

Kind = Literal["amdahl", "usl"]

TITLES: dict[Kind, str] = {"amdahl": "Amdahl's law", "usl": "the universal scalability law"}

FEWEST: dict[Kind, int] = {"amdahl": 2, "usl": 4}
"""Different numbers that a law is fitted to. Amdahl's law goes through any two points, which tells
σ but not how sure it is. The other goes through most triples, and would explain anything."""

NO_SHARE = 1e-6
"""Where κ is the inverse of this, the points say nothing of one alone."""

WIDEST = 50.0
"""Half of an interval of a logarithm at most: whatever is wider says nothing, and overflows."""

STEPS = 100
STEADY = 1e-8
"""The fit has ended when a step would change no point by more than this share."""

END_WITHIN = 1e-2
"""Share of the end of an interval within which a straight line leads to it."""


class Undetermined(Exception):
    """Why a law cannot be fitted, in a sentence."""


class Point(NamedTuple):
    """Throughput at a number of cores or sessions."""

    number: int
    per_second: float


class Law(msgspec.Struct, kw_only=True):
    """A law of scaling with 95 % intervals, absent where no point is left to tell them."""

    kind: Kind
    numbers: list[int]
    """That were fitted, ascending; beyond them the law is a guess."""
    alone: Estimate
    """λ, in the unit of the throughput."""
    sigma: Estimate
    kappa: Estimate | None
    """Nothing in Amdahl's law."""
    peak: Estimate | None
    """Where throughput is highest, sqrt((1 − σ)/κ), 1 at least; nothing where it only rises. No
    upper end where it may only rise."""
    relative_error: float
    """Root of the mean squared distance of log throughput: a share."""
    largest_residual: float
    """The largest distance, as a share."""
    largest_residual_at: int
    spread: list[list[float]]
    """H, from which the band around the law follows; empty without intervals."""

    def throughput(self, number: float) -> Estimate:
        """The law at a number, with the interval of its mean."""
        terms = _terms(self.kind, np.array([number], dtype=float))[0]
        weights = self._weights()
        value = number / float(terms @ weights)
        if not self.spread:
            return _around(value, None)
        half = math.sqrt(max(0.0, float(terms @ np.array(self.spread) @ terms))) * value / number
        return _around(value, half)

    def doubling_gains(self, share: float) -> float | None:
        """The number from which doubling it gains this share or less; None where it always gains
        more.

        It is the root of 2·D(p) = (1 + share)·D(2p), D being the denominator.
        """
        sigma, kappa = self.sigma.value, self.kappa.value if self.kappa else 0.0
        square = (2 + 4 * share) * kappa
        linear = 2 * share * (sigma - kappa)
        constant = (share - 1) * (1 - sigma)
        if square == 0:
            return -constant / linear if linear > 0 else None
        return (-linear + math.sqrt(linear**2 - 4 * square * constant)) / (2 * square)

    def _weights(self) -> Floats:
        shares = [1 - self.sigma.value, self.sigma.value]
        if self.kappa:
            shares.append(self.kappa.value)
        return np.array(shares) / self.alone.value


class _Fit(NamedTuple):
    """Weights of the terms of the denominator, and how far the points then are from the law."""

    weights: Floats
    residuals: Floats

    @property
    def squares(self) -> float:
        return float(self.residuals @ self.residuals)


class _Problem(NamedTuple):
    """Points to fit: the terms at their numbers, and the logarithms of throughput per number."""

    terms: Floats
    logs: Floats

    @property
    def degrees(self) -> int:
        """Points beyond the parameters."""
        return len(self.logs) - int(self.terms.shape[1])

    def tied(self, ties: Floats) -> _Problem:
        """The same where the weights are these combinations of fewer."""
        return _Problem(self.terms @ ties, self.logs)


Tie = Callable[[float], Floats]
"""How the weights hang together where one parameter has this value."""


def fitted(kind: Kind, points: Sequence[Point]) -> Law:
    """The law of throughputs, which must be positive; `Undetermined` where they do not tell it."""
    _check(kind, points)
    numbers = np.array([point.number for point in points], dtype=float)
    logs = np.log([point.per_second / point.number for point in points])
    problem = _Problem(_terms(kind, numbers), logs)
    best = _least(problem)
    if best.weights[:2].sum() < NO_SHARE * best.weights.sum():
        raise Undetermined(f"{TITLES[kind]} is unknown without the throughput at 1")
    worst = int(np.argmax(np.abs(best.residuals)))
    spread = _spread(problem, best)
    alone = 1 / float(best.weights[0] + best.weights[1])
    half = math.sqrt(spread[:2, :2].sum()) * alone if len(spread) else None
    sigma, kappa, peak = _parameters(kind, problem, best)
    return Law(
        kind=kind,
        numbers=sorted({point.number for point in points}),
        alone=_around(alone, half),
        sigma=sigma,
        kappa=kappa,
        peak=peak,
        relative_error=math.sqrt(best.squares / len(points)),
        largest_residual=math.expm1(abs(best.residuals[worst])),
        largest_residual_at=points[worst].number,
        spread=spread.tolist(),
    )


def _check(kind: Kind, points: Sequence[Point]) -> None:
    different = len({point.number for point in points})
    if different < FEWEST[kind]:
        needed = f"{TITLES[kind]} needs {FEWEST[kind]} different numbers"
        raise Undetermined(
            f"{needed}, and {different} {'was' if different == 1 else 'were'} measured"
        )


def _terms(kind: Kind, numbers: Floats) -> Floats:
    """Of the denominator, whose weights are (1 − σ)/λ, σ/λ and κ/λ."""
    terms = [np.ones_like(numbers), numbers]
    if kind == "usl":
        terms.append(numbers * (numbers - 1))
    return np.column_stack(terms)


def _least(problem: _Problem) -> _Fit:
    """The weights with the least sum of squares, by steps that are halved until they help."""
    fit = _fit(problem, _start(problem))
    for _ in range(STEPS):
        denominator = problem.terms @ fit.weights
        wanted = _step(problem, denominator, fit.residuals)
        if np.max(np.abs(problem.terms @ wanted / denominator - 1)) < STEADY:
            break
        fit = _towards(problem, fit, wanted)
    return fit


def _start(problem: _Problem) -> Floats:
    """The weights with the least sum of squared relative distances, a little of each term added:
    where a denominator is 0 there is no logarithm."""
    denominator = np.exp(-problem.logs)
    best = _step(problem, denominator, np.zeros_like(denominator))
    least: Floats = np.min(denominator[:, np.newaxis] / problem.terms.clip(1), axis=0)
    return 0.99 * best + 0.01 * least


def _towards(problem: _Problem, fit: _Fit, wanted: Floats) -> _Fit:
    """The first of ever smaller steps that lessens the sum of squares; no step where none does."""
    for halvings in range(30):
        share = 0.5**halvings
        tried = _fit(problem, fit.weights + share * (wanted - fit.weights))
        if tried.squares <= fit.squares:
            return tried
    return fit


def _step(problem: _Problem, denominator: Floats, residuals: Floats) -> Floats:
    """The weights that are best when the law is taken to be linear around a denominator."""
    sensitivity = problem.terms / denominator[:, np.newaxis]
    scale = np.linalg.norm(sensitivity, axis=0)
    weights: Floats = nonnegative_least_squares(sensitivity / scale, 1 - residuals) / scale
    return weights


def _fit(problem: _Problem, weights: Floats) -> _Fit:
    with np.errstate(divide="ignore"):
        return _Fit(weights, problem.logs + np.log(problem.terms @ weights))


def _spread(problem: _Problem, best: _Fit) -> Floats:
    """H = t²s²(AᵀA)⁻¹, A being the sensitivity of the logarithms to the weights."""
    if problem.degrees < 1:
        return np.empty((0, 0))
    sensitivity = problem.terms / (problem.terms @ best.weights)[:, np.newaxis]
    scale = np.linalg.norm(sensitivity, axis=0)
    inverse = np.linalg.pinv(sensitivity / scale) / scale[:, np.newaxis]
    scatter = student_quantile(0.975, problem.degrees) ** 2 * best.squares / problem.degrees
    covariance: Floats = inverse @ inverse.T
    return scatter * covariance


def _parameters(
    kind: Kind, problem: _Problem, best: _Fit
) -> tuple[Estimate, Estimate | None, Estimate | None]:
    """σ, κ and the peak with their profiles."""
    first, second = best.weights[:2]
    sigma = float(second / (first + second))
    if kind == "amdahl":
        return _profile(problem, best, sigma, lambda it: np.array([[1 - it], [it]])), None, None
    kappa = float(best.weights[2] / (first + second))
    return (
        _profile(problem, best, sigma, _tie_sigma),
        _profile(problem, best, kappa, _tie_kappa),
        _peak(problem, best),
    )


def _tie_sigma(sigma: float) -> Floats:
    return np.array([[1 - sigma, 0], [sigma, 0], [0, 1]])


def _tie_kappa(kappa: float) -> Floats:
    return np.array([[1, 0], [0, 1], [kappa, kappa]])


def _tie_fall(fall: float) -> Floats:
    """Ties κ to a multiple of 1 − σ: to that which puts the peak at 1/sqrt(fall)."""
    return np.array([[1, 0], [0, 1], [fall, 0]])


def _peak(problem: _Problem, best: _Fit) -> Estimate | None:
    """sqrt((1 − σ)/κ); the profile is that of its square's inverse, which is 0 without a peak."""
    first, _, third = best.weights
    if third == 0:
        return None
    fall = min(1.0, float(third / first)) if first > 0 else 1.0
    interval = _profile(problem, best, fall, _tie_fall).interval
    value = 1 / math.sqrt(fall)
    if interval is None:
        return Estimate(value)
    low, high = interval
    return Estimate(value, 1 / math.sqrt(high), 1 / math.sqrt(low) if low > 0 else None)


def _profile(problem: _Problem, best: _Fit, value: float, tie: Tie) -> Estimate:
    """A parameter between 0 and 1 with those of its values that fit nearly as well as the best."""
    if problem.degrees < 1:
        return Estimate(value)
    quantile = student_quantile(0.975, problem.degrees)
    allowed = best.squares * (1 + quantile**2 / problem.degrees)

    def excess(tried: float) -> float:
        return _least(problem.tied(tie(tried))).squares - allowed

    return Estimate(value, _end(excess, value, 0.0), _end(excess, value, max(1.0, value)))


def _end(excess: Callable[[float], float], value: float, bound: float) -> float:
    """Where the sum of squares is as large as allowed, between the best value and a bound."""
    if excess(bound) <= 0:
        return bound
    if excess(value) >= 0:  # all points lie on the law
        return value
    return root(excess, value, bound, END_WITHIN)


def _around(value: float, half: float | None) -> Estimate:
    """An estimate with its relative half-width on the scale of logarithms."""
    if half is None:
        return Estimate(value)
    half = min(half, WIDEST)
    return Estimate(value, value * math.exp(-half), value * math.exp(half))
