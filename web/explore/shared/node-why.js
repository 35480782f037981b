// The panel Why of a node other than attention.

import { html } from 'lit-html';
import { tableOf } from '../../draw/figure.js';
import { whySteps } from '../../draw/why.js';
import { placeIn, stepsOf } from '../../draw/why-rows.js';
import { addStyle } from '../../kit/feature.js';
import { figure } from '../../kit/figure.js';
import rowStyle from '../../draw/why-rows.css';
import style from './node-why.css';
import { createWhy } from './why.js';

/**
 * @typedef {import('../../draw/why-rows.js').Row} Row
 *
 * `of`, `at`: what is shown, and which number of it; `numbers`: that the rows follow from.
 * @typedef {{
 *   of: string, at: string, numbers: unknown[], title: string, formula: unknown, line: unknown, rows: Row[],
 * }} Question
 */

addStyle(rowStyle);
addStyle(style);

/**
 * @param {string} name also the id
 * @param {import('../index.js').Feature['needs']} needs
 * @param {(...given: [import('../index.js').Context, import('../index.js').Tools]) => Question | null | undefined} ask
 *   undefined: not all of it is here
 * @returns {import('../index.js').Feature}
 */
export function nodeWhy(name, needs, ask) {
  const why = createWhy();
  return {
    name,
    needs,
    local: {},
    begin: why.begin,
    render(context, tools) {
      const { layout } = context.state;
      const asked = layout === 'page' ? null : ask(context, tools); // there the views say it
      if (!asked) return asked;
      const { of, at, numbers, title, formula, line, rows } = asked;
      const cell = [of, at, ...numbers].join('/');
      const frame = why.frame(
        cell,
        rows.map(({ parts = 1 }) => parts),
      );
      const text = placeIn(rows, frame);
      const steps = stepsOf(rows, frame);
      const saved = { name: `${title} ${at}`, select: '.why-steps', tables: () => tablesOf(title, rows) };
      return html`<section class="panel why" aria-labelledby="${name}-title">
        <div id=${name} class="why-body" ${figure(saved)} ${why.playing({ cell, of, at })}>
          ${why.head({ id: `${name}-title`, title, formula, line, text }, frame)}${whySteps(steps, frame.row)}
        </div></section>`;
    },
  };
}

/** The vectors of the rows, a table for each length. @param {string} title @param {Row[]} rows */
function tablesOf(title, rows) {
  const all = rows.flatMap(({ values }) => Object.entries(values ?? {}));
  return [...new Set(all.map(([, { length }]) => length))].map((size) => {
    const own = all.filter(([, { length }]) => length === size);
    const lines = Array.from({ length: size }, (_, i) => [String(i), ...own.map(([, each]) => each[i])]);
    return tableOf(
      title,
      own.map(([name]) => name),
      /** @type {[string, ...(string | number)[]][]} */ (lines),
    );
  });
}
