// The steps of what was chosen last: a weight, from query · key to what the head adds, or a neuron.

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
  /** @type {Shown | undefined} */
  let last;
  const player = createPlayer(draw);
  let isNeuron = false;
  /** @type {typeof import('./why-neuron.js') | undefined} */
  let neurons;
  body.className = 'why-body';
  body.setAttribute('part', 'why');

  function draw() {
    if (last && isNeuron && neurons) return void render(neurons.neuronSteps(last, player), body);
    if (!last) return;
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
    /** @param {Shown} shown @param {import('../part.js').PartTools} tools */
    update(shown, { report, style: add }) {
      const { choice } = shown;
      const before = last?.choice;
      const { layer, index } = choice.neuron ?? {};
      const isNew = layer !== before?.neuron?.layer || index !== before?.neuron?.index;
      const isHead = choice.layer !== before?.layer || choice.head !== before.head;
      const isCell = choice.isKeyGiven && (choice.row !== before?.row || choice.key !== before.key);
      if (isNew) isNeuron = layer !== undefined;
      else if (isHead || isCell) isNeuron = false;
      last = shown;
      if (!isNeuron || neurons) return draw();
      import('./why-neuron.js').then((fetched) => {
        neurons = fetched;
        add(fetched.style);
        draw();
      }, report);
    },
    destroy: player.pause,
  };
}

/**
 * The numbers of the chosen weight.
 * @param {Shown} shown @returns {import('../../draw/weight-why.js').ComputationData}
 */
function weightOf({ pass, choice: { layer, head, row, key } }) {
  const { live, words, columnWords, stack, heads, part } = pass;
  const { positions, qkNorm, scoreScale } = /** @type {any} */ (live.model.config);
  const share = pass.once(`share ${layer}.${head} ${row}`, () => {
    pass.hold();
    return headShare(live, `${stack}.layers.${layer}.${part}`, String(head), String(row));
  });
  const name = positions === 'rotary' ? '_rotated' : qkNorm ? '_normed' : '';
  const [queries, keys, values] = [`query${name}`, `key${name}`, 'value'].map((each) =>
    pass.tensor(`${layer}.${part}.${each}`),
  );
  const size = queries.length / heads / words.length;
  const shared = heads / (keys.length / size / columnWords.length);
  /** @param {Float32Array} data @param {number} at of all heads’ rows, one head after the other */
  const vector = (data, at) => data.slice(at * size, (at + 1) * size);
  const ofKeys = Math.floor(head / shared);
  const [query, keyVector] = [queries, keys].map((data, i) =>
    vector(data, i ? ofKeys * columnWords.length + key : head * words.length + row),
  );
  return {
    ...share,
    title: `${pass.title}, layer ${layer + 1}, head ${head + 1}`,
    where: `${pass.isPair ? `${pass.title.toLowerCase()} of ` : ''}layer ${layer + 1}, head ${head + 1}`,
    ...{ row, column: key, rowWord: words[row], columnWords, query, key: keyVector },
    value: vector(values, ofKeys * columnWords.length + key),
    ...{ stages: [{ name, query, key: keyVector }], earlier: null },
    ...{ shared, head, place: `${pass.attention} ${layer}`, temperature: 1 },
    scale: scoreScale === false ? 1 : Math.sqrt(size),
  };
}
