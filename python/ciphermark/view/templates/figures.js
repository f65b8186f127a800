"use strict";

// Figures as people read them, as `show.figures` writes them for terminals and reports.

const NARROW_SPACE = "\u202f";

/**
 * The forms of figures, with their thousands apart by this.
 * @param {string} separator
 */
function figuresWith(separator) {
  /**
   * A figure with so many decimals.
   * @type {(value: number, decimals?: number) => string}
   */
  function grouped(value, decimals = 0) {
    const [whole, fraction] = value.toFixed(decimals).split(".");
    const apart = whole.replace(/\B(?=(\d{3})+$)/g, separator);
    return fraction === undefined ? apart : `${apart}.${fraction}`;
  }

  /**
   * A figure with so many significant digits, never with an exponent.
   * @type {(value: number, digits?: number) => string}
   */
  function significant(value, digits = 3) {
    if (value === 0) return "0";
    if (Number.isNaN(value)) return "unknown";
    if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
    // Rounded first, which gives the exponent after that: 9.996 is 10.0, not 10.00.
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    const decimals = Math.max(0, digits - 1 - Number(exponent));
    return grouped(Number(`${mantissa}e${exponent}`), decimals);
  }

  /**
   * `1 case`, `2 cases`, `1 200 cases`.
   * @type {(count: number, noun: string) => string}
   */
  const counted = (count, noun) => `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;

  return { grouped, significant, counted };
}

const { grouped, significant, counted } = figuresWith(" ");

/**
 * A size in the largest unit of which it is a whole number.
 * @param {number} bytes
 * @returns {string}
 */
function messageSize(bytes) {
  for (const [unit, size] of /** @type {[string, number][]} */ (
    [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]
  )) {
    if (bytes && bytes % size === 0) return `${bytes / size} ${unit}`;
  }
  return `${bytes} B`;
}

/**
 * A time since 1970 in minutes as `2026-11-21 09:15 UTC`.
 * @param {number} minutes
 * @returns {string}
 */
function date(minutes) {
  return `${new Date(minutes * 60000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
