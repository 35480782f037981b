// The parts of a model: what each shows, and its own properties.

import { partOf } from './part.js';

/** @import { FeaturesInput, GlassPartBase, NeuronsInput, PartInput } from './types.js' */
/** @import { SentenceInput, TrainingInput } from './types.js' */

/** @type {new () => GlassPartBase & SentenceInput} */
const SentenceBase = partOf('sentence', ['flip']);

/**
 * The text of the model around it, with arcs from the chosen word to those that it attends to. A click, or the arrow
 * keys, choose another word. `flip="tired|deep"` shows words of which one is in the text; a click puts another there.
 * CSS parts: `words`, `flips`.
 * @example
 * <glass-model name="creek" text="The dog did not jump over the creek because it was tired." head="3.2" word="it">
 *   <glass-sentence flip="tired|deep">“It” is the dog.</glass-sentence>
 * </glass-model>
 */
export class GlassSentence extends SentenceBase {}

/** @typedef {new () => GlassPartBase & PartInput} PartBase */

/** @type {PartBase} */
const HeadsBase = partOf('heads', []);

/**
 * All heads of the model around it as small maps, a row for each layer, and the neurons of each FFN. Below each a bar
 * says what it adds to the lead of the likeliest word at the chosen one. A click chooses a head, or the most active
 * neuron of an FFN. CSS part: `heads`.
 * @example
 * <glass-model name="creek" text="The dog did not jump over the creek because it was tired." word="it">
 *   <glass-heads></glass-heads>
 * </glass-model>
 */
export class GlassHeads extends HeadsBase {}

/** @type {PartBase} */
const LogitsBase = partOf('logits', []);

/**
 * The words that the model around it predicts at the chosen one, of a decoder after it: the likeliest with their logits
 * and probabilities. Below, at every word, the likeliest one if the model stopped after each layer. A click on a word
 * chooses it. CSS parts: `answer`, `lens`.
 * @example
 * <glass-model name="continue" text="one day a hungry fox saw a red ball. the">
 *   <glass-logits></glass-logits>
 * </glass-model>
 */
export class GlassLogits extends LogitsBase {}

/** @type {new () => GlassPartBase & NeuronsInput} */
const NeuronsBase = partOf('neurons', ['layer']);

/**
 * The neurons of an FFN of the model around it, at the chosen word: of the layer `layer`, from 1, else of the chosen
 * neuron's, else of the chosen head's. A click, or the arrow keys, choose a neuron; without a choice the cursor stands
 * at the most active one. CSS part: `neurons`.
 * @example
 * <glass-model name="creek" text="The dog did not jump over the creek because it was tired." word="it">
 *   <glass-neurons layer="2"></glass-neurons>
 * </glass-model>
 */
export class GlassNeurons extends NeuronsBase {}

/** @type {new () => GlassPartBase & FeaturesInput} */
const FeaturesBase = partOf('features', ['src', 'feature']);

/**
 * The features of a dictionary that fire at the chosen word of the model around it, the strongest first, and of one of
 * them: where it fires in the text, and the words that it makes likelier there. `src` is the address of a dictionary
 * (`features.save()` of `glassformer/features`, or a folder of SAELens's), as property also bytes or `Features`;
 * `feature` its number, from 0, by default the strongest. A click chooses one, and fires 'choose' with `feature`.
 * CSS parts: `features`, `feature`.
 * @example
 * <glass-model src="model.safetensors" text="The dog did not jump over the creek because it was tired." word="it">
 *   <glass-features src="features.safetensors"></glass-features>
 * </glass-model>
 */
export class GlassFeatures extends FeaturesBase {}

/** @type {PartBase} */
const WhyBase = partOf('why', []);

/**
 * The steps of what was chosen last in the model around it: a weight, from query · key over the softmax to what the
 * head adds, or a neuron, from its key and activation to what its value adds. They play, one a second, and stop at
 * any place. CSS part: `why`.
 * @example
 * <glass-model name="creek" text="The dog did not jump over the creek because it was tired." head="3.2" word="it">
 *   <glass-why></glass-why>
 * </glass-model>
 */
export class GlassWhy extends WhyBase {}

/** @type {new () => GlassPartBase & TrainingInput} */
const TrainingBase = partOf('training', ['task', 'seed'], true);

/**
 * A small model that learns a task of `glassformer/tasks` as one watches, without a model around it: its answer to a
 * row that it has not seen, its heads as they form, and the loss. `task` is one of encoders and decoders, default
 * `reverse`; the same `seed`, default 1, trains the same model. CSS parts: `row`, `play`, `heads`.
 * @example
 * <glass-training task="sort">A model learns to sort eight digits.</glass-training>
 */
export class GlassTraining extends TrainingBase {}
