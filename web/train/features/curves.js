// The curves of a run over the same steps: loss, held-out accuracy; and, beside the settings, the learning rate.

import { formatValue } from '../../draw/numbers.js';
import { html } from 'lit-html';
import { hueOf } from '../../draw/color.js';
import { tableOf } from '../../draw/figure.js';
import { chart } from '../../kit/chart.js';
import { figure } from '../../kit/figure.js';
import { nameOf } from '../settings/settings.js';
import { lengthOf } from '../state.js';
import { lastCheck } from '../tasks.js';
import lines from '../../draw/curves.css';
import own from './curves.css';

/** @typedef {import('../state.js').TrainState} TrainState */

const [HEIGHT, LOW] = [76, 54]; // px; in a low window

/**
 * @param {unknown} caption @param {import('../../draw/curves.js').CurvesData} data
 * @param {(step: number) => void} onPick
 */
const captioned = (caption, data, onPick) => html`<figure class="train-chart">
  <figcaption class="hint">${caption}</figcaption>${chart(data, { height: innerHeight < 800 ? LOW : HEIGHT, onPick })}
</figure>`;

/** The sample of a line and what it stands for. @param {string} style @param {string} text */
const key = (style, text) => html`<span class="train-key ${style}" aria-hidden="true"></span
  ><span class="visually-hidden">${style} line: </span>${text} `;

/** @type {import('../index.js').Feature} */
export const curves = {
  name: 'curves',
  slot: 'charts',
  aside: true,
  style: lines + own,
  render({ state, report: { step, checks, inspection }, scheme }, { onGo }) {
    if (inspection.ffn) return null;
    const { before, loss } = state;
    const to = lengthOf(state);
    const recipe = state.tasks.get(state.task)?.recipe ?? {};
    const kept = before ? [{ ...before, name: nameOf(before, recipe), color: hueOf(scheme, 0).color }] : [];
    const common = { xTitle: 'step', to, at: step };
    const now = step ? loss[step - 1] : NaN;
    const last = lastCheck({ checks, step });
    const xs = checks.map((each) => each.step);
    const accuracy = {
      ...common,
      title: 'accuracy',
      lines: [
        ...kept.map((run) => ({
          name: run.name,
          xs: run.checks.map((each) => each.step),
          ys: run.checks.map((each) => each.sequences),
          color: run.color,
        })),
        { name: 'rows', xs, ys: checks.map(({ sequences }) => sequences) },
        { name: 'tokens', xs, ys: checks.map((each) => each.accuracy), style: /** @type {const} */ ('dashed') },
      ],
      high: 1,
      format: (/** @type {number} */ value) => `${Math.round(100 * value)} %`,
      summary: last
        ? `Held-out rows right over ${to} steps; at step ${last.step} ${(100 * last.sequences).toFixed(1)} %, ` +
          `of tokens ${(100 * last.accuracy).toFixed(1)} %`
        : 'Held-out share that is right',
    };
    const losses = {
      ...common,
      title: 'loss',
      lines: [
        ...kept.map((run) => ({ name: run.name, xs: stepsOf(run.loss), ys: run.loss, color: run.color })),
        { name: 'loss', xs: stepsOf(loss), ys: loss },
        { name: 'held-out loss', xs, ys: checks.map((each) => each.loss), style: /** @type {const} */ ('dashed') },
      ],
      high: limitOf([...loss, ...kept.flatMap((run) => run.loss)]),
      summary: `Loss over ${to} steps; at step ${step} ${step ? formatValue(now) : 'not yet measured'}`,
    };
    return html`<div id="train-curves">${captioned(
      html`Held-out share that is right: ${key('solid', 'rows')}${key('dashed', 'tokens')}`,
      accuracy,
      onGo,
    )}${captioned(
      html`Loss (nats a token): ${key('solid', 'each batch')}${key('dashed', 'held-out')}`,
      losses,
      onGo,
    )}</div>`;
  },
};

/** The learning rate, from where all curves can be saved. @type {import('../index.js').Feature} */
export const rate = {
  name: 'rate',
  slot: 'settings',
  aside: true,
  render({ state, report: { step, checks, inspection } }, { onGo }) {
    if (inspection.ffn) return null;
    const to = lengthOf(state);
    const data = {
      xTitle: 'step',
      to,
      at: step,
      title: 'learning rate',
      lines: [{ name: 'learning rate', xs: stepsOf(state.rate), ys: state.rate }],
      high: limitOf([...state.rate, Number(state.settings.learningRate)]),
      summary: `Learning rate over ${to} steps; highest ${state.settings.learningRate}`,
    };
    const saved = { name: `Curves of ${state.task}`, of: 'train-curves', tables: () => tablesOf(state, checks) };
    return html`<div class="train-rate" ${figure(saved)}>${captioned('Learning rate', data, onGo)}</div>`;
  },
};

/** @param {ArrayLike<unknown>} values of each step */
const stepsOf = ({ length }) => Array.from({ length }, (_, i) => i + 1);

/** @param {TrainState} state @param {NonNullable<TrainState['report']>['checks']} checks */
const tablesOf = (state, checks) => [
  tableOf(
    'Each step',
    ['loss', 'learning rate', 'gradient norm'],
    state.loss.map((value, i) => [`step ${i + 1}`, value, state.rate[i], state.norm[i]]),
  ),
  tableOf(
    'Held-out data',
    ['loss', 'rows right', 'tokens right', 'best head on the solution'],
    checks.map((each) => [`step ${each.step}`, each.loss, each.sequences, each.accuracy, each.mass]),
  ),
];

/** A round number that no value is above. @param {number[]} values */
function limitOf(values) {
  const highest = values.reduce((most, value) => (value > most && value < Infinity ? value : most), 0) || 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  return ([1, 1.5, 2, 3, 4, 5, 7.5, 10].find((factor) => highest <= factor * power * (1 + 1e-9)) ?? 10) * power;
}
