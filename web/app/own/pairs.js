// Encoder–decoders of Hugging Face's, which the package opens and the page does not yet.

/** @param {unknown} family `model_type` of config.json */
export const isPair = (family) => /^(marian|bart)$/.test(String(family));

/** Refuses one, in words for the reader. @param {unknown} family @throws {Error} */
export function refusePair(family) {
  if (!isPair(family)) return;
  throw new Error(`its family is ${family}, an encoder–decoder: the npm package opens it, this page not yet`);
}
