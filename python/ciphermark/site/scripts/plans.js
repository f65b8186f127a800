"use strict";

// The planner over the newest runs of all machines that measured suites.

ciphermark.load("planner").then((data) => {
  const about = /** @type {HTMLElement} */ (document.getElementById("about"));
  about.hidden = data.runs.length > 0;
  if (data.runs.length) startPlanner(data);
  else about.textContent = "No run of suites is stored: ciphermark esp measures them.";
  document.documentElement.dataset.ready = "";
});
