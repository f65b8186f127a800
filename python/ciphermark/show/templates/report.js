"use strict";

// Plots: drawn at the width of the page and in its colours, again when either changes.

const plots = JSON.parse(document.getElementById("plots").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const NARROWEST = 120;
const WIDEST = 560;

async function draw(element) {
  const { spec, room } = plots.panels[element.dataset.plot][element.dataset.panel];
  const width = Math.min(WIDEST, Math.max(NARROWEST, element.clientWidth - room));
  const theme = dark.matches ? "dark" : "light";
  const options = {
    actions: false,
    renderer: "svg",
    config: { ...plots.configs[theme], background: "transparent" },
    tooltip: { theme },
  };
  await vegaEmbed(element, { ...spec, width }, options);
  element.dataset.drawn = theme;
}

async function drawAll() {
  for (const element of document.querySelectorAll(".panel")) {
    await draw(element);
  }
}

let drawnWidth = 0;
let waiting = 0;

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

// The table of figures: sorted by a click on a heading, filtered by words and section.

const table = document.getElementById("summary");
const rows = [...table.tBodies[0].rows];
const filter = document.getElementById("filter");
const section = document.getElementById("section");
const shown = document.getElementById("shown");

function order(row, column) {
  const value = row.cells[column].dataset.order;
  return value === undefined || value === "" || isNaN(value) ? value : Number(value);
}

function compare(one, other) {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other));
}

function sortBy(column, descending) {
  const known = rows.filter((row) => order(row, column) !== undefined);
  const unknown = rows.filter((row) => order(row, column) === undefined);
  known.sort((one, other) => compare(order(one, column), order(other, column)));
  if (descending) known.reverse();
  table.tBodies[0].append(...known, ...unknown);
  table.dataset.sorted = "";
}

const heads = [...table.tHead.lastElementChild.cells];

// On a phone each line is a card, in which a figure stands beside the names of its column.

const groups = [...table.tHead.firstElementChild.cells].flatMap((cell) =>
  Array(cell.colSpan).fill(table.tHead.rows.length > 1 ? cell.textContent.trim() : ""),
);
const names = heads.map((head, column) => `${groups[column] ?? ""} ${head.textContent.trim()}`);
for (const row of rows) {
  [...row.cells].forEach((cell, column) => (cell.dataset.name = (names[column] ?? "").trim()));
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

// The matrix: a table for each operation and size, of which the chosen one is seen.

const matrices = [...document.querySelectorAll("#matrix .matrix")];
const side = document.getElementById("side");
const size = document.getElementById("size");

function choose() {
  const ofSide = matrices.filter((table) => table.dataset.side === side.value);
  const has = (wanted) => ofSide.some((table) => table.dataset.size === wanted);
  if (size) {
    for (const option of size.options) option.disabled = !has(option.value);
    size.disabled = has("");
    if (!size.disabled && !has(size.value)) size.value = ofSide[0].dataset.size;
  }
  const wanted = !size || size.disabled ? "" : size.value;
  for (const table of matrices) {
    table.hidden = !(ofSide.includes(table) && table.dataset.size === wanted);
  }
}

if (side) {
  side.addEventListener("change", choose);
  size?.addEventListener("change", choose);
  choose();
}
document.documentElement.classList.add("with-script");

// On paper everything is open.

addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});
