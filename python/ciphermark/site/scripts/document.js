"use strict";

// The page of a run, a machine, a function or a study: which one, the address says.

const RUN = /^\d{8}-\d{6}-[0-9a-f]{4}$/;

/**
 * Names of runs in tables lead to the runs' pages.
 * @param {HTMLElement} page
 */
function linkRuns(page) {
  for (const cell of page.querySelectorAll("td")) {
    const run = cell.textContent.trim();
    if (RUN.test(run) && !cell.firstElementChild) {
      cell.replaceChildren(element("a", { href: `run.html?run=${run}` }, run));
    }
  }
}

/**
 * Two libraries of a run may be ticked, and are then compared.
 * @param {HTMLElement} page
 * @param {string} run
 * @param {string[]} libraries that have figures in it
 * @param {boolean} isPaired whether the site has what two of them are compared by
 */
function offerLibraries(page, run, libraries, isPaired) {
  const section = element("section", { id: "libraries" }, element("h2", {}, "Compare two libraries"));
  const main = /** @type {HTMLElement} */ (page.querySelector("main"));
  main.insertBefore(section, main.querySelector("#details"));
  if (!isPaired) {
    const [one, other] = libraries;
    section.append(element("p", {}, "This site lacks the medians of the groups of this run, by which two of its " +
      "libraries are compared: type ", element("code", {}, `ciphermark compare ${run}:${one} ${run}:${other}`),
      ", or write the site with ", element("code", {}, "--reports all"), "."));
    return;
  }
  /** @type {string[]} */
  const ticked = [];
  const link = element("a", { hidden: true }, "");
  const boxes = libraries.map((name) => element("input", { type: "checkbox", value: name }));
  const said = element("output", {}, link);

  function show() {
    const [one, other] = ticked;
    const address = new URLSearchParams({ a: `${run}:${one}`, b: `${run}:${other}` });
    link.hidden = ticked.length < 2;
    link.href = `compare.html?${address}`;
    link.textContent = `Compare ${one} with ${other}`;
  }

  section.append(
    element("p", {}, "Case by case, over the rounds that both have: tick the library that is judged, then the other one."),
    element("div", { class: "controls" },
      ...libraries.map((name, place) => element("label", {}, boxes[place], " ", name)), said));
  section.addEventListener("change", (/** @type {any} */ event) => {
    const { value, checked } = event.target;
    if (!checked) ticked.splice(ticked.indexOf(value), 1);
    else if (ticked.push(value) > 2) {
      const gone = ticked.shift();
      for (const box of boxes) if (box.value === gone) box.checked = false;
    }
    show();
  });
}

async function showDocument() {
  const page = /** @type {HTMLElement} */ (document.getElementById("document"));
  const kind = document.body.dataset.kind ?? "";
  const key = ofAddress(kind);
  try {
    if (!key) throw new Error(`the address names no ${kind}`);
    const found = await ciphermark.load(`${kind}/${key}`);
    document.title = `${found.title} · ciphermark`;
    // Made by templates that escape every text; the policy of the page lets no script in it run.
    page.innerHTML = found.html;
    linkRuns(page);
    for (const box of page.querySelectorAll(".scroll:not([tabindex])")) {
      box.setAttribute("tabindex", "0");
      box.setAttribute("role", "region");
      box.setAttribute("aria-label", box.closest("section, details")?.querySelector("h2, summary")?.textContent ?? "Table");
    }
    if (found.plots) showReport(found.plots);
    else await showBare(key);
    if (found.libraries?.length > 1) offerLibraries(page, key, found.libraries, found.paired);
    const plans = document.getElementById("planner-data");
    if (plans) startPlanner(JSON.parse(plans.textContent));
    document.documentElement.dataset.ready = "";
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  } catch (error) {
    page.replaceChildren(
      element("header", {},
        element("h1", {}, `There is no such ${kind}`),
        element("p", { class: "origin" }, `${/** @type {Error} */ (error).message}. `,
          element("a", { href: "index.html" }, "All runs"))),
      element("main", { id: "main" }));
  }
}

showDocument();
