"use strict";

// What all pages share: data that come as scripts, and elements made of texts.

/** Takes data, which files under `data/` hand over by a call of `ciphermark.receive`. */
const ciphermark = {
  /** @type {Map<string, Promise<any>>} */
  asked: new Map(),
  /** @type {Map<string, (document: any) => void>} */
  waiting: new Map(),

  /**
   * @param {string} name
   * @param {any} document
   */
  receive(name, document) {
    this.waiting.get(name)?.(document);
    this.waiting.delete(name);
  },

  /**
   * The data of this name; rejected where there is none.
   * @param {string} name
   * @returns {Promise<any>}
   */
  load(name) {
    let promise = this.asked.get(name);
    if (!promise) {
      promise = new Promise((resolve, reject) => {
        this.waiting.set(name, resolve);
        const script = document.createElement("script");
        script.src = `data/${name}.js`;
        script.async = true;
        script.addEventListener("load", () => {
          script.remove();
          if (this.waiting.delete(name)) reject(new Error(`data/${name}.js is not whole`));
        });
        script.addEventListener("error", () => {
          this.waiting.delete(name);
          reject(new Error(`this site has no data/${name}.js`));
        });
        document.head.append(script);
      });
      this.asked.set(name, promise);
    }
    return promise;
  },
};

/**
 * An element; whatever is put into it is text, or another element.
 * @param {string} name
 * @param {Record<string, string | boolean | undefined>} attributes
 * @param {...(string | Node)} content
 * @returns {any}
 */
function element(name, attributes = {}, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, "");
    else if (value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...content);
  return made;
}

/**
 * A value of a column, which has a value once where it is the same everywhere.
 * @param {any[]} column
 * @param {number} place
 */
function valueAt(column, place) {
  return column.length === 1 ? column[0] : column[place];
}

/** What names runs and other things in addresses: nothing else is loaded. */
const IN_ADDRESS = /^[0-9a-z-]{1,40}$/;

/**
 * The value of a part of the address, if it can be the name of some data.
 * @param {string} name
 * @returns {string}
 */
function ofAddress(name) {
  const value = new URLSearchParams(location.search).get(name) ?? "";
  return IN_ADDRESS.test(value) ? value : "";
}

/**
 * Keeps in the address what was chosen, without the empty, so that a link leads to the same.
 * @param {[string, string][]} chosen names and values
 */
function keepInAddress(chosen) {
  const kept = chosen.filter(([, value]) => value !== "");
  const query = new URLSearchParams(kept).toString();
  history.replaceState(null, "", query ? `?${query}` : location.pathname);
}
