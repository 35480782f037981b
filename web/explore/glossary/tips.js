// One tooltip for the whole page: by pointer, focus and touch; Escape takes it away, and it stays while the pointer is
// on it (WCAG 1.4.13).

import css from './tips.css';
import { addStyle } from '../../draw/style.js';
import { LEGENDS, NODES, SCALE, SYMBOLS } from './words.js';

/** @typedef {{anchor: Element, lines: {term: string, text: string}[]}} Tip */

const REST = 300; // ms of the pointer until it shows
const GRACE = 200; // ms on the way from the part to its tooltip
const PRESS = 500; // ms of a finger

const trimmed = (/** @type {Element | null | undefined} */ part) => (part?.textContent ?? '').replace(/\s+/g, '');

/** The symbols of an element's section. @param {Element} part */
const symbolsAt = (part) => SYMBOLS[part.closest('[aria-labelledby]')?.getAttribute('aria-labelledby') ?? ''] ?? {};

/** What a letter of a formula means. @param {Element} letter @returns {Tip | null} */
export function symbolTip(letter) {
  const symbols = symbolsAt(letter);
  const indexed = letter.closest('msub, msubsup');
  const [base, index] = indexed?.children ?? [];
  const whole = `${trimmed(base)}_${trimmed(index)}`;
  if (indexed && symbols[whole]) return { anchor: indexed, lines: [{ term: whole, text: symbols[whole] }] };
  const text = symbols[trimmed(letter)];
  return text ? { anchor: letter, lines: [{ term: trimmed(letter), text }] } : null;
}

/** All symbols of a formula. @param {Element} formula @returns {Tip | null} */
function formulaTip(formula) {
  const lines = [...formula.querySelectorAll('mi')].flatMap((letter) => symbolTip(letter)?.lines ?? []);
  const terms = new Map(lines.map((line) => [line.term, line]));
  return terms.size ? { anchor: formula, lines: [...terms.values()] } : null;
}

/** @param {Element} node of the model graph, or a head @returns {Tip} */
function nodeTip(node) {
  const { term = '', measure } = /** @type {HTMLElement} */ (node).dataset;
  const number = node.querySelector('.model-graph-number')?.textContent ?? '';
  return {
    anchor: node,
    lines: [{ term: node.ariaLabel ?? term, text: NODES[term] }, ...(measure ? [{ term: measure, text: number }] : [])],
  };
}

/** What there is to say of what the pointer is on. @param {EventTarget | null} target @returns {Tip | null} */
function tipAt(target) {
  if (!(target instanceof Element)) return null;
  const node = target.closest('[data-term]');
  if (node) return nodeTip(node);
  const letter = target.closest('mi') ?? target.closest('msub')?.querySelector('mi');
  if (letter) return symbolTip(letter);
  const swatch = target.closest('.legend-swatch');
  const term = swatch?.textContent?.trim() ?? '';
  if (swatch && LEGENDS[term]) return { anchor: swatch, lines: [{ term, text: LEGENDS[term] }] };
  const scale = target.closest('.legend-scale');
  return scale && { anchor: scale, lines: [{ term: 'Scale', text: SCALE }] };
}

/** The tooltip itself. */
function createBox() {
  const box = document.createElement('div');
  box.id = 'tip';
  box.className = 'tip';
  box.role = 'tooltip';
  box.hidden = true;
  document.body.append(box);

  return {
    box,
    /** Below its part, or above it where there is no room. @param {Tip} tip */
    place({ anchor }) {
      const { left, top, bottom } = anchor.getBoundingClientRect();
      const { offsetWidth: width, offsetHeight: height } = box;
      const y = bottom + 6 + height < innerHeight ? bottom + 6 : Math.max(0, top - height - 6);
      box.style.left = `${Math.max(4, Math.min(left, document.documentElement.clientWidth - width - 4))}px`;
      box.style.top = `${y}px`;
    },
    /** @param {Tip} tip */
    write({ lines }) {
      box.replaceChildren(
        ...lines.map(({ term, text }) => {
          const line = document.createElement('p');
          const name = document.createElement('strong');
          const [base, index = ''] = term.split('_');
          const sub = document.createElement('sub');
          sub.textContent = index;
          name.append(base, ...(index ? [sub] : []));
          line.append(name, ': ', text);
          return line;
        }),
      );
    },
  };
}

/** @param {HTMLElement} root */
export function createTips(root) {
  addStyle(css);
  const { box, place, write } = createBox();
  let timer = 0;
  /** @type {Tip | null} */
  let shown = null;

  /** @param {Tip} tip */
  function show(tip) {
    hide();
    shown = tip;
    write(tip);
    box.hidden = false;
    place(tip);
    tip.anchor.closest('[tabindex], button')?.setAttribute('aria-describedby', 'tip');
  }

  function hide() {
    clearTimeout(timer);
    box.hidden = true;
    shown?.anchor.closest('[tabindex], button')?.removeAttribute('aria-describedby');
    shown = null;
  }

  /** @param {number} delay @param {() => void} then */
  function later(delay, then) {
    clearTimeout(timer);
    timer = setTimeout(then, delay);
  }

  /** @param {Event} event of the pointer, which comes to lie on something */
  function meet({ target, type }) {
    const tip = tipAt(target);
    if (!tip) return;
    if (tip.anchor === shown?.anchor) clearTimeout(timer);
    else later(type === 'pointerover' ? REST : 0, () => show(tip));
  }

  root.addEventListener('pointerover', (event) => {
    if (event.pointerType !== 'touch') meet(event);
  });
  root.addEventListener('pointerout', ({ pointerType }) => {
    if (pointerType !== 'touch' && (shown || timer)) later(GRACE, hide);
  });
  box.addEventListener('pointerenter', () => clearTimeout(timer));
  box.addEventListener('pointerleave', () => later(GRACE, hide));
  root.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element) || !target.matches(':focus-visible')) return;
    const tip = target.matches('.formula') ? formulaTip(target) : tipAt(target);
    if (tip) show(tip);
  });
  root.addEventListener('focusout', hide);
  root.addEventListener('pointerdown', ({ target, pointerType }) => {
    if (pointerType !== 'touch') return hide();
    const tip = tipAt(target);
    if (!tip) return hide();
    // What is no button does nothing else when it is tapped.
    if (tip.anchor.matches('button')) later(PRESS, () => show(tip));
    else show(tip);
  });
  for (const end of ['pointerup', 'pointercancel'])
    root.addEventListener(end, () => {
      if (!shown) clearTimeout(timer);
    });
  document.addEventListener(
    'keydown',
    (event) => {
      if (event.key !== 'Escape' || !shown) return;
      event.stopPropagation(); // not the book as well
      hide();
    },
    true,
  );
  const follow = () => {
    if (!shown) return;
    const { top, bottom } = shown.anchor.getBoundingClientRect();
    if (bottom < 0 || top > innerHeight) hide();
    else place(shown);
  };
  document.addEventListener('scroll', follow, { capture: true, passive: true });

  return {
    meet,
    /** Formulas that have come since are reached by the tab key. */
    update() {
      for (const formula of root.querySelectorAll('.formula:not([tabindex])')) {
        if (!formulaTip(formula)) continue;
        formula.setAttribute('tabindex', '0');
        formula.setAttribute('role', 'group');
        formula.setAttribute('aria-label', 'Formula');
      }
    },
  };
}
