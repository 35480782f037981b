import { refuse, sizeOf } from './read.js';

/**
 * The setting `window` and the layers without it, of which there is a bit each.
 * @param {number} window
 * @param {boolean[]} sees of each layer, whether it sees all
 */
export function windowSettings(window, sees) {
  const bits = (/** @type {number} */ first) =>
    sees.slice(first, first + 32).reduce((sum, all, i) => (all ? sum | (1 << i) : sum), 0);
  return sees.every(Boolean) ? {} : { window, globalLayers: bits(0), globalLayersAbove: bits(32) };
}

/**
 * Windows of a config.json: of `layer_types` where it says, else from a layer on.
 * @param {import('./read.js').ModelConfig} config
 * @param {number} layers
 * @param {unknown} window null: none
 * @param {number} from the first layer that has it
 */
export function windowsOf(config, layers, window, from) {
  const { layer_types: types } = config;
  const all = Array.from({ length: layers }, (_, i) => i);
  if (types !== undefined) {
    const known = ['full_attention', 'sliding_attention'];
    if (!Array.isArray(types) || types.length !== layers || !types.every((type) => known.includes(type)))
      refuse('layer_types', types, `must say ${known.join(' or ')} for each of ${layers} layers`);
  }
  const listed = /** @type {string[] | undefined} */ (types);
  const sees = all.map((i) => (listed ? listed[i] === 'full_attention' : window === null || i < from));
  if (sees.every(Boolean)) return {};
  return windowSettings(sizeOf({ sliding_window: window ?? undefined }, 'sliding_window', {}), sees);
}
