"use strict";

// Two runs case by case: what `ciphermark compare` does, in its words, from the data of both.

/**
 * @typedef {object} RunCases
 * @property {string} run
 * @property {string} machine
 * @property {string} kind
 * @property {boolean} unknown_machine
 * @property {string} subject
 * @property {string | null} figure what is compared; null of a run that is not
 * @property {boolean} of_rounds whether its cases were measured in common rounds
 * @property {boolean} measured_here
 * @property {string | null} cycle_source
 * @property {string | null} engine
 * @property {boolean} interrupted
 * @property {Record<string, string>} versions
 * @property {string[]} texts
 * @property {number} rows
 * @property {Record<string, any[]>} columns
 */

/** @typedef {Record<string, any>} Row */
/** @typedef {{ provider: string, backend: string }} Chosen */
/** @typedef {{ run: string, name: string, rows: Row[] }} Side */
/**
 * @typedef {object} Groups
 * @property {number} reproducibility
 * @property {number[][]} lists
 * @property {Record<string, [number, number, number, number[]]>} cases
 */

/** What a comparison is refused for, and what to do. */
class Refusal extends Error {}

const TEXTS = ["algorithm", "operation", "provider", "backend_asked", "backend", "profile",
  "workload", "pattern", "offload", "buffers", "after", "load", "switches", "way", "error", "reason"];
const CASE = ["algorithm", "operation", "provider", "backend_asked", "workload", "pattern",
  "chunk_bytes", "offload", "lanes", "keys", "buffers", "after", "switches", "message_bytes", "profile"];
const BY_CHANCE = "by chance";
const ORDER = ["regression", "slower", "faster", BY_CHANCE, "unknown", "same"];
const MOST_UNKNOWN = 5;
const MOST_REASONS = 3;
const MOST_NAMED = 5;

/**
 * @param {RunCases} of
 * @returns {Row[]}
 */
function rowsOf(of) {
  const { texts, columns } = of;
  return Array.from({ length: of.rows }, (_, place) => {
    /** @type {Row} */
    const row = {};
    for (const [name, values] of Object.entries(columns)) {
      const value = valueAt(values, place);
      row[name] = TEXTS.includes(name) ? (texts[value] ?? null) : value;
    }
    row.degrees ??= Infinity;
    return row;
  });
}

/** @param {Chosen} selection */
function selectionName({ provider, backend }) {
  return [provider, backend].filter(Boolean).join("/");
}

/**
 * The rows of a run that are compared.
 * @param {RunCases} of
 * @param {Row[]} rows
 * @param {Chosen} selection
 * @returns {Side}
 */
function selected(of, rows, selection) {
  const ofProvider = rows.filter((row) => !selection.provider || row.provider === selection.provider);
  const asked = ofProvider.filter((row) => row.backend_asked === selection.backend);
  const ran = ofProvider.filter((row) => row.backend === selection.backend);
  const chosen = !selection.backend ? ofProvider : asked.length ? asked : ran;
  const name = selectionName(selection);
  if (!chosen.length) {
    const there = [...new Set(rows.flatMap((row) =>
      [`${row.provider}/${row.backend_asked}`, `${row.provider}/${row.backend}`]))].sort();
    throw new Refusal(`run ${of.run} has no case of ${name || "any kind"}; it has ${there.join(", ") || "none"}`);
  }
  return { run: of.run, name: [of.run, name].filter(Boolean).join(":"), rows: chosen };
}

/**
 * @param {Row[]} rows
 * @param {string[]} fields
 * @returns {Map<string, Row[]>}
 */
function byKey(rows, fields) {
  /** @type {Map<string, Row[]>} */
  const alike = new Map();
  for (const row of rows) {
    const key = JSON.stringify(fields.map((field) => row[field]));
    const there = alike.get(key);
    if (there) there.push(row);
    else alike.set(key, [row]);
  }
  return alike;
}

/**
 * @param {Row[]} rowsA
 * @param {Row[]} rowsB
 * @param {string[]} fields
 * @returns {{ pairs: [Row, Row][], onlyA: Row[], onlyB: Row[] }}
 */
function matchBy(rowsA, rowsB, fields) {
  const [ofA, ofB] = [byKey(rowsA, fields), byKey(rowsB, fields)];
  const shared = new Set([...ofA].filter(([key, rows]) =>
    rows.length === 1 && ofB.get(key)?.length === 1).map(([key]) => key));
  const left = (/** @type {Map<string, Row[]>} */ of) =>
    [...of].flatMap(([key, rows]) => (shared.has(key) ? [] : rows));
  return {
    pairs: [...shared].map((key) => [/** @type {Row[]} */ (ofA.get(key))[0], /** @type {Row[]} */ (ofB.get(key))[0]]),
    onlyA: left(ofA),
    onlyB: left(ofB),
  };
}

