/**
 * `<glass-model>` and the page's pictures of a model, and `<glass-heatmap>` for any matrix, in any page. Importing it
 * defines the elements.
 *
 * @module glassformer/elements
 */

import { GlassHeatmap } from './heatmap.js';
import { GlassModel } from './model.js';
import { widget } from './notebook.js';
import {
  GlassFeatures,
  GlassHeads,
  GlassLogits,
  GlassNeurons,
  GlassSentence,
  GlassTraining,
  GlassWhy,
} from './elements.js';

export { GlassFeatures, GlassHeads, GlassHeatmap, GlassLogits, GlassModel, GlassNeurons };
export { GlassSentence, GlassTraining, GlassWhy };

export default widget;

const registry = globalThis.customElements;
/** @type {[string, CustomElementConstructor][]} the model first, as its parts look for it */
const ELEMENTS = [
  ['glass-model', GlassModel],
  ['glass-heatmap', GlassHeatmap],
  ['glass-sentence', GlassSentence],
  ['glass-heads', GlassHeads],
  ['glass-logits', GlassLogits],
  ['glass-neurons', GlassNeurons],
  ['glass-features', GlassFeatures],
  ['glass-why', GlassWhy],
  ['glass-training', GlassTraining],
];
for (const [name, element] of ELEMENTS) if (!registry?.get(name)) registry?.define(name, element);
