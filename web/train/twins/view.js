// Twins on the page: which, their curves on the same axes, a table of what they reach, their maps side by side.

import { html, nothing, render } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { hueOf, probabilityScale } from '../../draw/color.js';
import { createCurves } from '../../draw/curves.js';
import { announceFigure, tableOf } from '../../draw/figure.js';
import { createMap } from '../../draw/map.js';
import { isRecipe } from '../state.js';
import { TEXTS, percent } from '../tasks.js';
import { ABOUT, MOST_CHOSEN, scaleOf } from './lessons.js';

/**
 * @typedef {import('./panel.js').TwinsState} TwinsState
 * @typedef {import('./panel.js').Trained} Trained
 * @typedef {{
 *   onChoose: (name: string, isChosen: boolean) => void, onSeeds: (seeds: number) => void,
 *   onSteps: (steps: string) => void, onTrain: () => void, onCancel: () => void, onStep: (step: number) => void,
 *   onSeed: (seed: number) => void, onHead: (head: {layer: number, head: number}) => void,
 *   onCell: (cell: {row: number, column: number}) => void,
 * }} TwinsActions
 */

const DASHES = ['none', '6 3', '2 2'];
const HEIGHT = 150; // px
const MAP = 260; // px

/** @param {import('../../draw/color.js').Scheme} scheme @param {number} variant */
const lineOf = (scheme, variant) => ({ color: hueOf(scheme, variant).color, dash: DASHES[variant] });

