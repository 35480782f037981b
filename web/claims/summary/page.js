// The summary as a page of its own, in one file, to be kept, sent and printed. It has no script and asks for nothing.

import { writeAddress } from '../address.js';
import { allowance, bounds, span } from '../numbers.js';
import { MARKS, verdictText } from '../verdict.js';
import { agreementOf, headline, verdictsText } from './summary.js';
import { partsOf } from '../words.js';

const STYLE = `
:root { color-scheme: light dark; }
body { max-width: 60rem; margin: 0 auto; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif; }
h1, h2, h3 { line-height: 1.25; }
article { break-inside: avoid; margin-block: 1.5rem; padding-top: .5rem; border-top: 1px solid #999; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; }
dt { opacity: .75; }
dd { margin: 0; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .2rem .6rem .2rem 0; border-bottom: 1px solid #bbb; text-align: start; font-weight: 400; }
th, td { vertical-align: top; }
thead th { font-weight: 600; }
@media print { body { padding: 0; font-size: 10pt; } }
`;

/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** @param {string | number} text */
export const escape = (text) => String(text).replace(/[&<>"']/g, (one) => ENTITIES[one]);

/** With indices below and above their letters. @param {string} text */
const typed = (text) =>
  partsOf(text)
    .map(({ mark, text: part }) => {
      const tag = mark === '_' ? 'sub' : 'sup';
      return mark ? `<${tag}>${escape(part)}</${tag}>` : escape(part);
    })
    .join('');

/**
 * @param {import('./summary.js').Summary} summary
 * @param {string} page its address, without what stands behind #
 */
export function pageOf(summary, page) {
  const title = escape(`Claims: ${headline(summary)}`);
  const { groups, tested, count, untested, own } = summary;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${STYLE}</style>
<h1>${title}</h1>
<p>${tested} of ${count} sentences about the Transformer were tested with
<a href="${escape(page)}">Glassformer</a>. ${escape(verdictsText(summary))}.</p>
${groups.map((group) => part(group, page)).join('')}
${own.length ? `<h2>Claims of your own</h2>\n${own.map((each) => ownClaim(each, page)).join('')}` : ''}
${untested.length ? `<h2>Not tested</h2>\n<ul>\n${untested.map(name).join('')}</ul>\n` : ''}</html>
`;
}

/** @param {import('../worker.js').ClaimData} claim */
const name = ({ place, sentence }) => `<li>${place}. ${typed(sentence)}</li>\n`;

/** @param {import('./summary.js').Summary['groups'][number]} group @param {string} page */
const part = ({ title, rows }, page) => `<h2>${escape(title)}</h2>\n${rows.map((row) => entry(row, page)).join('')}`;

/** @param {import('./summary.js').Row} row @param {string} page */
function entry(row, page) {
  const { claim, params, expected, guess, verdict, switches, seeds, comparisons } = row;
  const link = page + writeAddress({ number: claim.number, params }, claim);
  return `<article>
<h3>${claim.place}. ${typed(claim.sentence)}</h3>
<dl>
<dt>Said by</dt><dd>${typed(claim.saidBy)}</dd>
<dt>Expected</dt><dd>${typed(expected?.label ?? '–')} (${agreementOf(row)}) ${escape(guess)}</dd>
<dt>Found</dt><dd><strong>${MARKS[verdict.verdict]}${verdictText(verdict)}</strong>. ${typed(verdict.found)}</dd>
<dt>Why</dt><dd>${typed(claim.why)}</dd>
<dt>What this does not show</dt><dd>${typed(claim.limits)}</dd>
<dt>Run</dt><dd>${typed(switches)}; ${seeds}; <a href="${escape(link)}">open it</a></dd>
</dl>
${comparisons.length ? numbers(comparisons) : ''}</article>
`;
}

/** @param {import('./summary.js').OwnResult} result @param {string} page */
const ownClaim = ({ link, sentence, plan, bet, verdict }, page) => `<article>
<h3>${escape(sentence)}</h3>
<dl>
<dt>Expected</dt><dd>${escape(bet || '–')}</dd>
<dt>Found</dt>
<dd><strong>${MARKS[verdict.verdict]}${escape(verdictText(verdict))}</strong>. ${escape(verdict.found)}</dd>
<dt>Run</dt><dd>${escape(plan)} <a href="${escape(page + link)}">open it</a></dd>
</dl>
</article>
`;

/** @param {import('./summary.js').Row['comparisons']} comparisons */
const numbers = (comparisons) => `<table>
<thead><tr><th scope="col">Number</th><th scope="col">Measured</th><th scope="col">Reference, 5 seeds</th>
<th scope="col">Allowed</th></tr></thead>
<tbody>
${comparisons
  .map(
    ({ label, values, range, allowed, within, share }) => `<tr><th scope="row">${typed(label)}</th>
<td>${span(values, share)}${within ? '' : ' (outside)'}</td>
<td>${bounds(range, share)}</td><td>${allowance(range, allowed, share) || 'exact'}</td></tr>
`,
  )
  .join('')}</tbody>
</table>
`;
