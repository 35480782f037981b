// The model's answer at the chosen word, and at every word its answer if it stopped after each layer.

import { html, nothing, render } from 'lit-html';
import { lensGrid, topWords } from '../../draw/predictions.js';
import { createLate } from './late.js';
import { answersAt, lensOf } from './numbers.js';
import base from 'elements-parts.css'; // ../parts.css and logits.css, made small by src/tools/build.mjs
import own from 'elements-logits.css';

export const style = base + own;

const TOP = 5;

/** @param {HTMLElement} body */
export function create(body) {
  /** @type {{shown: import('../part.js').Shown, tools: import('../part.js').PartTools}} */
  let last;
  const lens = createLate(
    (/** @type {import('./numbers.js').Readout[] | null | undefined} */ readouts) => {
      const { pass, choice } = last.shown;
      const { scheme, choose } = last.tools;
      const grid = readouts && {
        ...{ readouts, top: 1, words: pass.words, row: choice.row, scheme, isRow: true, wordOf: pass.wordOf },
      };
      render(template(pass, choice.row, grid ? lensGrid(grid, (word) => choose({ word, key: null })) : nothing), body);
    },
    (error) => last.tools.report(error),
  );
  return {
    /** @param {import('../part.js').Shown} shown */
    ready: ({ pass }) => lensOf(pass),
    /** @param {import('../part.js').Shown} shown @param {import('../part.js').PartTools} tools */
    update(shown, tools) {
      last = { shown, tools };
      lens.update(shown.pass, 0, () => lensOf(shown.pass));
    },
    destroy() {},
  };
}

/** @param {import('../pass.js').Pass} pass @param {number} row @param {unknown} lens */
function template(pass, row, lens) {
  const list = answersAt(pass, row, TOP);
  if (!list.length)
    return html`<p class="hint">${
      pass.isPair ? 'The encoder predicts no words.' : 'This model has no output table, so it predicts no words.'
    }</p>`;
  return html`<p>${pass.isCausal ? 'Next word after' : 'At'} <bdi><b>${pass.words[row]}</b></bdi></p>
    <div part="answer">${topWords(list)}</div>
    <div part="lens">${lens}</div>`;
}
