// JavaScript that computes the numbers of a figure with the npm module, outside this page.

import { temperatureOf } from '../engine/interventions.js';
import { isPatched } from '../engine/part.js';
import { cellsOf, isTaken, patchTarget } from '../engine/patches.js';
import { isEdited, modelFile } from './file.js';

/**
 * Where the numbers of a map lie: in the named tensor from `offset` on.
 * @typedef {{name: string, shape: number[], offset: number}} Source
 */

/**
 * The tensor that a map shows, or a slice of: it shows the same memory.
 * @param {import('../engine/results.js').Result | null} result
 * @param {Float32Array} data
 * @returns {Source | null}
 */
export function sourceOf(result, data) {
  for (const [name, tensor] of result?.tensors ?? []) {
    if (tensor.data.buffer !== data.buffer) continue;
    return { name, shape: tensor.shape, offset: (data.byteOffset - tensor.data.byteOffset) / data.BYTES_PER_ELEMENT };
  }
  return null;
}

/**
 * @param {import('../engine/results.js').Result} result
 * @param {Source} source
 * @param {{at: number, label: string, value: string}} cell the place at the cursor, counted in the map
 * @returns {string | null} null: an intervention takes numbers of another pass, which the code does not have
 */
export function codeOf({ plan, facts }, { name, shape, offset }, { at, label, value }) {
  const { config, ids, model, tokens, generate } = plan;
  const patched = plan.interventions.filter(isPatched);
  if (patched.some(isTaken)) return null;
  const targetIds = generate ? tokens.decoder?.ids : plan.targetIds;
  const edited = isEdited(plan);
  const temperature = temperatureOf(plan.interventions);
  const patches = patched
    .flatMap(cellsOf)
    .map((change) => ({ ...patchTarget(change, config), value: 'to' in change ? change.to : 0 }));
  const weights = model || edited;
  const input = [
    ...(targetIds ? [`sourceIds: ${list(ids)}`, `targetIds: ${list(targetIds)}`] : [`ids: ${list(ids)}`]),
    'capture: true',
    ...(temperature === 1 ? [] : [`temperature: ${temperature}`]),
    ...(patches.length ? [`patches: ${JSON.stringify(patches)}`] : []),
  ];
  return [
    ...(weights
      ? [imports('readFile', 'node:fs/promises'), imports('load, readSafetensors', 'glassformer')]
      : [imports('load', 'glassformer')]),
    '',
    `const gf = await load(); // on the page it took the ${facts.variant} variant; another differs in the last bits`,
    `const model = gf.createModel(${JSON.stringify(config)});`,
    ...(weights
      ? [
          edited
            ? '// The model as this page saves it, with the edited weights.'
            : model?.includes('?')
              ? '// The model as this page saves it: Save and share.'
              : "// The file lies in the page's folder models/, and the page saves it.",
          `const { tensors } = readSafetensors(await readFile('${modelFile(plan)}.safetensors'));`,
          'model.loadWeights(tensors, { strict: false });',
        ]
      : []),
    `model.forward({ ${input.join(', ')} });`,
    `const { data } = model.tensor(${JSON.stringify(name)}); // ${shape.join(' × ')}`,
    `// ${line(label)}: ${line(value)}`,
    `console.log(data[${offset + at}]);`,
    '',
  ].join('\n');
}

/** A line of the code, none of this file. @param {string} names @param {string} from */
const imports = (names, from) => ['import', '{', names, '}', 'from', `'${from}';`].join(' ');

/** @param {ArrayLike<number>} ids */
const list = (ids) => `[${Array.from(ids).join(', ')}]`;

/** A comment ends with its line, whatever ends that. @param {string} text */
const line = (text) => text.replace(/[\r\n\u2028\u2029]+/g, ' ');
