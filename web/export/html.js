// HTML that shows a head in somebody's article, with the elements of the package.

/** The models whose files stand beside the elements' script. */
const BESIDE = ['creek', 'continue'];

/** @param {string} text */
const quoted = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

/**
 * The map of a head as elements.
 * @param {import('../engine/plan.js').Plan} plan
 * @param {import('./code.js').Source | undefined} source of the map's numbers
 * @param {{row: number, column: number}} cursor
 * @returns {string | null} null: the elements do not have the model, a change, or what is shown
 */
export function htmlOf({ model, tokens, interventions }, source, { row, column }) {
  const [, stack, layer] = /^(encoder|decoder)\.layers\.(\d+)\.self_attn\.weights$/.exec(source?.name ?? '') ?? [];
  const words = (stack === 'encoder' ? tokens.encoder : tokens.decoder)?.words;
  if (!source || !words || !model || !BESIDE.includes(model) || interventions.length) return null;
  const head = Math.floor(source.offset / words.length ** 2);
  const named = Object.entries({
    ...{ name: model, text: words.join(' '), head: `${Number(layer) + 1}.${head + 1}`, word: row, key: column },
  }).map(([name, value]) => `${name}="${quoted(String(value))}"`);
  return [
    '<script type="module" src="elements.js"></script>',
    `<glass-model ${named.join(' ')}>`,
    '  <glass-sentence></glass-sentence>',
    '  <glass-heatmap></glass-heatmap>',
    '</glass-model>',
    '',
  ].join('\n');
}
