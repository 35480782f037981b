// The steps of the chosen weight, from query · key to what the head adds.

import { html, render } from 'lit-html';
import { headShare } from '../../draw/head-share.js';
import { createPlayer } from '../../draw/player.js';
import { pointing, weightParts, weightSaid, weightSteps } from '../../draw/weight-why.js';
import { whyHead } from '../../draw/why.js';
import base from 'elements-parts.css'; // ../parts.css and why.css, made small by src/tools/build.mjs
import own from 'elements-why.css';

export const style = base + own;

/** @typedef {import('../part.js').Shown} Shown */

/** @param {HTMLElement} body */
export function create(body) {
  /** @type {number | null} which is pointed at */
  let dimension = null;
  let cell = '';
  /** @type {Shown} */
  let last;
  const player = createPlayer(draw);
  body.className = 'why-body';
  body.setAttribute('part', 'why');

  function draw() {
    const data = weightOf(last);
    const { row, column, columnWords, head, place } = data;
    const next = [place, head, row, column, columnWords.join(' ')].join('/');
    if (next !== cell) dimension = null;
    cell = next;
    const frame = player.frame(cell, weightParts(data));
    const on = pointing(data.query.length, dimension, (at) => {
      dimension = at;
      draw();
    });
    render(
      html`${whyHead(weightSaid(data, [], frame), frame, player)}${weightSteps(data, [], frame, dimension, on)}`,
      body,
    );
  }

  return {
    /** @param {Shown} shown */
    update(shown) {
      last = shown;
      draw();
    },
    destroy: player.pause,
  };
}

/**
 * The numbers of the chosen weight.
 * @param {Shown} shown @returns {import('../../draw/weight-why.js').ComputationData}
 */
function weightOf({ pass, choice: { layer, head, row, key } }) {
  const { live, words, stack, heads } = pass;
  const { positions, qkNorm, scoreScale } = /** @type {any} */ (live.model.config);
  const share = pass.once(`share ${layer}.${head} ${row}`, () => {
    pass.trace(); // the model holds this pass
    return headShare(live, `${stack}.layers.${layer}.self_attn`, String(head), String(row));
  });
  const name = positions === 'rotary' ? '_rotated' : qkNorm ? '_normed' : '';
  const [queries, keys, values] = [`query${name}`, `key${name}`, 'value'].map((each) =>
    pass.tensor(`${layer}.self_attn.${each}`),
  );
  const size = queries.length / heads / words.length;
  const shared = queries.length / keys.length;
  /** @param {Float32Array} data @param {number} of which head @param {number} at */
  const vector = (data, of, at) => data.slice((of * words.length + at) * size, (of * words.length + at + 1) * size);
  const ofKeys = Math.floor(head / shared);
  const [query, keyVector] = [vector(queries, head, row), vector(keys, ofKeys, key)];
  return {
    ...share,
    title: `Attention, layer ${layer + 1}, head ${head + 1}`,
    where: `layer ${layer + 1}, head ${head + 1}`,
    ...{ mean: false, row, column: key, rowWord: words[row], columnWords: words, query, key: keyVector },
    value: vector(values, ofKeys, key),
    ...{ stages: [{ name, query, key: keyVector }], earlier: null },
    ...{ shared, head, set: false, off: [], place: `${stack} ${layer}`, temperature: 1 },
    scale: scoreScale === false ? 1 : Math.sqrt(size),
  };
}
