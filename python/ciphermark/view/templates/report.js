"use strict";

// The page of a run, of a machine or of a function: its plots are drawn, its tables answer.

const NARROWEST = 120;
const WIDEST = 560;

/** Pixels that title, axis and their labels take above and below a plot. */
const AROUND = 70;

/**
 * Draws plots at the width of the page and in its colours, again when either changes.
 * @param {Plots} plots the panels of each plot by its name, and what Vega-Lite is told of colours
 */
function drawPlots(plots) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const every = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".panel")]);
  let drawnWidth = 0;

  /** @param {HTMLElement} element */
  function ofPanel({ dataset: { plot = "", panel = "" } }) {
    return plots.panels[plot][Number(panel)];
  }

  // What stands below a plot stays there while it is drawn.
  for (const element of every) {
    const { height } = ofPanel(element).spec;
    if (typeof height === "number") element.style.minHeight = `${height + AROUND}px`;
  }
  let waiting = 0;

  /** @param {HTMLElement} element */
  async function draw(element) {
    const { spec, room } = ofPanel(element);
    element.style.minHeight = `${element.offsetHeight}px`;
    const width = Math.min(WIDEST, Math.max(NARROWEST, element.clientWidth - room));
    const theme = dark.matches ? "dark" : "light";
    await vegaEmbed(element, { ...spec, width }, {
      actions: false,
      // Vega interprets its expressions, as no page may compile any.
      ast: true,
      config: { ...plots.configs[theme], background: "transparent" },
      defaultStyle: false,
      renderer: "svg",
      tooltip: { theme, disableDefaultStyle: true },
    });
    // Containers of marks have the role of a picture and no name of one, which is each mark's.
    for (const mark of element.querySelectorAll("[role=graphics-symbol]:not([aria-label])")) {
      mark.removeAttribute("role");
      mark.removeAttribute("aria-roledescription");
    }
    element.style.minHeight = "";
    element.dataset.drawn = theme;
  }

  async function drawAll() {
    for (const element of every) await draw(element);
  }

  function redraw() {
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 200);
  }

  new ResizeObserver(() => {
    // Drawing changes the height of the page, and must not lead to drawing again.
    if (document.body.clientWidth !== drawnWidth) {
      drawnWidth = document.body.clientWidth;
      redraw();
    }
  }).observe(document.body);
  dark.addEventListener("change", redraw);
}

/**
 * The value that a line is sorted by in a column; undefined sorts last.
 * @param {HTMLTableRowElement} row
 * @param {number} column
 * @returns {string | number | undefined}
 */
function sortedBy(row, column) {
  const value = row.cells[column].dataset.order;
  return value === undefined || value === "" || isNaN(Number(value)) ? value : Number(value);
}

/**
 * Makes a button of each heading of a table, by which it is sorted.
 * @param {HTMLTableElement} table
 */
function makeSortable(table) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [.../** @type {HTMLTableRowElement} */ (table.tHead?.lastElementChild).cells];

  /**
   * @param {number} column
   * @param {boolean} descending
   */
  function sortBy(column, descending) {
    const known = rows.filter((row) => sortedBy(row, column) !== undefined);
    const unknown = rows.filter((row) => sortedBy(row, column) === undefined);
    known.sort((row, other) => {
      const [a, b] = [sortedBy(row, column), sortedBy(other, column)];
      if (typeof a === "number" && typeof b === "number") return a - b;
      return String(a).localeCompare(String(b));
    });
    if (descending) known.reverse();
    body.append(...known, ...unknown);
    table.dataset.sorted = "";
  }

  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      sortBy(column, descending);
    });
  });
}

/**
 * On a phone each line is a card, in which a figure stands beside the names of its column.
 * @param {HTMLTableElement} table
 */
function nameCells(table) {
  const [first, ...more] = table.tHead?.rows ?? [];
  const heads = [...(more.at(-1) ?? first).cells];
  const groups = [...first.cells].flatMap((cell) =>
    Array(cell.colSpan).fill(more.length ? cell.textContent.trim() : ""));
  const names = heads.map((head, column) => `${groups[column] ?? ""} ${head.textContent.trim()}`);
  for (const row of table.tBodies[0].rows) {
    [...row.cells].forEach((cell, column) => {
      cell.dataset.name = (names[column] ?? "").trim();
    });
  }
}

/**
 * Leaves the lines of a table that have all words of the filter and are of the chosen section.
 * @param {HTMLTableElement} table
 */
function makeFilter(table) {
  const filter = /** @type {HTMLInputElement} */ (document.getElementById("filter"));
  const section = /** @type {HTMLSelectElement} */ (document.getElementById("section"));
  const shown = /** @type {HTMLOutputElement} */ (document.getElementById("shown"));
  const rows = [...table.tBodies[0].rows];

  function show() {
    const words = filter.value.toLowerCase().split(/\s+/);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const wanted = words.every((word) => text.includes(word));
      row.hidden = !wanted || (section.value !== "" && row.dataset.section !== section.value);
    }
    shown.value = `${rows.filter((row) => !row.hidden).length} of ${rows.length} lines`;
  }

  filter.addEventListener("input", show);
  section.addEventListener("change", show);
  show();
}

/**
 * The matrix: a table for each operation and size, of which the chosen one is seen.
 * @param {HTMLSelectElement} side
 */
function makeMatrix(side) {
  const size = /** @type {HTMLSelectElement | null} */ (document.getElementById("size"));
  const matrices = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#matrix .matrix")]);

  function choose() {
    const ofSide = matrices.filter((table) => table.dataset.side === side.value);
    /** @param {string} wanted */
    const has = (wanted) => ofSide.some((table) => table.dataset.size === wanted);
    if (size) {
      for (const option of size.options) option.disabled = !has(option.value);
      size.disabled = has("");
      if (!size.disabled && !has(size.value)) size.value = ofSide[0].dataset.size ?? "";
    }
    const wanted = !size || size.disabled ? "" : size.value;
    for (const table of matrices) {
      table.hidden = !(ofSide.includes(table) && table.dataset.size === wanted);
    }
  }

  side.addEventListener("change", choose);
  size?.addEventListener("change", choose);
  choose();
}

/**
 * Brings the page that the document holds to life.
 * @param {Plots} plots
 */
function showReport(plots) {
  drawPlots(plots);
  for (const table of document.querySelectorAll("table.sortable")) {
    nameCells(/** @type {HTMLTableElement} */ (table));
    makeSortable(/** @type {HTMLTableElement} */ (table));
  }
  const summary = /** @type {HTMLTableElement | null} */ (document.getElementById("summary"));
  if (summary) makeFilter(summary);
  const side = /** @type {HTMLSelectElement | null} */ (document.getElementById("side"));
  if (side) makeMatrix(side);
  document.documentElement.classList.add("with-script");
}

// On paper everything is open.

addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});

// A report that is one file has the data of its plots within itself.

const embedded = document.getElementById("plots");
if (embedded) showReport(JSON.parse(embedded.textContent));
