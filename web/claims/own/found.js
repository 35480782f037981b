// What the runs of a claim of one's own show: a number of each seed, and the verdict on the sentence.

import { CHECK_EVERY } from '../../train/settings/settings.js';
import { ruleText } from './spec.js';

/**
 * @typedef {import('./spec.js').Spec} Spec
 * @typedef {{values: number[], agrees: boolean[], outcome: import('../../../src/claims/index.js').Judged}} OwnFound
 */

const REACHED = 0.9;

/**
 * @param {Spec} spec @param {import('../../train/run/curves.js').Check[]} checks of one seed
 * @returns {number} `Infinity`: never reached; `NaN`: training broke off
 */
function valueOf({ measure, steps }, checks) {
  const reached = checks.find(({ sequences }) => sequences >= REACHED);
  if (measure === 'steps' && reached) return reached.step;
  const last = checks.at(-1);
  if (!last || last.step < steps - (steps % CHECK_EVERY)) return NaN;
  return measure === 'steps'
    ? Infinity
    : last[measure === 'rows' ? 'sequences' : measure === 'loss' ? 'loss' : 'accuracy'];
}

/**
 * @param {Spec} spec @param {Pick<import('../../train/run/twins-run.js').TwinsReport, 'checks'>} report by seed
 * @returns {OwnFound}
 */
export function foundOf(spec, { checks }) {
  const values = checks.map(([own]) => valueOf(spec, own));
  const agrees = values.map((value) => (spec.at === 'least' ? value >= spec.threshold : value <= spec.threshold));
  const count = agrees.filter(Boolean).length;
  const verdict = count === values.length ? 'true' : count ? 'it depends' : 'false';
  const seeds = values.length === 1 ? 'seed counts' : 'seeds count';
  const broken = values.filter(Number.isNaN).length;
  const found =
    `${count} of ${values.length} ${seeds} as “true”, which this card says if the ${ruleText(spec)}.` +
    (broken ? ` Training broke off with ${broken}.` : '');
  return {
    values,
    agrees,
    outcome: { kind: 'sentence', verdict, ...(count && verdict !== 'true' && { on: 'the seed' }), found },
  };
}
