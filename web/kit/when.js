// What the code of a late feature may wait for: load: async () => (await opened('box'), (await import('./x.js')).x).

/** The reader opens a fold for the first time, or it is open. @param {string} id @returns {Promise<void>} */
export const opened = (id) =>
  new Promise((resolve) => {
    const box = /** @type {HTMLDetailsElement} */ (document.getElementById(id));
    const look = () => box.open && resolve();
    box.addEventListener('toggle', look);
    look();
  });
