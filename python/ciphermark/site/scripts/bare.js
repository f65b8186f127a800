"use strict";

// The figures of a run whose report is not in the site.

/**
 * Fills the table of a run.
 * @param {string} run
 */
async function showBare(run) {
  const { columns, rows } = await ciphermark.load(`figures/${run}`);
  const at = (/** @type {string} */ name, /** @type {number} */ row) => valueAt(columns[name], row);
  const text = (/** @type {string} */ name, /** @type {number} */ row) => at(name, row) ?? "";
  const narrow = figuresWith(NARROW_SPACE);
  const table = /** @type {HTMLTableElement} */ (document.getElementById("summary"));
  const heads = ["Algorithm", "Operation", "Library", "Code path", "Way of calling", "Message",
    "Cycles per message", "Cycles per byte", "95 % interval", "MB/s", "Remark"];
  const numbers = new Set([5, 6, 7, 8, 9]);
  table.createTHead().append(element("tr", {}, ...heads.map((head, place) =>
    element("th", { scope: "col", class: numbers.has(place) ? "number" : undefined }, head))));
  const number = (/** @type {number | null} */ value, /** @type {string} */ mark = "") =>
    value === null
      ? element("td", {})
      : element("td", { class: mark ? "number unsettled" : "number", "data-order": String(value) },
        mark + narrow.significant(value));
  const body = table.createTBody();
  for (let row = 0; row < rows; row++) {
    const bytes = at("message_bytes", row);
    const cycles = at("cycles", row);
    const low = at("low", row);
    const high = at("high", row);
    const mark = at("converged", row) || cycles === null ? "" : "~";
    const size = text("profile", row) || (bytes === null ? "" : messageSize(bytes));
    const perByte = cycles === null || !bytes ? null : cycles / bytes;
    const interval = low === null || !bytes ? "" : `${narrow.significant(low / bytes)} to ${narrow.significant(high / bytes)}`;
    body.append(element("tr", {},
      element("td", { "data-order": text("algorithm", row) }, text("algorithm", row)),
      element("td", { "data-order": text("operation", row) }, text("operation", row)),
      element("td", { "data-order": text("provider", row) }, text("provider", row)),
      element("td", { "data-order": text("backend", row) }, text("backend", row)),
      element("td", { "data-order": text("way", row) }, text("way", row)),
      element("td", { class: "number", "data-order": bytes === null ? undefined : String(bytes) }, size),
      number(cycles, mark),
      number(perByte, mark),
      element("td", { class: "interval" }, interval),
      number(at("mbytes", row)),
      element("td", {}, text("remark", row))));
  }
  nameCells(table);
  makeSortable(table);
  makeFilter(table);
  document.documentElement.classList.add("with-script");
}
