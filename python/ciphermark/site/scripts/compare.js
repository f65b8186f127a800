"use strict";

// The page that compares two runs, or two libraries of one.

const SIDE = /^([0-9a-f-]{1,40})(?::([^/]*)(?:\/(.*))?)?$/;

const part = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

/**
 * @param {string} typed RUN[:PROVIDER[/BACKEND]]
 * @returns {{ run: string, selection: Chosen }}
 */
function parsedSide(typed) {
  const [, run = "", provider = "", backend = ""] = SIDE.exec(typed.trim()) ?? [];
  if (!run) throw new Refusal(`${typed || "nothing"} names no run: write RUN, RUN:PROVIDER or RUN:PROVIDER/BACKEND`);
  return { run, selection: { provider, backend } };
}

/**
 * @param {string} run
 * @returns {Promise<RunCases>}
 */
async function casesOf(run) {
  try {
    return await ciphermark.load(`cases/${run}`);
  } catch {
    throw new Refusal(`there is no run ${run} in this site: see the list of runs`);
  }
}

/**
 * The libraries and backends of a run, as what may be typed.
 * @param {string} list
 * @param {RunCases} of
 */
function offer(list, of) {
  const rows = rowsOf(of);
  const names = new Set(rows.flatMap((row) => [row.provider, `${row.provider}/${row.backend}`]));
  part(list).replaceChildren(...[...names].sort().map((name) => element("option", { value: `${of.run}:${name}` })));
}

/**
 * @param {string} name
 * @param {[string, string][]} remarks
 */
function remarkList(name, remarks) {
  return element("dl", { class: name }, ...remarks.map(([heading, text]) =>
    element("div", {}, element("dt", {}, heading), element("dd", {}, text))));
}

/**
 * @param {Row[]} pairs
 * @param {string} unit
 */
function tableOf(pairs, unit) {
  const figure = unit === "ns" ? "ns" : "Cycles";
  const heads = ["Verdict", "Case", "Size", "Implementation", figure, "Ratio (95 % interval)"];
  const numbers = [2, 4, 5];
  const cell = (/** @type {number} */ place, /** @type {string | Node} */ content, isNumber = numbers.includes(place)) =>
    element("td", { class: isNumber ? "number" : undefined, "data-name": heads[place] }, content);
  return element("div", { class: "scroll bounded", tabindex: "0", role: "region", "aria-label": "Cases" },
    element("table", { id: "pairs", class: "cards" },
      element("thead", {}, element("tr", {}, ...heads.map((head, place) =>
        element("th", { scope: "col", class: numbers.includes(place) ? "number" : undefined }, head)))),
      element("tbody", {}, ...ranked(pairs).map((pair) => element("tr", {},
        cell(0, element("span", { class: `verdict ${pair.verdict}` }, pair.verdict)),
        cell(1, `${pair.algorithm} ${pair.operation}`),
        cell(2, sizeOf(pair)),
        cell(3, implementationOf(pair)),
        cell(4, costOf(pair, unit)),
        cell(5, ratioOf(pair), pair.ratio !== null))))));
}

async function compareTyped() {
  const [judged, against] = [part("judged").value, part("against").value];
  const [every, across] = [part("every").checked, part("across").checked];
  const percentage = part("threshold").value;
  keepInAddress([["a", judged], ["b", against], ["threshold", percentage === "5" ? "" : percentage],
    ["across", across ? "1" : ""], ["all", every ? "1" : ""]]);
  const result = part("result");
  try {
    const [one, other] = [parsedSide(judged), parsedSide(against)];
    const [a, b] = [await casesOf(one.run), await casesOf(other.run)];
    offer("first-parts", a);
    offer("second-parts", b);
    const constants = await ciphermark.load("constants");
    const paired = a.run === b.run;
    let groups = null;
    if (paired && a.measured_here && a.of_rounds) {
      try {
        groups = await ciphermark.load(`groups/${a.run}`);
      } catch {
        throw new Refusal("this site has no medians of the groups of this run, by which two of its libraries " +
          `are compared: type ciphermark compare ${judged} ${against}, or write the site with --reports all`);
      }
    }
    const comparison = compareRuns(a, b, one.selection, other.selection,
      { threshold: Number(percentage) / 100, across, groups, constants });
    const shown = listedPairs(comparison, every);
    const typed = `ciphermark compare ${comparison.names.join(" ")}${across ? " --across-machines" : ""}`;
    result.replaceChildren(
      element("p", { class: "headline", id: "verdict" }, verdictOn(comparison)),
      remarkList("circumstances", circumstances(comparison)),
      ...(shown.length ? [tableOf(shown, comparison.unit)] : []),
      remarkList("remarks", remarksOn(comparison, shown, "“List all cases”")),
      element("p", { class: "soft" }, "The same on a terminal: ", element("code", {}, typed), ". Runs: ",
        ...comparison.runs.flatMap((run, place) => place && run === comparison.runs[0] ? [] :
          [place ? ", " : "", element("a", { href: `run.html?run=${run}` }, run)])));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    result.replaceChildren(element("p", { class: "notice", id: "refusal" }, error.message));
  }
  document.documentElement.dataset.ready = "";
}

document.documentElement.classList.add("with-script");
const asked = new URLSearchParams(location.search);
part("judged").value = asked.get("a") ?? "";
part("against").value = asked.get("b") ?? "";
part("threshold").value = asked.get("threshold") ?? "5";
part("across").checked = asked.has("across");
part("every").checked = asked.has("all");
part("sides").addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  compareTyped();
});
for (const id of ["across", "every"]) {
  part(id).addEventListener("change", () => part("judged").value && part("against").value && compareTyped());
}
if (asked.has("a") && asked.has("b")) compareTyped();
