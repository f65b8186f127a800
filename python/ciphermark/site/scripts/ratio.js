"use strict";

// Ratios of costs with their intervals: the arithmetic of `statistics.ratio`, from what Python has
// computed of each row. Numbers that both share come as data.

/**
 * @typedef {object} Constants
 * @property {number} fewest
 * @property {number} z_confidence
 * @property {number} z_power
 * @property {number} by_chance
 * @property {number} assumed_share half-width of a figure without an interval
 * @property {[number, number]} assumed_errors the same as standard errors of its logarithm
 * @property {number[]} ranks of the interval of a median, from `fewest` values on
 * @property {number[]} quantiles
 * @property {[number, number][]} students
 */

/**
 * @typedef {object} Ratio
 * @property {number} value
 * @property {number} low
 * @property {number} high
 * @property {number} detectable
 * @property {number} chance
 */

/** What a figure's interval comes from: standard errors of its logarithm, and their degrees. */
/** @typedef {{ value: number, below: number, above: number, degrees: number }} Cost */

/**
 * The complementary error function, to the last digits: its series for small values, its continued
 * fraction for others (Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.6, 7.1.14).
 * @param {number} x from 0 on
 * @returns {number}
 */
function erfc(x) {
  if (x < 2) {
    let term = x;
    let sum = x;
    for (let n = 1; Math.abs(term) > 1e-17 * sum; n++) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return 1 - (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  }
  let fraction = 0;
  for (let n = 120; n > 0; n--) fraction = n / 2 / (x + fraction);
  return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
}

/**
 * Two-sided probability of a ratio so far from 1 where the truth is 1.
 * @param {number} value
 * @param {number} standardError
 * @param {number} degrees
 * @returns {number}
 */
function chanceOf(value, standardError, degrees) {
  const distance = Math.abs(Math.log(value));
  if (distance === 0 || standardError === Infinity) return 1;
  if (standardError === 0) return 0;
  const t = distance / standardError;
  if (degrees === Infinity) return erfc(t / Math.SQRT2);
  const z = ((8 * degrees + 1) / (8 * degrees + 3)) * Math.sqrt(degrees * Math.log1p((t * t) / degrees));
  return erfc(z / Math.SQRT2);
}

/**
 * Degrees of freedom of the sum of two errors (Welch).
 * @param {[number, number][]} parts each error with its own degrees
 * @returns {number}
 */
function degreesOf(parts) {
  const total = parts.reduce((sum, [error]) => sum + error ** 2, 0);
  const known = parts.reduce((sum, [error, degrees]) => sum + (degrees === Infinity ? 0 : error ** 4 / degrees), 0);
  return known > 0 ? total ** 2 / known : Infinity;
}

/**
 * Of two independent figures.
 * @param {Cost} a
 * @param {Cost} b
 * @param {Constants} constants
 * @returns {Ratio}
 */
function unpairedRatio(a, b, constants) {
  const value = a.value / b.value;
  const below = Math.hypot(a.below, b.above);
  const above = Math.hypot(a.above, b.below);
  const parts = /** @type {[number, number][]} */ (
    value > 1 ? [[a.below, a.degrees], [b.above, b.degrees]] : [[a.above, a.degrees], [b.below, b.degrees]]);
  const z = constants.z_confidence;
  return {
    value,
    low: value * Math.exp(-z * below),
    high: value * Math.exp(z * above),
    detectable: Math.exp(((z + constants.z_power) * (below + above)) / 2),
    chance: chanceOf(value, value > 1 ? below : above, degreesOf(parts)),
  };
}

/**
 * @param {number[]} sorted
 * @returns {number}
 */
function middle(sorted) {
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/**
 * Of values that belong together, by the logarithms of their ratios, `fewest` at least.
 * @param {number[]} logs
 * @param {number} reproducibility what such a ratio moves by from run to run
 * @param {Constants} constants
 * @returns {Ratio}
 */
function pairedRatio(logs, reproducibility, constants) {
  const sorted = [...logs].sort((a, b) => a - b);
  const place = sorted.length - constants.fewest;
  const rank = constants.ranks[place];
  const quantile = constants.quantiles[place];
  const [low, median, high] = [sorted[rank - 1], middle(sorted), sorted[sorted.length - rank]];
  const [below, above] = [Math.abs(low - median), Math.abs(high - median)];
  const moved = reproducibility / constants.z_confidence;
  const standardError = Math.hypot((below + above) / 2 / quantile, moved);
  const towards = Math.hypot((median > 0 ? below : above) / quantile, moved);
  const value = Math.exp(median);
  return {
    value,
    low: Math.exp(median - Math.hypot(below, reproducibility)),
    high: Math.exp(median + Math.hypot(above, reproducibility)),
    detectable: Math.exp((constants.z_confidence + constants.z_power) * standardError),
    chance: chanceOf(value, towards, logs.length - 1),
  };
}

/**
 * Which of many ratios are called different from 1 (Benjamini and Hochberg).
 * @param {(number | null)[]} chances
 * @param {Constants} constants
 * @returns {boolean[]}
 */
function surprising(chances, constants) {
  const known = chances.filter((it) => it !== null).sort((a, b) => a - b);
  let limit = -1;
  known.forEach((chance, place) => {
    if (chance <= (constants.by_chance * (place + 1)) / known.length) limit = Math.max(limit, chance);
  });
  return chances.map((chance) => chance !== null && chance <= limit);
}

/**
 * Mean of the logarithms of ratios with Student's interval; null for fewer than two.
 * @param {number[]} ratios
 * @param {Constants} constants
 * @returns {Ratio | null}
 */
function geometricMean(ratios, constants) {
  if (ratios.length < 2) return null;
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const squares = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0);
  const error = Math.sqrt(squares / (logs.length - 1)) / Math.sqrt(logs.length);
  const [confidence, power] = constants.students[logs.length - 2];
  return {
    value: Math.exp(mean),
    low: Math.exp(mean - confidence * error),
    high: Math.exp(mean + confidence * error),
    detectable: Math.exp((confidence + power) * error),
    chance: null,
  };
}
