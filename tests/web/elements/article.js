// An article with the elements, as a page of somebody else: one model, its parts, and paragraphs between them.

export const TEXT = 'The dog did not jump over the creek because it was tired.';

/** The parts of the article, each with what stands there before the script arrives. */
export const PARTS = [
  '<glass-sentence flip="tired|deep">The dog did not jump over the creek because <b>it</b> was tired.</glass-sentence>',
  '<glass-heatmap></glass-heatmap>',
  '<glass-heads></glass-heads>',
  '<glass-logits></glass-logits>',
  '<glass-neurons layer="2"></glass-neurons>',
  '<glass-features src="features.safetensors"></glass-features>',
  '<glass-why></glass-why>',
  '<glass-training task="reverse"></glass-training>',
];

/** @param {readonly string[]} [parts] */
export const article = (parts = PARTS) =>
  '<!doctype html><html lang="en"><head><script src="watch.js"></script><title>A blog</title>' +
  '<link rel="icon" href="data:,"><meta name="color-scheme" content="light dark">' +
  '<meta name="viewport" content="width=device-width">' +
  '<script type="module" src="package/elements.js"></script></head><body><main><h1>What is “it”?</h1>' +
  `<glass-model name="creek" text="${TEXT}" head="3.2" word="it">${parts.join('<p>A paragraph.</p>')}</glass-model>` +
  '</main></body></html>';
