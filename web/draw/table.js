// Parts of the tables that views draw.

import { html } from 'lit-html';

/** @typedef {import('lit-html').TemplateResult | string | number} Content */

/** The first row: the titles of the columns; '' for a column without one. @param {Content[]} titles */
export const headRow = (...titles) =>
  html`<thead><tr>${titles.map((title) =>
    title ? html`<th scope="col">${title}</th>` : html`<td></td>`,
  )}</tr></thead>`;

/** @param {Content[]} contents */
export const cells = (...contents) => contents.map((content) => html`<td>${content}</td>`);

/** A table in its own box that scrolls, by mouse and keys. @param {string} label @param {Content} table */
export const scrolled = (label, table) => html`<div class="table-scroll" tabindex="0" role="region"
  aria-label=${label}>${table}</div>`;

/** Rows that a long table has at once. */
export const MOST_ROWS = 64;

/** The first of the rows around one. @param {number} row @param {number} of how many there are */
export const firstOf = (row, of) => Math.max(0, Math.min(row - MOST_ROWS / 2, of - MOST_ROWS));
