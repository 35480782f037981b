// Gradient norm and update-to-weight ratio of each layer over the steps, on logarithmic axes.

import { html } from 'lit-html';
import { hueOf } from '../../draw/color.js';
import { tableOf } from '../../draw/figure.js';
import { chart } from '../../kit/chart.js';
import { figure } from '../../kit/figure.js';

const HEIGHT = 170; // px
const DASHES = ['none', '7 3', '2 3', '9 3 2 3', '4 2', '12 4', '1 4', '6 2 1 2 1 2'];
const CAPTIONS = [
  'Norm of the gradient, before clipping (logarithmic)',
  'Update-to-weight ratio ‖Δw‖ / ‖w‖ of each step (logarithmic)',
];

/** @type {import('../index.js').Feature} */
export const layers = {
  name: 'layers',
  render({ state, report: { parts, step }, scheme }, { onGo }) {
    const to = Math.max(1, state.until, state.layers.length);
    const measured = state.layers.flatMap((values, i) => (values ? [{ at: i + 1, values }] : []));
    const xs = measured.map(({ at }) => at);
    const lines = parts.map((name, i) => ({ name, color: hueOf(scheme, i).color, dash: DASHES[i % DASHES.length] }));
    const now = measured.findLast(({ at }) => at <= step);
    const charts = CAPTIONS.map((title, which) => {
      const all = lines.map((line, part) => ({
        ...line,
        xs,
        ys: measured.map(({ values }) => values[which * parts.length + part]),
      }));
      const values = all.flatMap(({ ys }) => ys).filter((value) => value > 0 && value < Infinity);
      const [low, high] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [1, 0]);
      const data = {
        title,
        xTitle: 'step',
        lines: all,
        to,
        low: high ? 10 ** Math.floor(Math.log10(low)) : 1e-4,
        high: high ? 10 ** Math.ceil(Math.log10(high)) : 1,
        at: step,
        summary: `${title} over ${to} steps: a line for each of ${parts.join(', ')}`,
      };
      return html`<figure class="train-chart">
        <figcaption class="hint">${title}</figcaption>${chart(data, { height: HEIGHT, onPick: onGo })}
      </figure>`;
    });
    /** @param {number} index */
    const value = (index) => (now && !Number.isNaN(now.values[index]) ? now.values[index].toPrecision(3) : '–');
    const tables = () =>
      ['Gradient norm', 'Update-to-weight ratio'].map((name, which) =>
        tableOf(
          name,
          parts,
          measured.map(({ at, values }) => [
            `step ${at}`,
            ...values.slice(which * parts.length, (which + 1) * parts.length),
          ]),
        ),
      );
    return html`<div ${figure({ name: `Gradients and updates of ${state.task}`, select: 'div', tables })}><div>
      ${charts}
      <table class="train-parts">
        <thead>
          <tr>
            <th scope="col">${now ? `Step ${now.at}` : 'No step yet'}</th>
            <th scope="col">gradient norm</th>
            <th scope="col">‖Δw‖ / ‖w‖</th>
          </tr>
        </thead>
        <tbody>
          ${lines.map(
            ({ name, color, dash }, i) => html`<tr>
              <th scope="row">
                <svg class="train-sample" width="40" height="10" aria-hidden="true">
                  <path d="M0 5H40" stroke=${color} stroke-dasharray=${dash} stroke-width="2"></path>
                </svg>
                ${name}
              </th>
              <td>${value(i)}</td>
              <td>${value(parts.length + i)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
      <p class="hint">
        Of all weights w of a part together, at each of the first 25 steps and then at every fifth: the norm √Σg²
        of their gradients g; and ‖w after − w before‖ / ‖w before‖, where Δw is what the step changed. A ratio near
        0.001 is a common rule of thumb: far above it steps overshoot, far below it a layer hardly learns. Output:
        what stands behind the last layer.
      </p>
    </div></div>`;
  },
};
