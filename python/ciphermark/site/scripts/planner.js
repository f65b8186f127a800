"use strict";

// The planner: costs of packets that site/planner.py prepared, for one size, rate and number of cores.

/**
 * @typedef {[number, number, number]} Figure  A value and both ends of its 95 % interval.
 * @typedef {[number, number, number, number]} Cost  Nanoseconds of a packet, and the place of its words.
 * @typedef {{suite: string, warning: string, library: string, factors: Figure[],
 *   costs: (Cost | null)[][]}} Row  Costs when sending, and both ways: of each size, then of each mix.
 * @typedef {{by: string, known: string, reach: string, unsettled: string}} Words
 * @typedef {{run: string, machine: string, sizes: number[], cores: number[], words: Words[],
 *   rows: Row[], notes: string[]}} Run
 * @typedef {{runs: Run[], mixes: [string, string, number][], verdicts: string[]}} Plans
 * @typedef {{row: Row, words: Words, cost: Cost, packets: Figure, needed: Figure,
 *   verdict: number}} Answer
 */

const ONE_SIZE = "one size";

/**
 * The cost at a size: on the line between both neighbours, with the wider interval of the two.
 * @type {(sizes: number[], costs: (Cost | null)[], size: number) => Cost | null}
 */
function costAt(sizes, costs, size) {
  const place = sizes.findIndex((it) => it >= size);
  const [before, after] = [costs[place - 1], costs[place]];
  if (sizes[place] === size) return after;
  if (!before || !after) return null;
  const share = (size - sizes[place - 1]) / (sizes[place] - sizes[place - 1]);
  const value = (1 - share) * before[0] + share * after[0];
  const low = Math.min(before[1] / before[0], after[1] / after[0]);
  const high = Math.max(before[2] / before[0], after[2] / after[0]);
  return [value, value * low, value * high, (share < 0.5 ? before : after)[3]];
}

/**
 * Packets per second of several cores, whose factor and the cost of a packet err independently.
 * @type {(cost: Cost, factor: Figure) => Figure}
 */
function packetsPerSecond([ns, least, most], [factor, lowest, highest]) {
  const flow = 1e9 / ns;
  const value = flow * factor;
  /** @type {(end: number, itsEnd: number) => number} */
  const apart = (end, itsEnd) => Math.hypot((end - flow) * factor, (itsEnd - factor) * flow);
  const low = value - apart(1e9 / most, lowest);
  return [value, Math.max(0, low), value + apart(1e9 / least, highest)];
}

