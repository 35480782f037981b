import { bends, brokenLine, curve } from '../shared/broken-line.js';
import { settingsOf } from '../shared/claim.js';
import { largest, say } from '../shared/numbers.js';
import { stepper } from '../shared/steps.js';

const X = [1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5];
/** What is shown of it: where it was made for as well. */
const WHOLE = Array.from({ length: 97 }, (_, i) => -1 + i / 16);

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 8,
  name: 'Beyond the last kink',
  sentence: 'Beyond its last kink a ReLU network is one straight line: it does not go on with what it has learned.',
  source: 'Xu et al. 2021, “How Neural Networks Extrapolate”, arXiv:2009.11848, section 3',
  choices: [
    { label: 'At x = 3 the network of x² is on a straight line.', verdict: 'holds' },
    { label: 'Only with few neurons.', verdict: 'holds only if' },
    { label: 'It goes on as x².', verdict: 'fails' },
  ],
  inputs: [
    { name: 'neurons', label: 'Neurons N', values: [2, 4, 8, 16, 32], default: 16 },
    { name: 'activation', label: 'Activation', values: ['relu', 'gelu', 'silu'], default: 'relu' },
  ],
  seeded: false,
  expected: [
    { name: 'at3', label: 'Output at x = 3, where x² is 9', range: [4.763, 4.763], tolerance: { absolute: 1e-3 } },
    { name: 'bend', label: 'Largest bend beyond x = 1', range: [0, 5e-6] },
  ],
  flip: { params: { activation: 'gelu' }, verdict: 'fails' },
};

/** @param {number} neurons */
export const network = (neurons) => brokenLine(neurons, 1 / (2 * (neurons + 1) ** 2));

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { neurons, activation } = settingsOf(claim, params);
  await stepper(1, onProgress, signal)();
  const at = (/** @type {number[]} */ x) => curve(gf, x, network(neurons), activation);
  const y = at(X);
  onProgress?.(1);
  return {
    ...{ x: X, y: [...y], at3: y[X.indexOf(3)], bend: largest(bends(y).map(Math.abs)) },
    ...{ wholeX: WHOLE, wholeY: [...at(WHOLE)] },
  };
}

/** @type {import('../shared/claim.js').ClaimModule['verdict']} */
export function verdict({ at3, bend }) {
  return bend < 1e-4
    ? { verdict: 'holds', why: `From x = 1 on the bend is ${say(bend)}; at x = 3 it says ${say(at3)}, not 9.` }
    : { verdict: 'fails', why: `Beyond x = 1 it still bends, by ${say(bend)}: this activation is curved.` };
}