/**
 * @param {Side} side
 * @param {string[]} fields
 */
function checkOneBackend(side, fields) {
  for (const alike of byKey(side.rows, fields).values()) {
    if (alike.length < 2) continue;
    const backends = [...new Set(alike.map((row) => row.backend_asked))].sort();
    const { algorithm, provider } = alike[0];
    throw new Refusal(
      `run ${side.run} has ${algorithm} by several backends of ${provider} (${backends.join(", ")}); ` +
      `name one, for example ${side.run}:${provider}/${backends[0]}`);
  }
}

/**
 * @param {Side} a
 * @param {Side} b
 * @param {Chosen} ofA
 * @param {Chosen} ofB
 */
function match(a, b, ofA, ofB) {
  const differing = ofA.provider && ofB.provider && ofA.provider !== ofB.provider
    ? ["provider", "backend_asked"]
    : ofA.backend && ofB.backend && ofA.backend !== ofB.backend ? ["backend_asked"] : [];
  const isLoaded = [...a.rows, ...b.rows].some((row) => row.load !== null);
  const fields = [...CASE, ...(isLoaded ? ["load", "batch"] : [])].filter((field) => !differing.includes(field));
  if (differing.length) {
    checkOneBackend(a, fields);
    checkOneBackend(b, fields);
  }
  const same = matchBy(a.rows, b.rows, fields);
  const lenient = [...(isLoaded ? ["lanes", "batch"] : []), ...(differing.length ? ["switches"] : [])];
  if (!lenient.length) return same;
  const others = matchBy(same.onlyA, same.onlyB, fields.filter((field) => !lenient.includes(field)));
  const pairs = [...same.pairs, ...others.pairs].sort(([one], [other]) => one.case - other.case);
  return { pairs, onlyA: others.onlyA, onlyB: others.onlyB };
}

/**
 * Refuses runs that have no figure in common.
 * @param {RunCases} a
 * @param {RunCases} b
 */
function checkFigures(a, b) {
  for (const of of [a, b]) {
    if (of.figure === null) {
      throw new Refusal(`run ${of.run} is of ${of.subject}, whose costs of messages are not compared: ` +
        `see its figures with ciphermark show ${of.run}`);
    }
  }
  if (a.figure !== b.figure) {
    throw new Refusal(`run ${a.run} is of ${a.subject} and run ${b.run} of ${b.subject}: compare runs of the same kind`);
  }
}

/**
 * Refuses runs of unlike machines unless that is what is wanted.
 * @param {RunCases} a
 * @param {RunCases} b
 * @param {boolean} across
 */
function checkMachines(a, b, across) {
  if (across) return;
  for (const of of [a, b]) {
    if (of.unknown_machine) {
      throw new Refusal(`the machine of the imported run ${of.run} is unknown; import it with ` +
        "--machine NAME, a name of ciphermark list machines, or add --across-machines to compare it all the same");
    }
  }
  if (a.kind !== b.kind) {
    throw new Refusal(`run ${a.run} was measured on ${a.machine} (${a.kind}) and run ${b.run} on ` +
      `${b.machine} (${b.kind}), machines of different kinds; add --across-machines to compare them all the same`);
  }
}

/**
 * @param {string} side
 * @param {Row} row
 * @returns {string | null} what failed, or why there is no ratio
 */
function whyNone(side, row) {
  if (row.low === null) return `${side}: ${row.reason}`;
  return row.low <= 0 ? `${side}: its cost does not differ from zero` : null;
}

/**
 * Time per message, or of a byte where no message is told; a figure of another program has the
 * interval that is assumed.
 * @param {Row} a
 * @param {Row} b
 * @param {Constants} constants
 * @returns {Ratio | string}
 */
function ratioOfTimes(a, b, constants) {
  const perByte = (/** @type {Row} */ row) => row.mbytes && 1e3 / row.mbytes;
  const [below, above] = constants.assumed_errors;
  const cost = (/** @type {Row} */ row, /** @type {number} */ value) =>
    row.low === null
      ? { value, below, above, degrees: Infinity }
      : { value, below: row.below, above: row.above, degrees: row.degrees };
  for (const [one, other] of [[a.ns, b.ns], [perByte(a), perByte(b)]]) {
    if (one !== null && other !== null && Math.min(one, other) > 0) {
      return unpairedRatio(cost(a, one), cost(b, other), constants);
    }
  }
  return "one side has no time";
}

