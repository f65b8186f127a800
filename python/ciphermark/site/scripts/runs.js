"use strict";

// The list of runs: searched and filtered.

/** Runs that are listed at once: browsers lay out a table anew with each letter that is typed. */
const SHOWN = 50;

/**
 * @typedef {object} RunList
 * @property {number} runs
 * @property {number} parts
 * @property {[string, string, string][]} machines key, name, processor
 * @property {string[]} plans
 * @property {string[]} workloads
 * @property {string[]} algorithms
 * @property {string[]} providers
 * @property {[number[], number[]][]} sets
 * @property {string[]} unreadable
 */

/**
 * A run as `site.listing` writes it: identifier, start in minutes, then numbers of machine, plan,
 * workload and set; cases, converged, errors, and whether it was interrupted.
 * @typedef {[string, number, number, number, number, number, number, number, number, number]} Line
 */

const byId = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
const FIELDS = ["words", "machine", "workload", "algorithm", "provider", "from", "to"];

async function showRuns() {
  const given = new URLSearchParams(location.search);
  /** @type {RunList} */
  const list = await ciphermark.load("list");
  /** @type {Line[][]} */
  const parts = new Array(list.parts).fill([]);
  const tbody = byId("runs").tBodies[0];
  let most = SHOWN;
  /** @type {Map<number, string>} by minute, as every word is looked for in that of every run */
  const dates = new Map();

  const texts = {
    machines: list.machines.map(([, name, cpu]) => `${name} ${cpu}`.toLowerCase()),
    plans: list.plans.map((name) => name.toLowerCase()),
    workloads: list.workloads.map((name) => name.toLowerCase()),
    sets: list.sets.map(([algorithms, providers]) =>
      [...algorithms.map((it) => list.algorithms[it]), ...providers.map((it) => list.providers[it])]
        .join(" ").toLowerCase()),
  };

  /**
   * @param {string} id
   * @param {[string, string][]} options value and text
   */
  function fill(id, options) {
    for (const [value, text] of options) byId(id).append(element("option", { value }, text));
  }
  const sorted = (/** @type {string[]} */ names) =>
    [...names].sort((a, b) => a.localeCompare(b)).map((name) => /** @type {[string, string]} */ ([name, name]));
  fill("machine", list.machines.map(([key, name]) => /** @type {[string, string]} */ ([key, name]))
    .sort((a, b) => a[1].localeCompare(b[1])));
  fill("workload", sorted(list.workloads));
  fill("algorithm", sorted(list.algorithms));
  fill("provider", sorted(list.providers));
  for (const field of FIELDS) byId(field).value = given.get(field) ?? "";

  byId("about").textContent = `${counted(list.runs, "run")} on ${counted(list.machines.length, "machine")}`;
  if (list.unreadable.length) {
    const left = byId("unreadable");
    left.hidden = false;
    left.querySelector("summary").textContent = `What was left out (${list.unreadable.length})`;
    left.querySelector("ul").append(...list.unreadable.map((text) => element("li", {}, text)));
  }

  /** @param {number} at */
  function dateOf(at) {
    let text = dates.get(at);
    if (text === undefined) {
      text = date(at);
      dates.set(at, text);
    }
    return text;
  }

  /** @returns {Line[]} those that are searched for, the newest first */
  function found() {
    const words = byId("words").value.toLowerCase().split(/\s+/).filter(Boolean);
    const set = (/** @type {string} */ id, /** @type {string[]} */ names) => names.indexOf(byId(id).value);
    const algorithm = set("algorithm", list.algorithms);
    const provider = set("provider", list.providers);
    const machine = list.machines.findIndex(([key]) => key === byId("machine").value);
    const workload = set("workload", list.workloads);
    const ofSets = list.sets.map(([algorithms, providers]) =>
      (algorithm < 0 || algorithms.includes(algorithm)) && (provider < 0 || providers.includes(provider)));
    // What a word is found in, but for the run's own identifier, is the same for many runs.
    const has = words.map((/** @type {string} */ word) => ({
      machines: texts.machines.map((text) => text.includes(word)),
      plans: texts.plans.map((text) => text.includes(word)),
      workloads: texts.workloads.map((text) => text.includes(word)),
      sets: texts.sets.map((text) => text.includes(word)),
      word,
    }));
    const minutes = (/** @type {string} */ id) => Date.parse(byId(id).value) / 60000;
    const from = minutes("from");
    const to = minutes("to") + 24 * 60;
    const kept = [];
    for (let part = parts.length - 1; part >= 0; part--) {
      for (let place = parts[part].length - 1; place >= 0; place--) {
        const line = parts[part][place];
        const [run, at, ofMachine, plan, ofWorkload, ofSet] = line;
        if (machine >= 0 && ofMachine !== machine) continue;
        if (workload >= 0 && ofWorkload !== workload) continue;
        if (!ofSets[ofSet] || at < from || at >= to) continue;
        if (has.every((/** @type {any} */ it) => it.machines[ofMachine] || it.plans[plan] || it.workloads[ofWorkload]
          || it.sets[ofSet] || run.includes(it.word) || dateOf(at).includes(it.word))) kept.push(line);
      }
    }
    return kept;
  }

  /** @param {Line} line */
  function row(line) {
    const [run, at, machine, plan, workload, , cases, converged, errors, interrupted] = line;
    const [key, name] = list.machines[machine];
    return element("tr", {},
      element("td", {}, element("a", { href: `run.html?run=${run}` }, run)),
      element("td", {}, dateOf(at)),
      element("td", {}, element("a", { href: `machine.html?machine=${key}` }, name)),
      element("td", {}, list.plans[plan]),
      element("td", {}, list.workloads[workload]),
      element("td", { class: "number", "data-name": "Settled" }, converged < 0 ? grouped(cases) : `${grouped(converged)}/${grouped(cases)}`),
      element("td", { class: errors ? "number unsettled" : "number", "data-name": "Errors" }, grouped(errors)),
      element("td", {}, interrupted ? "interrupted" : ""));
  }

  function show() {
    const lines = found();
    tbody.replaceChildren(...lines.slice(0, most).map(row));
    const known = parts.reduce((sum, part) => sum + part.length, 0);
    const more = known < list.runs ? ", more are being read" : "";
    byId("shown").value = `${grouped(lines.length)} of ${counted(list.runs, "run")}${more}`;
    byId("more").hidden = lines.length <= most;
  }

  function keep() {
    keepInAddress(FIELDS.map((field) => [field, byId(field).value]));
  }

  function search() {
    most = SHOWN;
    show();
    keep();
  }

  for (const field of FIELDS) {
    byId(field).addEventListener(byId(field).localName === "select" ? "change" : "input", search);
  }
  byId("search").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
  byId("more").addEventListener("click", () => {
    most += 4 * SHOWN;
    show();
  });

  // The newest first, which can be looked at while the others come.
  if (list.parts) parts[list.parts - 1] = await ciphermark.load(`list/${list.parts - 1}`);
  show();
  keep();
  await Promise.all(parts.slice(0, -1).map(async (_, place) => {
    parts[place] = await ciphermark.load(`list/${place}`);
  }));
  if (list.parts > 1) show();
  document.documentElement.dataset.ready = "";
}

showRuns().catch((error) => {
  byId("about").textContent = String(error.message);
});
