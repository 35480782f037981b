// The lines of JavaScript that reproduce a card's numbers, to the same bits.

import { SEEDS } from './schema.js';

/** A comment ends with its line, whatever ends that. @param {string} text */
const line = (text) => text.replace(/[\r\n\u2028\u2029]+/g, ' ');

/** A line of the code, none of this file. @param {string} names @param {string} from */
const imports = (names, from) => ['import', '{', names, '}', 'from', `'${from}';`].join(' ');

/**
 * @param {Pick<import('../../src/claims/index.js').Claim, 'number' | 'sentence' | 'inputs' | 'seeded'>} claim
 * @param {import('../../src/claims/index.js').Params} params what differs from the defaults
 */
export function codeOf({ number, sentence, inputs, seeded }, params) {
  const defaults = [
    ...inputs.map((input) => [input.name, input.default]),
    ...(seeded ? [['seed', 0], ['seeds', SEEDS]] : []), // prettier-ignore
  ];
  const given = { ...Object.fromEntries(defaults), ...params };
  const listed = Object.entries(given).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return [
    `// ${number}. ${line(sentence)}`,
    imports('load', 'glassformer'),
    imports('claims, compareNumbers', 'glassformer/claims'),
    '',
    `const gf = await load({ variant: 'simd' }); // the same bits on every machine`,
    `const { claim, run, outcome } = claims.find((one) => one.claim.number === ${number});`,
    `const params = { ${listed.join(', ')} };`,
    'const numbers = await run(gf, params);',
    'console.log(numbers);',
    'console.table(compareNumbers(claim, numbers, params)); // beside what was measured before',
    'console.log(outcome(numbers, params));',
    '',
  ].join('\n');
}