/**
 * Of rows of one run, over the rounds in which both have a group.
 * @param {Groups} groups
 * @param {Constants} constants
 * @returns {(a: Row, b: Row) => Ratio | string}
 */
function pairedRatios(groups, constants) {
  return (a, b) => {
    const [ofA, ofB] = [groups.cases[a.case], groups.cases[b.case]];
    if (!ofA || !ofB) return `0 of ${constants.fewest} rounds in common`;
    const [, roundsB, processesB, logsB] = ofB;
    const places = new Map(groups.lists[roundsB].map((round, place) => [round, place]));
    /** @type {number[]} */
    let logs = [];
    /** @type {[number, number][]} */
    const processes = [];
    groups.lists[ofA[1]].forEach((round, place) => {
      const other = places.get(round);
      if (other === undefined) return;
      logs.push(ofA[3][place] - logsB[other]);
      processes.push([groups.lists[ofA[2]][place], groups.lists[processesB][other]]);
    });
    let what = "rounds";
    if (Math.min(ofA[0], ofB[0]) >= constants.fewest) {
      logs = byProcess(logs, processes);
      what = "pairs of processes";
    }
    if (logs.length < constants.fewest) return `${logs.length} of ${constants.fewest} ${what} in common`;
    return pairedRatio(logs, groups.reproducibility, constants);
  };
}

/**
 * One value for each pair of processes, by the side that has fewer of them.
 * @param {number[]} logs
 * @param {[number, number][]} pairs
 * @returns {number[]}
 */
function byProcess(logs, pairs) {
  const count = (/** @type {number} */ side) => new Set(pairs.map((pair) => pair[side])).size;
  const side = count(1) < count(0) ? 1 : 0;
  /** @type {Map<number, number[]>} */
  const alike = new Map();
  logs.forEach((log, place) => {
    const process = pairs[place][side];
    alike.set(process, [...(alike.get(process) ?? []), log]);
  });
  return [...alike.values()].map((of) => middle(of.sort((a, b) => a - b)));
}

/**
 * @typedef {object} Comparison
 * @property {string[]} runs
 * @property {string[]} names as the command takes them
 * @property {string[]} machines
 * @property {string} figure
 * @property {boolean} paired
 * @property {number} threshold
 * @property {Row[]} pairs
 * @property {Record<string, number>} counts by verdict
 * @property {Ratio | null} mean
 * @property {number | null} detectable of the median case that is the same
 * @property {number | null} detectableOfAll of the mean of those cases
 * @property {string[]} onlyA
 * @property {string[]} onlyB
 * @property {[string, string, string][]} libraries
 * @property {string[]} notes
 * @property {string} unit of the ratios
 */

/**
 * Compares `a`, which is judged, with `b`. Throws a `Refusal` that says why that would mean nothing.
 * @param {RunCases} a
 * @param {RunCases} b
 * @param {Chosen} selectA
 * @param {Chosen} selectB
 * @param {{ threshold: number, across: boolean, groups: Groups | null, constants: Constants }} how
 * @returns {Comparison}
 */
