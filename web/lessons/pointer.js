// Points at the part of the page that a lesson speaks of: a ring around it, in sight.

const RING = 'book-target';
const CONTROL = 'book-control';
const AWAY = 'data-book-away';
const AROUND = 'data-book-around';

/** @param {HTMLElement} book the panel, which is never hidden */
export function createPointer(book) {
  /** @param {string} name @param {Element[]} now */
  function mark(name, now) {
    for (const each of document.querySelectorAll(`.${name}`)) if (!now.includes(each)) each.classList.remove(name);
    for (const each of now) each.classList.add(name);
  }

  /** Hides what neither is nor holds one of these. @param {Element[]} kept */
  function hideRest(kept) {
    const all = [...kept, book];
    const stay = new Set(kept.length ? all : []);
    for (const each of stay) if (each.parentElement) stay.add(each.parentElement);
    for (const name of [AWAY, AROUND])
      for (const each of document.querySelectorAll(`[${name}]`))
        if (stay.has(each) === (name === AWAY) || !stay.size) each.removeAttribute(name);
    for (const parent of stay) {
      if (all.includes(parent)) continue;
      if (parent.closest('.page')) parent.setAttribute(AROUND, '');
      for (const child of parent.children)
        if (child !== document.head && !stay.has(child)) child.setAttribute(AWAY, '');
    }
  }

  return {
    /**
     * @param {import('./index.js').Lesson} lesson
     * @param {{story: boolean, isNew: boolean}} how
     * @returns {boolean} whether the part is on the page yet
     */
    point(lesson, { story, isNew }) {
      const { target = '', figure, control = '' } = lesson;
      const part = document.querySelector(target);
      const tool = control ? document.querySelector(control) : null;
      mark(RING, part ? [part] : []);
      mark(CONTROL, tool && tool !== part ? [tool] : []);
      const fold = tool?.closest('fieldset, .panel') ?? tool;
      const shown = figure ? document.querySelector(figure) : null;
      hideRest(story ? [part, shown, fold, ...named(lesson)].flatMap((each) => each ?? []) : []);
      if (isNew && part && !story) bringIntoSight(part);
      if (isNew && story) scrollTo(0, 0);
      return part !== null;
    },
    /** Where the reader does what the page asks for. @param {import('./index.js').Lesson} lesson */
    showControl({ control = '' }) {
      const tool = control ? document.querySelector(control) : null;
      tool?.scrollIntoView({ block: 'center' });
      const field = tool?.matches('input, select, button') ? tool : tool?.querySelector('input, select, button');
      const focusable = tool?.matches('[tabindex="0"]') ? tool : field;
      if (focusable instanceof HTMLElement) focusable.focus({ preventScroll: true });
    },
    clear() {
      mark(RING, []);
      mark(CONTROL, []);
      hideRest([]);
    },
  };
}

/** The map of a head has the sentence along its sides. */
const MAP = '.map-and-lines';
const STRIP = '#tokens-encoder';

/** The parts that a lesson names beside its figure: sentence, answer. @param {import('./index.js').Lesson} lesson */
function named({ target, figure, text = [], seen }) {
  const isInMap = target === MAP || (figure === MAP && target !== STRIP);
  const saysAnswer = /\{(answer|p%)\}/.test(`${text} ${seen?.text}`);
  const parts = [
    ...(isInMap ? [] : ['.tokens-line']),
    ...(target === STRIP ? ['#arcs'] : []),
    ...(saysAnswer ? ['#answers'] : []),
  ];
  return parts.flatMap((each) => [...document.querySelectorAll(each)]);
}

const NARROW = 1200; // px: below, the book lies over the lower part of the window (style.css)
const SCROLLS = [0, 100, 300, 600, 1200, 2500]; // ms; the last ones for a slow machine
const MOVES = ['wheel', 'pointerdown', 'keydown', 'touchstart'];

/** Also while what stands above it still comes, but not against the reader. @param {Element} part */
function bringIntoSight(part) {
  const map = part.querySelector('.map-scroll');
  const scroll = () => {
    // Leaves a part where it is if the reader sees much of it.
    const { top, bottom, height } = part.getBoundingClientRect();
    const visibleHeight = innerWidth < NARROW ? 0.58 * innerHeight : innerHeight;
    if (top >= 0 && Math.min(bottom, visibleHeight) - top >= 0.4 * Math.min(height, visibleHeight)) return;
    // Of a part taller than that, show the map rather than its head.
    const isHigh = part.getBoundingClientRect().height > innerHeight / 2;
    const seen = isHigh && map && innerWidth < NARROW ? map : part;
    seen.scrollIntoView({ block: isHigh ? 'start' : 'nearest' });
  };
  const timers = SCROLLS.map((delay) => setTimeout(scroll, delay));
  const stop = () => timers.forEach(clearTimeout);
  // Not yet: the key that turned the page is still on its way to the window.
  setTimeout(() => {
    for (const move of MOVES) addEventListener(move, stop, { once: true, passive: true });
  });
}
