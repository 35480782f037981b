// Writes gallery.html beside the reference: each element live, with its HTML, and the files that it needs.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const TEXT = 'The dog did not jump over the creek because it was tired.';
const model = (/** @type {string} */ inside, more = '') =>
  `<glass-model name="creek" text="${TEXT}" head="3.2" word="it"${more}>\n  ${inside}\n</glass-model>`;

/** Title, a sentence, and HTML of each element. */
const ELEMENTS = [
  [
    'A sentence and a map',
    'Pick a word in one: it is picked in the other. Swap “tired” for “deep”, and the arc moves.',
    model('<glass-sentence flip="tired|deep"></glass-sentence>\n  <glass-heatmap></glass-heatmap>'),
  ],
  ['All heads', 'The bars say what each adds to the answer at “it”.', model('<glass-heads></glass-heads>')],
  [
    'Answer and logit lens',
    'The answer, and what it would be after each layer.',
    model('<glass-logits></glass-logits>'),
  ],
  ['Neurons', 'One FFN at “it”. The arrow keys choose a neuron.', model('<glass-neurons layer="2"></glass-neurons>')],
  [
    'Features',
    'What a dictionary, trained on the stream after layer 2, finds at “it”; where one fires, and what it writes.',
    model('<glass-features src="glassformer/models/creek-features.safetensors"></glass-features>'),
  ],
  [
    'A translation',
    'Cross-attention: the English above, what the model says below.',
    `<glass-model name="translate" text="the black dog was tired ." head="cross 2.1" word="noir">
  <glass-sentence></glass-sentence>
  <glass-heatmap></glass-heatmap>
</glass-model>`,
  ],
  ['Why a weight', 'Each step from query · key to what the head adds.', model('<glass-why></glass-why>')],
  ['Why a neuron', 'Its key, its activation, its value.', model('<glass-why></glass-why>', ' neuron="2.88"')],
  ['Training', 'A model learns to reverse eight digits.', '<glass-training task="reverse"></glass-training>'],
  [
    'A matrix of your own',
    'Any numbers, as JSON or as a property.',
    `<glass-heatmap label="Attention"><script type="application/json">
  { "data": [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.5, 0.3]], "labels": ["the", "creek", "was"] }
</script></glass-heatmap>`,
  ],
];

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; background: light-dark(#fff, #16131b);
    color: light-dark(#211d29, #ece8f2); }
  section { margin-block: 3rem; }
  h1, h2, p { margin: 0 0 0.5rem; }
  pre { overflow-x: auto; padding: 0.75rem; background: light-dark(#f4f2f8, #231f2b); font-size: 0.8125rem; }
  a { color: inherit; }`;

const MODELS = ['models/creek.safetensors', 'models/translate.safetensors'];

const escaped = (/** @type {string} */ text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The dictionary of the gallery: as Explore's of creek, in seconds. @returns {Promise<Uint8Array>} a file */
async function dictionary() {
  const entry = (/** @type {string} */ name) => import(pathToFileURL(resolve('dist', name)).href);
  const [{ load }, { trainFeatures }, { creek }] = await Promise.all(
    ['js/index.js', 'js/features.js', 'tasks/index.js'].map(entry),
  );
  const gf = await load({ variant: 'simd' });
  const { model: trained } = await gf.loadModel(new Uint8Array(readFileSync('dist/models/creek.safetensors')));
  const { sentences } = creek.heldOut(0, { limit: 1 });
  const ids = sentences.map((/** @type {any} */ { tokens }) =>
    creek.vocabulary.ids(tokens.map((/** @type {any} */ { word }) => word)),
  );
  const features = await trainFeatures(trained, { at: { layer: 1 }, ids, features: 256, active: 5 });
  return features.save();
}

/** @param {string} out folder of the reference */
export async function writeGallery(out) {
  const files = join(out, 'glassformer');
  mkdirSync(files, { recursive: true });
  for (const name of ['elements.js', 'elements', 'js', 'simd.wasm.js', 'relaxed.wasm.js', ...MODELS])
    cpSync(join('dist', name), join(files, name), { recursive: true, filter: (path) => !path.endsWith('.map') });
  writeFileSync(join(files, 'models/creek-features.safetensors'), await dictionary());
  const sections = ELEMENTS.map(
    ([title, about, html]) => `<section><h2>${title}</h2><p>${about}</p>
${html}
<pre tabindex="0"><code>${escaped(html)}</code></pre></section>`,
  );
  writeFileSync(
    join(out, 'gallery.html'),
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Elements – Glassformer</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><style>${STYLE}</style>
<script type="module" src="glassformer/elements.js"></script></head><body><main><h1>Elements</h1>
<p>Each element, live, with its HTML; their attributes are in <a href="documents/Elements.html">the guide</a>.</p>
${sections.join('\n')}</main></body></html>\n`,
  );
}
