// The curves of a run: loss, held-out accuracy, learning rate, over the same steps.

import { formatValue } from '../../draw/canvas.js';
import { hueOf } from '../../draw/color.js';
import { createCurves } from '../../draw/curves.js';
import { announceFigure, tableOf } from '../../draw/figure.js';
import { nameOf } from './comparison-view.js';
import { lengthOf } from '../state.js';
import { lastCheck } from '../tasks.js';

/** @typedef {import('../state.js').TrainState} TrainState */

const [HEIGHT, LOW] = [76, 54]; // px; in a low window

/**
 * @param {HTMLElement} root
 * @param {HTMLElement} beside the settings: for the learning rate, and to save them all
 * @param {(step: number) => void} onGo
 */
export function createCharts(root, beside, onGo) {
  const charts = document.createElement('div');
  root.append(charts);
  const [accuracy, loss, rate] = [charts, charts, beside].map((box) => createChart(box, onGo));
  loss.caption.replaceChildren('Loss (nats a token): ', ...key('solid', 'each batch'), ...key('dashed', 'held-out'));
  accuracy.caption.replaceChildren(
    'Held-out share that is right: ',
    ...key('solid', 'rows'),
    ...key('dashed', 'tokens'),
  );
  rate.caption.textContent = 'Learning rate';

  return {
    /** @param {TrainState} state */
    update(state) {
      const { report, before, scheme } = state;
      if (!report) return;
      const { step, checks } = report;
      const to = lengthOf(state);
      const recipe = state.tasks.get(state.task)?.recipe ?? {};
      const kept = before ? [{ ...before, name: nameOf(before, recipe), color: hueOf(scheme, 0).color }] : [];
      const steps = state.loss.map((_, i) => i + 1);
      const common = { xTitle: 'step', to, at: step };
      const now = step ? state.loss[step - 1] : NaN;
      const last = lastCheck({ checks, step });
      loss.update({
        ...common,
        title: 'loss',
        lines: [
          ...kept.map((run) => ({ name: run.name, xs: run.loss.map((_, i) => i + 1), ys: run.loss, color: run.color })),
          { name: 'loss', xs: steps, ys: state.loss },
          {
            name: 'held-out loss',
            xs: checks.map((each) => each.step),
            ys: checks.map((each) => each.loss),
            style: 'dashed',
          },
        ],
        high: limitOf([...state.loss, ...kept.flatMap((run) => run.loss)]),
        summary: `Loss over ${to} steps; at step ${step} ${step ? formatValue(now) : 'not yet measured'}`,
      });
      const xs = checks.map((each) => each.step);
      accuracy.update({
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
          { name: 'tokens', xs, ys: checks.map((each) => each.accuracy), style: 'dashed' },
        ],
        high: 1,
        format: (value) => `${Math.round(100 * value)} %`,
        summary: last
          ? `Held-out rows right over ${to} steps; at step ${last.step} ${(100 * last.sequences).toFixed(1)} %, ` +
            `of tokens ${(100 * last.accuracy).toFixed(1)} %`
          : 'Held-out share that is right',
      });
      rate.update({
        ...common,
        title: 'learning rate',
        lines: [{ name: 'learning rate', xs: steps, ys: state.rate }],
        high: limitOf([...state.rate, Number(state.settings.learningRate)]),
        summary: `Learning rate over ${to} steps; highest ${state.settings.learningRate}`,
      });
      announceFigure(beside, {
        name: `Curves of ${state.task}`,
        element: charts,
        tables: () => tablesOf(state, checks),
      });
    },
  };
}

/** @param {HTMLElement} charts @param {(step: number) => void} onPick */
function createChart(charts, onPick) {
  const figure = document.createElement('figure');
  const caption = document.createElement('figcaption');
  const box = document.createElement('div');
  figure.className = 'train-chart';
  caption.className = 'hint';
  figure.append(caption, box);
  charts.append(figure);
  return { caption, ...createCurves(box, { height: innerHeight < 800 ? LOW : HEIGHT, onPick }) };
}

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

/** The sample of a line and what it stands for. @param {string} style @param {string} text */
function key(style, text) {
  const line = document.createElement('span');
  line.className = `train-key ${style}`;
  line.ariaHidden = 'true';
  const kind = document.createElement('span');
  kind.className = 'visually-hidden';
  kind.textContent = `${style} line: `;
  return [line, kind, `${text} `];
}

/** A round number that no value is above. @param {number[]} values */
function limitOf(values) {
  const highest = values.reduce((most, value) => (value > most && value < Infinity ? value : most), 0) || 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  return ([1, 1.5, 2, 3, 4, 5, 7.5, 10].find((factor) => highest <= factor * power * (1 + 1e-9)) ?? 10) * power;
}
