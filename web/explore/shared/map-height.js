// Sets the height of a head's map so that its last rows fit the window with the text.

/** Space above and below it in the workspace: the bar, the sentence, the answer, the graph; the legend. */
const REMS_BESIDE = 20;
/** For a projector there are only the value and the legend, and the sentence where a lesson names it. */
const REMS_PROJECTED = 3;
const WIDE = 62; // rem, as in book.css

const LOW = 330; // px, the least, and on the whole page
const SHORT = 512; // px of a window, as in layout.css

/** The window that the height was computed for, and the pixels of a rem then. */
let known = { width: 0, isStory: false, rem: 0 };

/** In pixels. */
export function heightOfMap() {
  const page = document.documentElement;
  const width = innerWidth;
  const isStory = page.dataset.book === 'story';
  if (width !== known.width || isStory !== known.isStory)
    known = { width, isStory, rem: parseFloat(getComputedStyle(page).fontSize) };
  const { rem } = known;
  const isProjected = isStory && matchMedia(`(width >= ${WIDE}rem)`).matches;
  const beside = isProjected ? REMS_PROJECTED * rem + heightOf('top') : REMS_BESIDE * rem;
  return Math.max(innerHeight < SHORT ? 280 : LOW, innerHeight - beside);
}

/** @param {string} id of what may be away */
const heightOf = (id) => document.getElementById(id)?.offsetHeight ?? 0;

/**
 * Options of a map that is as high as that of a head, where it is the picture of its node.
 * @param {Omit<import('../../kit/map.js').MapOptions, 'height'>} options
 * @returns {import('../../kit/map.js').MapOptions}
 */
export const tall = (options) => ({
  ...options,
  get height() {
    return document.documentElement.dataset.layout === 'page' ? LOW : heightOfMap();
  },
});
