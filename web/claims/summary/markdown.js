// The summary as Markdown.

import { writeAddress } from '../address.js';
import { typeset } from '../../draw/typeset.js';
import { allowance, bounds, span } from '../numbers.js';
import { agreementOf, headline, verdictsText } from './summary.js';
import { verdictText } from '../verdict.js';

/** Nothing of a text may be read as a mark. @param {string} text */
export const plain = (text) => text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>|~$#&]/g, '\\$&');

/** A row of a table. @param {readonly string[]} cells */
const row = (cells) => `| ${cells.join(' | ')} |`;

/** @param {string[]} titles */
const head = (...titles) => [row(titles), row(titles.map(() => '---'))];

/**
 * @param {import('./summary.js').Summary} summary
 * @param {string} page its address, without what stands behind #
 */
export function markdownOf(summary, page) {
  const rows = summary.groups.flatMap((group) => group.rows);
  return [
    `# Claims: ${headline(summary)}`,
    '',
    `${summary.tested} of ${summary.count} sentences about the Transformer were tested with [Glassformer](${page}). ` +
      `${verdictsText(summary)}.`,
    '',
    ...(rows.length ? [...head('No.', 'Sentence', 'Expected', 'Found'), ...rows.map(overview), ''] : []),
    ...summary.groups.flatMap(({ title, rows: all }) => [
      `## ${plain(title)}`,
      '',
      ...all.flatMap((one) => details(one, page)),
    ]),
    ...(summary.own.length ? ['## Claims of your own', '', ...summary.own.flatMap((one) => ownClaim(one, page))] : []),
    ...(summary.untested.length
      ? ['## Not tested', '', ...summary.untested.map(({ place, sentence }) => `- ${place}. ${plain(sentence)}`), '']
      : []),
  ].join('\n');
}

/** @param {import('./summary.js').OwnResult} one @param {string} page */
const ownClaim = ({ link, sentence, plan, bet, verdict }, page) => [
  `### ${plain(sentence)}`,
  '',
  `- Expected: ${plain(bet) || '–'}`,
  `- Found: **${verdictText(verdict)}**. ${plain(verdict.found)}`,
  `- Run: ${plain(plan)} [open it](${page}${link})`,
  '',
];

/** @param {import('./summary.js').Row} one */
const overview = (one) =>
  row([
    String(one.claim.place),
    plain(one.claim.sentence),
    plain(one.expected?.label ?? '–'),
    `**${verdictText(one.verdict)}**`,
  ]);

/** @param {import('./summary.js').Row} one @param {string} page */
function details(one, page) {
  const { claim, params, expected, guess, verdict, switches, seeds, comparisons } = one;
  return [
    `### ${claim.place}. ${plain(claim.sentence)}`,
    '',
    `- Said by: ${plain(claim.saidBy)}`,
    `- Expected: ${expected ? plain(expected.label) : '–'} (${agreementOf(one)})`,
    ...(guess ? [`- ${plain(guess)}`] : []),
    `- Found: **${verdictText(verdict)}**. ${plain(typeset(verdict.found))}`,
    `- Why: ${plain(claim.why)}`,
    `- What this does not show: ${plain(claim.limits)}`,
    `- Run: ${plain(switches)}; ${seeds}; [open it](${page}${writeAddress({ number: claim.number, params }, claim)})`,
    '',
    ...(comparisons.length
      ? [
          ...head('Number', 'Measured', 'Reference, 5 seeds', 'Allowed'),
          ...comparisons.map(({ label, values, range, allowed, within, share }) =>
            row([
              plain(label),
              `${span(values, share)}${within ? '' : ' (outside)'}`,
              ...[bounds(range, share), allowance(range, allowed, share) || 'exact'],
            ]),
          ),
          '',
        ]
      : []),
  ];
}
