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
 * Adds the commands that compare a run.
 * @param {HTMLElement} page
 * @param {string} run
 * @param {string[]} libraries that have figures in it
 */
function addComparison(page, run, libraries) {
  const [one, other] = libraries;
  const typed = (/** @type {string} */ sides) => element("code", {}, `ciphermark compare ${sides}`);
  const main = /** @type {HTMLElement} */ (page.querySelector("main"));
  main.insertBefore(
    element("section", { id: "compare" }, element("h2", {}, "Compare"),
      element("p", {}, "With another run: ", typed(`${run} OTHER`),
        ...(other ? [". Two libraries of this run: ", typed(`${run}:${one} ${run}:${other}`)] : []), ".")),
    main.querySelector("#details"));
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
    if (found.libraries) addComparison(page, key, found.libraries);
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