/** @param {HTMLElement} root @param {TwinsActions} actions */
export function createTwinsView(root, actions) {
  /** @type {ReturnType<typeof createCurves>[]} */
  let charts = [];
  /** @type {ReturnType<typeof createMap>[]} */
  let maps = [];
  /** @type {Trained['names'] | null} whose charts and maps these are */
  let drawn = null;

  return {
    /** @param {TwinsState} state */
    update(state) {
      const { trained } = state;
      render(template(state, actions), root);
      if (!trained?.report) return;
      if (drawn !== trained.names) {
        drawn = trained.names;
        const boxes = (/** @type {string} */ of) => [
          .../** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(of)),
        ];
        for (const box of boxes('.twins-chart, .twins-map')) box.replaceChildren();
        charts = boxes('.twins-chart').map((box) =>
          createCurves(box, { height: HEIGHT, onPick: (step) => actions.onStep(nearest(state, step)) }),
        );
        maps = boxes('.twins-map').map((box) =>
          createMap(box, { min: 5, max: 26, height: MAP, empty: 'No attention heads.', onCursor: actions.onCell }),
        );
      }
      drawCharts(state, trained, charts, root);
      drawMaps(state, trained, maps);
    },
  };
}

/** The check that is next to a step. @param {TwinsState} state @param {number} step */
function nearest({ trained }, step) {
  const steps = (trained?.report?.checks[0][0] ?? []).map((each) => each.step);
  return steps.reduce((best, each) => (Math.abs(each - step) < Math.abs(best - step) ? each : best), 0);
}

/** @param {TwinsState} state @param {TwinsActions} actions */
const template = (state, actions) => html`
  ${form(state, actions)}
  <p class="error" id="twins-problem" role="alert" ?hidden=${!state.problem}>${state.problem}</p>
  ${state.trained ? results(state, state.trained, actions) : nothing}
`;

/** @param {TwinsState} state @param {TwinsActions} actions */
function form(
  { page, pairs, chosen, seeds, steps, step, problem, running, trained: all },
  { onChoose, onSeeds, onSteps, onTrain, onCancel },
) {
  const trained = Boolean(all) && !running; // what to expect is said after the reader has seen it
  /** @param {any} event */
  const submit = (event) => {
    event.preventDefault();
    if (!running) onTrain();
  };
  return html`<form class="twins-form" novalidate @submit=${submit}>
    <p class="hint">
      The same task, data and seeds; one switch differs. Weights of the same name and shape begin with the same bits.
      ${
        trained
          ? html`${ABOUT[page.task] ?? ''} ${all ? scaleOf(page.task, shownOf(page, all, step)) : ''}`
          : 'Which one will learn as well? What was measured before follows their training.'
      }
    </p>
    <fieldset class="twins-switches" ?disabled=${running}>
      <legend>Beside the run as it is set, up to ${MOST_CHOSEN} that differ by</legend>
      ${pairs.map(
        ({ name, lesson, measured }) => html`<label class="train-flag">
          <input
            type="checkbox"
            .checked=${live(chosen.includes(name))}
            @change=${(/** @type {any} */ { target }) => onChoose(name, target.checked)}
          />
          <span>${name}${trained ? html` <span class="hint">${lesson} ${measured}</span>` : nothing}</span>
        </label>`,
      )}
    </fieldset>
    <div class="buttons">
      <label class="train-speed"
        >Seeds
        <select ?disabled=${running} @change=${(/** @type {any} */ { target }) => onSeeds(Number(target.value))}>
          <option value="3" .selected=${live(seeds === 3)}>0, 1 and 2</option>
          <option value="1" .selected=${live(seeds === 1)}>${page.start.seed}, as set</option>
        </select>
      </label>
      <label class="train-speed"
        >Steps
        <input
          class="twins-steps"
          type="number"
          min="1"
          ?disabled=${running}
          .value=${live(steps)}
          aria-invalid=${problem ? 'true' : nothing}
          aria-describedby="twins-problem"
          @input=${(/** @type {any} */ { target }) => onSteps(target.value)}
        />
      </label>
      <button ?disabled=${!chosen.length || running}>Race</button>
      <button type="button" ?disabled=${!running} @click=${onCancel}>Cancel</button>
    </div>
  </form>`;
}

/** Of what the table speaks. @param {TwinsState['page']} page @param {Trained} trained @param {number} step */
const shownOf = ({ task, tasks, start }, { seeds }, step) => ({
  ...{ step, seeds },
  isRecipe: isRecipe({ task, tasks, start }), // the race has no changes on the way
});

/** @param {TwinsState} state @param {Trained} trained @param {TwinsActions} actions */
function results(state, trained, actions) {
  const { running, page, step } = state;
  const { names, seeds, until, report } = trained;
  const done = report?.step ?? 0;
  const { unit } = TEXTS[page.task];
  return html`<div class="twins-results">
    <label class="train-speed twins-progress" ?hidden=${!running}
      >Step ${done} of ${until}, ${names.length * seeds.length} runs in turn
      <progress max=${until} value=${done}></progress>
    </label>
    ${
      report
        ? html`<p role="status">${startsOf(trained, report)}</p>
            <ul class="train-runs" aria-label="Lines of the curves">
              ${names.map((name, i) => {
                const { color, dash } = lineOf(page.scheme, i);
                return html`<li>
                  <svg class="train-sample" width="26" height="10" aria-hidden="true">
                    <path d="M0 5H26" stroke=${color} stroke-dasharray=${dash} stroke-width="2"></path>
                  </svg>
                  ${name}${seeds.length > 1 ? html`: a line for each of seeds ${seeds.join(', ')}` : nothing}
                </li>`;
              })}
            </ul>
            <div class="twins-curves"><div class="twins-charts">
              <figure>
                <figcaption class="hint">Held-out ${unit} right</figcaption>
                <div class="twins-chart"></div>
              </figure>
              <figure>
                <figcaption class="hint">Held-out loss (nats a token)</figcaption>
                <div class="twins-chart"></div>
              </figure>
            </div></div>
            <label class="twins-moment"
              >Step <strong>${step}</strong> of ${done}
              <input
                type="range"
                min="0"
                max=${Math.max(1, report.checks[0][0].length - 1)}
                ?disabled=${running || !done}
                .value=${live(String(report.checks[0][0].findIndex((each) => each.step === step)))}
                aria-valuetext=${`step ${step} of ${done}`}
                @input=${(/** @type {any} */ { target }) =>
                  actions.onStep(report.checks[0][0][Number(target.value)]?.step ?? 0)}
              />
            </label>
            ${table(state, trained, report)} ${headChoice(state, trained, actions)}
            <div class="twins-maps">
              ${names.map(
                (name) => html`<figure>
                  <figcaption>${name}</figcaption>
                  <div class="twins-map"></div>
                </figure>`,
              )}
            </div>`
        : nothing
    }
  </div>`;
}

/** @param {Trained} trained @param {import('./panel.js').TwinsReport} report */
function startsOf({ names, seeds }, { starts }) {
  const words = names.slice(1).map((name, i) => {
    const of = starts.map((group) => group[i + 1]);
    const equal = of.reduce((sum, each) => sum + each.equal, 0) / of.length;
    return `${name}: ${equal} of ${of[0].shared}`;
  });
  const each = seeds.length > 1 ? ', with each seed' : '';
  return `Shared weight tensors that begin with the same bits${each}: ${words.join('; ')}.`;
}

/** @param {TwinsState} state @param {Trained} trained @param {import('./panel.js').TwinsReport} report */
function table({ page, step }, { names, seeds }, { checks, failures }) {
  const { unit, measure } = TEXTS[page.task];
  return html`<table class="twins-table">
    <caption>Share of held-out ${unit} right at step ${step}</caption>
    <thead>
      <tr><td></td>${seeds.map((seed) => html`<th scope="col">seed ${seed}</th>`)}</tr>
    </thead>
    <tbody>
      ${names.map(
        (name, variant) => html`<tr>
          <th scope="row">${name}</th>
          ${seeds.map((_, seed) => {
            const check = checks[seed][variant].find((each) => each.step === step);
            const failed = failures[seed][variant];
            return html`<td>${check ? percent(check[measure]) : failed ? `not finite at ${failed}` : '–'}</td>`;
          })}
        </tr>`,
      )}
    </tbody>
  </table>`;
}

/** @param {TwinsState} state @param {Trained} trained @param {TwinsActions} actions */
function headChoice({ head, seed, running, page }, { seeds, looks }, { onHead, onSeed }) {
  const heads = looks[0]?.maps.flatMap(({ layer, heads: count }) =>
    Array.from({ length: count }, (_, i) => [layer, i]),
  );
  if (!heads?.length) return nothing;
  return html`<div class="buttons twins-choice">
    <label class="train-speed"
      >Head
      <select
        @change=${(/** @type {any} */ { target }) => {
          const [layer, index] = target.value.split(' ').map(Number);
          onHead({ layer, head: index });
        }}
      >
        ${heads.map(
          ([layer, i]) =>
            html`<option value="${layer} ${i}" .selected=${live(layer === head.layer && i === head.head)}>
              layer ${layer + 1}, head ${i + 1}
            </option>`,
        )}
      </select>
    </label>
    <label class="train-speed"
      >Seed
      <select ?disabled=${running} @change=${(/** @type {any} */ { target }) => onSeed(Number(target.value))}>
        ${seeds.map((each, i) => html`<option value=${i} .selected=${live(i === seed)}>${each}</option>`)}
      </select>
    </label>
    <span class="hint">The held-out example ${Number(page.example) + 1 || 'of your own'}, as chosen above.</span>
  </div>`;
}

/**
 * @param {TwinsState} state @param {Trained} trained @param {ReturnType<typeof createCurves>[]} charts
 * @param {HTMLElement} root
 */
function drawCharts({ page, step }, { names, seeds, until, report }, [shares, losses], root) {
  if (!report) return;
  const { measure, unit, title } = TEXTS[page.task];
  const { checks } = report;
  const all = checks.flatMap((group, seed) =>
    group.map((list, variant) => ({ name: `${names[variant]}, seed ${seeds[seed]}`, list, variant })),
  );
  const common = { xTitle: 'step', to: until, at: step };
  /** @param {'loss' | 'sequences' | 'accuracy'} of */
  const lines = (of) =>
    all.map(({ name, list, variant }) => ({
      name,
      xs: list.map((each) => each.step),
      ys: list.map((each) => each[of]),
      ...lineOf(page.scheme, variant),
    }));
  const last = all.map(({ name, list }) => `${name} ${percent(list[list.length - 1][measure])}`).join('; ');
  shares.update({
    ...common,
    title: unit,
    lines: lines(measure),
    high: 1,
    format: (value) => `${Math.round(100 * value)} %`,
    summary: `Held-out ${unit} right after ${report.step} steps: ${last}`,
  });
  const highest = Math.max(...all.flatMap(({ list }) => list.map(({ loss }) => (loss < Infinity ? loss : 0))));
  losses.update({
    ...common,
    title: 'loss',
    lines: lines('loss'),
    high: Math.ceil(2 * highest) / 2 || 1,
    summary: `Held-out loss of the same runs over ${report.step} steps`,
  });
  const columns = all.map(({ name }) => name);
  /** @param {string} name @param {'loss' | 'sequences' | 'accuracy'} of */
  const tableFor = (name, of) =>
    tableOf(
      name,
      columns,
      checks[0][0].map((check, i) => [`step ${check.step}`, ...all.map(({ list }) => list[i]?.[of] ?? NaN)]),
    );
  announceFigure(/** @type {HTMLElement} */ (root.querySelector('.twins-curves')), {
    name: `Twins of ${title}`,
    element: /** @type {HTMLElement} */ (root.querySelector('.twins-charts')),
    tables: () => [tableFor(`Held-out ${unit} right`, measure), tableFor('Held-out loss', 'loss')],
  });
}

/** @param {TwinsState} state @param {Trained} trained @param {ReturnType<typeof createMap>[]} maps */
function drawMaps({ page, head, cell, step, seed }, { names, seeds, looks }, maps) {
  const { scheme, tasks, task } = page;
  const scale = probabilityScale(scheme);
  maps.forEach((map, variant) => {
    const look = looks[variant];
    const layer = look?.maps[Math.min(head.layer, look.maps.length - 1)];
    if (!layer) return;
    const { size, data, heads } = layer;
    const index = Math.min(head.head, heads - 1);
    const axis = { label: (/** @type {number} */ i) => look.words[i] };
    const hidden = tasks.get(task)?.causal
      ? Uint8Array.from({ length: size * size }, (_, i) => Number(i % size > Math.floor(i / size)))
      : null;
    map.update({
      name: `${names[variant]}: layer ${layer.layer + 1}, head ${index + 1}, seed ${seeds[seed]}, step ${step}`,
      matrix: {
        rows: size,
        columns: size,
        data: data.subarray(index * size * size, (index + 1) * size * size),
        scale,
        scheme,
        hidden,
      },
      scaleTitle: 'attention weight',
      rowAxis: { ...axis, title: 'query', noun: 'query' },
      columnAxis: { ...axis, title: 'key', noun: 'key' },
      cursor: { row: Math.min(cell.row, size - 1), column: Math.min(cell.column, size - 1) },
    });
  });
}