function compareRuns(a, b, selectA, selectB, how) {
  const { threshold, constants } = how;
  checkFigures(a, b);
  checkMachines(a, b, how.across);
  const ofA = selectA.provider ? selectA : selectB;
  const ofB = selectB.provider ? selectB : selectA;
  const paired = a.run === b.run;
  const otherBackend = ofA.backend && ofB.backend && ofA.backend !== ofB.backend;
  if (paired && ofA.provider === ofB.provider && !otherBackend) {
    throw new Refusal(`both sides are of run ${a.run}; name two providers in it, for example ` +
      `${a.run}:openssl ${a.run}:rustcrypto`);
  }
  const [rowsA, rowsB] = [rowsOf(a), rowsOf(b)];
  const [sideA, sideB] = [selected(a, rowsA, ofA), selected(b, rowsB, ofB)];
  const matched = match(sideA, sideB, ofA, ofB);
  if (!matched.pairs.length) {
    throw new Refusal(`${sideA.name} and ${sideB.name} have no case in common; compare runs of the same plan`);
  }
  const cost = (/** @type {Row} */ row) =>
    ({ value: row.cycles, below: row.below, above: row.above, degrees: row.degrees });
  const measured = a.measured_here && b.measured_here;
  const ofRows = paired && how.groups
    ? pairedRatios(how.groups, constants)
    : (/** @type {Row} */ one, /** @type {Row} */ other) => unpairedRatio(cost(one), cost(other), constants);
  const ratios = matched.pairs.map(([one, other]) => {
    for (const [side, row] of /** @type {[Side, Row][]} */ ([[sideA, one], [sideB, other]])) {
      if (row.error !== null) return `${side.name}: ${row.error}`;
    }
    const none = (a.measured_here ? whyNone(sideA.name, one) : null)
      ?? (b.measured_here ? whyNone(sideB.name, other) : null);
    return none ?? (measured ? ofRows(one, other) : ratioOfTimes(one, other, constants));
  });
  const changed = surprising(ratios.map((ratio) => (typeof ratio === "string" ? null : ratio.chance)), constants);
  const pairs = matched.pairs.map(([one, other], place) =>
    pairOf(one, other, ratios[place], changed[place], threshold));
  /** @type {Record<string, number>} */
  const counts = Object.fromEntries(ORDER.map((name) => [name, 0]));
  for (const pair of pairs) counts[pair.verdict] += 1;
  const known = pairs.filter((pair) => pair.ratio !== null);
  const alike = known.filter((pair) => pair.verdict === "same");
  const detectable = alike.map((pair) => pair.detectable).filter((it) => it !== null).sort((x, y) => x - y);
  return {
    runs: [a.run, b.run],
    names: [sideA.name, sideB.name],
    machines: [a.machine, b.machine],
    figure: a.figure ?? "",
    paired: paired && a.of_rounds,
    threshold,
    pairs,
    counts,
    mean: geometricMean(known.map((pair) => pair.ratio), constants),
    detectable: detectable.length ? middle(detectable) : null,
    detectableOfAll: geometricMean(alike.map((pair) => pair.ratio), constants)?.detectable ?? null,
    onlyA: matched.onlyA.map(described),
    onlyB: matched.onlyB.map(described),
    libraries: libraryChanges(a, b, new Set([...sideA.rows, ...sideB.rows].map((row) => row.provider))),
    notes: notesOn(a, b, constants),
    unit: measured ? "cycles" : "ns",
  };
}

/**
 * @param {Row} a
 * @param {Row} b
 * @param {Ratio | string} ratio
 * @param {boolean} changed
 * @param {number} threshold
 * @returns {Row}
 */
function pairOf(a, b, ratio, changed, threshold) {
  const pair = { ...a, a, b, converged: Boolean(a.converged && b.converged), ratio: null, low: null, high: null,
    detectable: null, verdict: "unknown", reason: null };
  if (typeof ratio === "string") return { ...pair, reason: ratio };
  let verdict = "same";
  if (changed && ratio.low > 1) verdict = ratio.value > 1 + threshold ? "regression" : "slower";
  else if (changed && ratio.high < 1) verdict = "faster";
  return { ...pair, ratio: ratio.value, low: ratio.low, high: ratio.high, detectable: ratio.detectable, verdict };
}

/**
 * @param {RunCases} a
 * @param {RunCases} b
 * @param {Set<string>} used
 * @returns {[string, string, string][]}
 */
function libraryChanges(a, b, used) {
  return [...used].sort()
    .filter((name) => name in a.versions && name in b.versions && a.versions[name] !== b.versions[name])
    .map((name) => [name, a.versions[name], b.versions[name]]);
}

/**
 * @param {RunCases} a
 * @param {RunCases} b
 * @param {Constants} constants
 * @returns {string[]}
 */
function notesOn(a, b, constants) {
  const found = [];
  if (a.kind !== b.kind) found.push(`the machines are of different kinds: ${a.machine}, ${b.machine}`);
  const imported = [a, b].filter((of) => !of.measured_here);
  const share = `±${100 * constants.assumed_share} % is assumed for its figures, which have no interval`;
  for (const of of imported) {
    found.push(`run ${of.run} is of another program: times are compared, and ${share}`);
  }
  if (!imported.length && a.cycle_source !== b.cycle_source) {
    found.push(`cycles are ${a.cycle_source} in ${a.run} and ${b.cycle_source} in ${b.run}`);
  }
  if (a.engine && b.engine && a.engine !== b.engine) {
    found.push("the engines differ, and so do the libraries compiled into them");
  }
  const interrupted = new Set([a, b].filter((of) => of.interrupted).map((of) => of.run));
  return [...found, ...[...interrupted].sort().map((run) => `run ${run} was interrupted`)];
}

