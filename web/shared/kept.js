// What this browser keeps of a reader's progress, where that is allowed.

/** @param {string} name @returns {any} an object, empty where nothing can be read */
export function readKept(name) {
  try {
    return Object(JSON.parse(localStorage.getItem(name) ?? '{}'));
  } catch {
    return {};
  }
}

/** @param {string} name @param {unknown} value */
export function writeKept(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // refused or full: it is forgotten with the page
  }
}
