"use strict";

// The figures of a run whose report is not in the site, from what it is compared by.

/**
 * Fills the table of a run.
 * @param {string} run
 */
async function showBare(run) {
  const { texts, columns } = await ciphermark.load(`cases/${run}`);
  const text = (/** @type {string} */ name, /** @type {number} */ row) =>
    columns[name][row] < 0 ? "" : texts[columns[name][row]];
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
  for (let row = 0; row < columns.case.length; row++) {
    const bytes = columns.message_bytes[row];
    const cycles = columns.cycles[row];
    const low = columns.low[row];
    const high = columns.high[row];
    const mark = columns.converged[row] || cycles === null ? "" : "~";
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
      number(columns.mbytes[row]),
      element("td", {}, text("error", row) || text("reason", row))));
  }
  nameCells(table);
  makeSortable(table);
  makeFilter(table);
}
