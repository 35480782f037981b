// Explanations where the parts and symbols stand, fetched when the reader first points or moves the focus.

/** @type {import('../index.js').Panel<{}>} */
export const glossary = {
  name: 'glossary',
  present: () => ({}),
  blank: () => ({}),
  create(root) {
    const place = /** @type {HTMLElement} */ (root.closest('.place'));
    /** @type {ReturnType<typeof import('./tips.js').createTips> | null} */
    let tips = null;
    let isAsked = false;
    /** @param {Event} event */
    async function begin(event) {
      if (isAsked) return;
      isAsked = true;
      const { createTips } = await import('./tips.js');
      tips = createTips(place);
      tips.update();
      tips.meet(event);
    }
    for (const type of ['pointerover', 'focusin', 'pointerdown'])
      place.addEventListener(type, begin, { once: true, passive: true });
    return { update: () => tips?.update(), destroy() {} };
  },
};