/** @param {Row} row */
function described(row) {
  const size = row.profile ? ` ${row.profile}` : row.message_bytes === null ? "" : ` ${row.message_bytes} bytes`;
  return [`${row.algorithm} ${row.operation}${size}`, `${row.provider} ${row.backend_asked}`, row.way, row.load]
    .filter(Boolean).join(", ");
}

// The words of a comparison, as a terminal has them.

/** @param {Row} pair */
function sizeOf(pair) {
  const of = pair.profile ?? pair.message_bytes;
  return of === null ? "" : typeof of === "string" ? of : messageSize(of);
}

/** @param {Row} pair */
function implementationOf({ a, b, way, load }) {
  const provider = a.provider === b.provider ? `${a.provider} ` : "";
  const against = a.backend === b.backend ? "" : `, against ${b.backend}`;
  return [`${provider}${a.backend}${against}`, way, load].filter(Boolean).join(" · ");
}

/**
 * @param {Row} pair
 * @param {string} unit
 */
function costOf({ a }, unit) {
  const value = unit === "ns" ? a.ns : a.cycles;
  return value === null ? "" : significant(value, 4);
}

/** @param {Row} pair */
function ratioOf(pair) {
  if (pair.ratio === null) return pair.reason ?? "";
  const interval = `${pair.low.toFixed(3)}–${pair.high.toFixed(3)}`;
  return `${pair.converged ? "" : "~"}${pair.ratio.toFixed(3)} (${interval})`;
}

/**
 * Regressions first, and within each verdict the largest difference first.
 * @param {Row[]} pairs
 * @returns {Row[]}
 */
function ranked(pairs) {
  const largest = (/** @type {Row} */ pair) => (pair.ratio === null ? 0 : Math.max(pair.ratio, 1 / pair.ratio));
  return [...pairs].sort((one, other) =>
    ORDER.indexOf(blockOf(one)) - ORDER.indexOf(blockOf(other)) || largest(other) - largest(one));
}

/**
 * The heading under which a pair is listed.
 * @param {Row} pair
 */
function blockOf(pair) {
  const excludesOne = pair.low !== null && pair.high !== null && !(pair.low <= 1 && 1 <= pair.high);
  return pair.verdict === "same" && excludesOne ? BY_CHANCE : pair.verdict;
}

/**
 * @param {Comparison} comparison
 * @param {boolean} every
 * @returns {Row[]}
 */
function listedPairs(comparison, every) {
  if (every) return comparison.pairs;
  const unknown = comparison.pairs.filter((pair) => pair.verdict === "unknown");
  const differing = comparison.pairs.filter((pair) => !["same", "unknown"].includes(blockOf(pair)));
  return [...differing, ...unknown.slice(0, MOST_UNKNOWN)];
}

/**
 * @param {Comparison} comparison
 * @returns {[string, string][]}
 */
function circumstances(comparison) {
  /** @type {[string, string][]} */
  const found = ["Judged", "Against"].map((heading, side) =>
    [heading, `${comparison.names[side]} on ${comparison.machines[side]}`]);
  if (comparison.pairs.some((pair) => pair.load)) found.push(["Figure", comparison.figure]);
  if (comparison.paired) found.push(["Method", "both in the same run: compared round by round"]);
  for (const [provider, a, b] of comparison.libraries) found.push(["Library", `${provider} ${a}, against ${b}`]);
  for (const note of comparison.notes) found.push(["Note", note]);
  return found;
}

/**
 * @param {Comparison} comparison
 * @param {Row[]} shown
 * @param {string} listing what lists the rest
 * @returns {[string, string][]}
 */
