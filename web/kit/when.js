// What the code of a late feature may wait for: load: async () => (await opened('box'), (await import('./x.js')).x).

/** The reader opens a fold for the first time, or it is open. @param {string} id @returns {Promise<void>} */
export const opened = (id) =>
  new Promise((resolve) => {
    const box = /** @type {HTMLDetailsElement} */ (document.getElementById(id));
    const look = () => box.open && resolve();
    box.addEventListener('toggle', look);
    look();
  });

/**
 * The reader points at something in an element, or moves the focus there.
 * @param {string} id
 * @returns {Promise<Event>}
 */
export const pointed = (id) =>
  new Promise((resolve) => {
    for (const type of ['pointerover', 'focusin', 'pointerdown'])
      document.getElementById(id)?.addEventListener(type, resolve, { once: true, passive: true });
  });