ciphermark.load("planner").then((/** @type {Plans} */ data) => {
  /** @type {(id: string) => any} */
  const part = (id) => document.getElementById(id);
  const form = part("planner");
  /** @type {(name: string) => string} */
  const chosen = (name) => form.elements[name].value;
  /** @type {(name: string) => [string, string]} */
  const named = (name) => [name, name];

  /**
   * Fills a list, and keeps what was chosen, or the address says, where it is there.
   * @type {(name: string, items: [string, string][], wanted?: string) => void}
   */
  function fill(name, items, wanted = chosen(name)) {
    const select = form.elements[name];
    select.replaceChildren(...items.map(([value, text]) => element("option", { value }, text)));
    if (items.some(([value]) => value === wanted)) select.value = wanted;
  }

  const runOf = () => data.runs.find((it) => it.run === chosen("run")) ?? data.runs[0];

  /** @param {URLSearchParams} [wanted] */
  function fillOfRun(wanted) {
    const { rows, sizes, cores } = runOf();
    const protocols = [...new Set(rows.map((it) => it.suite.split(":")[0]))].sort();
    const libraries = [...new Set(rows.map((it) => it.library))].filter((it) => it).sort();
    /** @type {(name: string) => string | undefined} */
    const of = (name) => wanted?.get(name) ?? undefined;
    fill("protocol", [...protocols.map(named), ["all", "all"]], of("protocol"));
    fill("library", [["", "usual, or fastest"], ...libraries.map(named)], of("library"));
    fill("cores", cores.map((it) => named(String(it))), of("cores"));
    Object.assign(form.elements.size, { min: sizes[0], max: sizes[sizes.length - 1] });
  }

  /** @type {(run: Run, bytes: number) => Answer[]} */
  function answers(run, bytes) {
    const mix = data.mixes.findIndex(([name]) => name === chosen("packets"));
    const ways = chosen("ways") === "both" ? 1 : 0;
    const cores = run.cores.indexOf(Number(chosen("cores")));
    const wanted = Number(chosen("rate")) * 1e9 / (8 * bytes);
    return run.rows.flatMap((row) => {
      const isOf = ["all", row.suite.split(":")[0]].includes(chosen("protocol"));
      if (!isOf || row.library !== chosen("library")) return [];
      const costs = row.costs[ways];
      const cost = mix < 0 ? costAt(run.sizes, costs, bytes) : costs[run.sizes.length + mix];
      if (!cost) return [];
      const factor = row.factors[cores];
      const packets = packetsPerSecond(cost, factor);
      const busy = (run.cores[cores] / factor[0]) * wanted * 1e-9;
      const needed = /** @type {Figure} */ ([cost[0] * busy, cost[1] * busy, cost[2] * busy]);
      const verdict = packets[1] >= wanted ? 2 : packets[2] < wanted ? 0 : 1;
      return [{ row, words: run.words[cost[3]], cost, packets, needed, verdict }];
    }).sort((one, other) => other.packets[0] - one.packets[0]);
  }

  /** @type {(it: Figure, factor?: number) => string} */
  const interval = ([, low, high], factor = 1) => `${significant(low * factor)}–${significant(high * factor)}`;

  /**
   * Heading, class and content of each column; a column without content is left out.
   * @type {(it: Answer, bits: number, isAlike: boolean) => [string, string, string | Node][]}
   */
  function cells({ row, words, cost, packets, needed, verdict }, bits, isAlike) {
    const marks = row.warning ? [" ", element("small", {}, row.warning)] : [];
    const basis = words.unsettled ? `${words.known}, not settled` : words.known;
    /** @type {[string, string, string | Node][]} */
    const found = [
      ["Suite", "name", element("span", {}, row.suite, ...marks)],
      ["Carries, Gbit/s", "number", significant(packets[0] * bits / 1e9)],
      ["95 %", "interval number", interval(packets, bits / 1e9)],
      ["Enough", verdict === 2 ? "" : "unsettled", data.verdicts[verdict]],
      ["Cores needed", "number", significant(needed[0])],
      ["95 % of cores", "interval number", interval(needed)],
      ["ns a packet", "number", significant(cost[0])],
      ["Known by", words.unsettled && "unsettled", element("span", { title: words.unsettled }, basis)],
      ["Library", "", words.by],
      ["In it", "", words.reach],
    ];
    const left = [...(chosen("rate") ? [] : ["Enough", "Cores needed", "95 % of cores"]), isAlike ? "In it" : ""];
    return found.filter(([head]) => !left.includes(head));
  }

  /** @type {(best: Answer, bits: number) => string} */
  function headline({ row, words, packets, needed, verdict }, bits) {
    const cores = counted(Number(chosen("cores")), "core");
    const rest = `with ${row.suite}, ${words.reach}.`;
    const rate = Number(chosen("rate"));
    if (!rate) return `${significant(packets[0] * bits / 1e9)} Gbit/s of payload by ${cores} ${rest}`;
    const spread = verdict === 1 ? ` (${interval(needed)})` : "";
    return `${data.verdicts[verdict]}: ${significant(rate)} Gbit/s of payload needs ${significant(needed[0])} of ${cores}${spread} ${rest}`;
  }

  function show() {
    const run = runOf();
    const mix = data.mixes.find(([name]) => name === chosen("packets"));
    form.elements.size.disabled = mix !== undefined;
    const isWrong = !(mix || (form.elements.size.validity.valid && chosen("size"))) || !form.elements.rate.validity.valid;
    const bytes = mix ? mix[2] : Number(chosen("size"));
    const found = isWrong ? [] : answers(run, bytes);
    const bits = 8 * bytes;
    const [best] = found;
    part("headline").textContent = isWrong
      ? `Costs are known of packets of ${run.sizes[0]} to ${run.sizes[run.sizes.length - 1]} bytes; a rate is a number above 0.`
      : best ? headline(best, bits) : "Nothing is known of this: choose another library, protocol or direction.";
    document.querySelector("main .scroll")?.toggleAttribute("hidden", !best);
    const isAlike = found.every((it) => it.words.reach === best.words.reach);
    const rows = found.map((it) => cells(it, bits, isAlike));
    part("suites").tHead.rows[0].replaceChildren(
      ...(rows[0] ?? []).map(([head, kind]) => element("th", { scope: "col", class: kind && kind.replace("unsettled", "") }, head)));
    part("suites").tBodies[0].replaceChildren(...rows.map((row) =>
      element("tr", {}, ...row.map(([head, kind, content]) => element("td", { class: kind, "data-name": head }, content)))));
    part("notes").replaceChildren(...run.notes.map((it) => element("li", {}, it)));
    const traffic = mix ? `${mix[0]}, ${mix[1]}` : `packets of ${bytes} bytes`;
    part("origin").replaceChildren("By ", element("a", { href: `run.html?run=${run.run}` }, `run ${run.run}`),
      `: ${traffic}; ${chosen("ways") ? "both ways" : "sending"}.`);
  }

  document.documentElement.dataset.ready = "";
  part("about").hidden = data.runs.length > 0;
  form.hidden = !data.runs.length;
  if (form.hidden) return;
  const address = new URLSearchParams(location.search);
  fill("run", data.runs.map((it) => [it.run, it.machine]), address.get("run") ?? "");
  fill("packets", [...data.mixes.map(([name]) => named(name)), [ONE_SIZE, "of one size"]], address.get("packets") ?? "");
  fillOfRun(address);
  for (const name of ["size", "ways", "rate"]) {
    if (address.has(name)) form.elements[name].value = address.get(name);
  }
  show();
  form.addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
  form.addEventListener("input", (/** @type {any} */ event) => {
    if (event.target.name === "run") fillOfRun();
    show();
    keepInAddress([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  });
});