function remarksOn(comparison, shown, listing) {
  const { counts, pairs } = comparison;
  /** @type {[string, string][]} */
  const found = [];
  const of = (/** @type {string} */ verdict) => shown.filter((pair) => pair.verdict === verdict).length;
  const hidden = counts.same - of("same");
  if (hidden) {
    found.push(["Same", `${counted(hidden, "case")} whose interval has 1 in it; ${listing} lists them`]);
  }
  const byChance = pairs.filter((pair) => blockOf(pair) === BY_CHANCE).length;
  if (byChance) {
    found.push(["By chance", `${counted(byChance, "interval")} without 1, no more than ${pairs.length} ` +
      "cases that are the same would have: measure these again"]);
  }
  if (counts.unknown - of("unknown")) found.push(["Unknown", `${unknownCases(comparison)}; ${listing} lists them`]);
  const unsettled = pairs.filter((pair) => pair.ratio !== null && !pair.converged).length;
  if (unsettled) found.push(["~", `${counted(unsettled, "ratio")} of figures that did not settle`]);
  const changed = pairs.filter(({ a, b }) => a.backend !== "unknown" && b.backend !== "unknown" &&
    a.provider === b.provider && a.backend_asked === b.backend_asked && a.backend !== b.backend);
  if (changed.length) {
    const changes = [...new Set(changed.map(({ a, b }) => `${a.provider} ${a.backend}, against ${b.backend}`))];
    found.push(["Backend", `another code path ran in ${counted(changed.length, "case")}: ${firstOf(changes)}`]);
  }
  [comparison.onlyA, comparison.onlyB].forEach((cases, side) => {
    if (!cases.length) return;
    found.push(["Missing", `only in ${comparison.names[side]}: ${counted(cases.length, "case")}: ${firstOf(cases)}`]);
  });
  const mean = comparison.mean;
  if (mean && mean.low !== null && mean.high !== null) {
    found.push(["Overall", "geometric mean of the ratios " +
      `${mean.value.toFixed(3)} (${mean.low.toFixed(3)}–${mean.high.toFixed(3)})${unevenness(pairs)}`]);
  }
  if (comparison.detectable !== null) {
    const ofAll = comparison.detectableOfAll;
    const all = ofAll === null ? "" : `, or of ${percent(ofAll - 1)} in their mean,`;
    found.push(["Power", `in the ${counted(counts.same, "case")} that ${counts.same === 1 ? "is" : "are"} the same, ` +
      `a change of ${percent(comparison.detectable - 1)} in the median one${all} ` +
      "would have been seen with 80 % probability"]);
  }
  return found;
}

/**
 * Says that the mean stands for no case where the cases changed in different ways.
 * @param {Row[]} pairs
 */
function unevenness(pairs) {
  const judged = pairs.filter((pair) => pair.verdict !== "unknown");
  const directions = new Set(judged.map(({ verdict }) => (verdict === "regression" ? "slower" : verdict)));
  if (directions.size < 2) return "";
  const ratios = pairs.flatMap(({ ratio }) => (ratio === null ? [] : [ratio]));
  return `, but the changes are not uniform: from ${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`;
}

/** @param {Comparison} comparison */
function unknownCases({ counts, pairs }) {
  /** @type {Map<string, number>} */
  const reasons = new Map();
  for (const pair of pairs.filter((one) => one.verdict === "unknown")) {
    const reason = pair.reason || "no reason was given";
    const place = reason.indexOf(": ");
    const without = (place < 0 ? "" : reason.slice(place + 2)) || reason;
    reasons.set(without, (reasons.get(without) ?? 0) + 1);
  }
  const sorted = [...reasons].sort((one, other) => other[1] - one[1]);
  const named = sorted.slice(0, MOST_REASONS).map(([reason, count]) => `${reason} (${count})`);
  const more = sorted.length - MOST_REASONS;
  const also = more > 0 ? `; and ${counted(more, "other reason")}` : "";
  return `${counted(counts.unknown, "case")} without a verdict: ${named.join(", ")}${also}`;
}

/** @param {string[]} texts */
function firstOf(texts) {
  const more = texts.length > MOST_NAMED ? `; and ${texts.length - MOST_NAMED} more` : "";
  return texts.slice(0, MOST_NAMED).join("; ") + more;
}

/** @param {Comparison} comparison */
function verdictOn({ counts, pairs, threshold, unit }) {
  const beyond = `${Number((100 * threshold).toPrecision(6))} %`;
  if (counts.unknown === pairs.length) return `none: ${pairs[0].reason}`;
  const named = ["slower", "faster", "same", "unknown"].filter((name) => counts[name])
    .map((name) => `${counts[name]} ${name}`);
  const all = counted(pairs.length, "case") + (named.length ? ` (${named.join(", ")})` : "");
  const said = counts.regression ? counted(counts.regression, "regression") : "no regression";
  if (!counts.regression && !counts.slower) return `${said} beyond ${beyond} in ${all}`;
  const [worst] = ranked(pairs);
  const which = [worst.algorithm, worst.operation, sizeOf(worst)].filter(Boolean).join(" ");
  return `${said} beyond ${beyond} in ${all}; the worst is ${which}: ` +
    `${worst.ratio.toFixed(3)} times the ${unit === "ns" ? "time" : "cycles"}`;
}
