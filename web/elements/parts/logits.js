// The model's answer at the chosen word, and at every word its answer if it stopped after each layer.

import { html, nothing, render } from 'lit-html';
import { lensGrid, topWords } from '../../draw/predictions.js';
import { answersAt, lensOf } from './numbers.js';
import base from 'elements-parts.css'; // ../parts.css and logits.css, made small by src/tools/build.mjs
import own from 'elements-logits.css';

export const style = base + own;

const TOP = 5;

/** @param {HTMLElement} body */
export function create(body) {
  /** @type {import('./numbers.js').Readout[] | null | undefined} of the pass that is shown */
  let readouts;
  /** @type {import('../pass.js').Pass | undefined} */
  let last;
  return {
    /** @param {import('../part.js').Shown} shown @param {import('../part.js').PartTools} tools */
    update({ pass, choice: { row } }, { scheme, choose, report }) {
      if (pass !== last) {
        readouts = undefined;
        lensOf(pass).then((found) => {
          if (pass !== last) return;
          readouts = found;
          draw();
        }, report);
      }
      last = pass;
      function draw() {
        const grid = readouts && {
          ...{ readouts, top: 1, words: pass.words, row, scheme, isRow: true },
          wordOf: (/** @type {number} */ id) => pass.live.tokenizer.token(id),
        };
        render(template(pass, row, grid ? lensGrid(grid, (word) => choose({ word, key: null })) : nothing), body);
      }
      draw();
    },
    destroy() {},
  };
}

/** @param {import('../pass.js').Pass} pass @param {number} row @param {unknown} lens */
function template(pass, row, lens) {
  const list = answersAt(pass, row, TOP);
  if (!list.length) return html`<p class="hint">This model has no output table, so it predicts no words.</p>`;
  return html`<p>${pass.isCausal ? 'Next word after' : 'At'} <bdi><b>${pass.words[row]}</b></bdi></p>
    <div part="answer">${topWords(list)}</div>
    <div part="lens">${lens}</div>`;
}
