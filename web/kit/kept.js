// Keeps a reader's progress in this browser, where that is allowed.

/** The text under a name; null if there is none, or it cannot be read. @param {string} name */
export function readText(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string | null} text null: nothing more is kept there */
export function writeText(name, text) {
  try {
    if (text === null) localStorage.removeItem(name);
    else localStorage.setItem(name, text);
  } catch {
    // refused or full: it is forgotten with the page
  }
}

/** @param {string} name @returns {any} an object, empty where nothing can be read */
export function readKept(name) {
  try {
    return Object(JSON.parse(readText(name) ?? '{}'));
  } catch {
    return {};
  }
}

/** @param {string} name @param {unknown} value */
export const writeKept = (name, value) => writeText(name, JSON.stringify(value));
