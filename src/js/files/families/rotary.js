// Rotary positions as config.json says them: old files by `rope_theta` and `rope_scaling`, new ones by
// `rope_parameters`.
import { isObject } from '../../arrays/tensor.js';
import { refuse } from './read.js';

/** @typedef {import('./read.js').ModelConfig} ModelConfig */
/** @typedef {import('../../engine/config.js').Settings} Settings */

/**
 * Names of a family beside `rope_parameters`, the first that is there counts, and its default.
 * @typedef {{theta: string[], share: string[], whole: number}} RotaryNames whole: the share of each head that turns
 */

/** The names of most families. */
const USUAL = { theta: ['rope_theta'], share: ['partial_rotary_factor'], whole: 1 };

/** Kinds of scaling that are not computed here. @type {Record<string, string>} */
const BEYOND = {
  longrope: ': a factor for each pair of numbers, and one for the scores, are not computed here',
  su: ': a factor for each pair of numbers, and one for the scores, are not computed here',
  yarn: ': a factor between fast and slow pairs, and one for the scores, are not computed here',
  dynamic: ': angles that change with the length of the text are not computed here',
};

/**
 * The angles, and the share of each head that turns, with the place where config.json says it.
 * @param {ModelConfig} config
 * @param {RotaryNames} [names]
 * @returns {{angles: Settings, share: number, at: string}}
 */
export function rotaryOf(config, names = USUAL) {
  const [first = 'rope_scaling', second] = ['rope_parameters', 'rope_scaling'].filter(
    (name) => (config[name] ?? null) !== null,
  );
  const { at, ...found } = anglesOf(config, first, names);
  const other = second ? anglesOf(config, second, names) : found;
  if (second && JSON.stringify([other.angles, other.share]) !== JSON.stringify([found.angles, found.share]))
    refuse(second, config[second], `contradicts ${first}`);
  return { ...found, at };
}

/**
 * The number of a head's numbers that turn, as transformers counts them.
 * @param {{share: number, at: string}} rotary
 * @param {number} width of a head
 * @returns {number} 0: all
 */
export function ropeWidthOf({ share, at }, width) {
  const turned = Math.floor(width * share);
  if (turned === width) return 0;
  if (turned < 2 || turned % 2)
    refuse(at, share, `must make an even number of a head's ${width} numbers turn, makes ${turned}`);
  return turned;
}

/**
 * The reverse: a share of which as many numbers turn, the given one where it does.
 * @param {unknown} given
 * @param {number} ropeWidth
 * @param {number} width
 */
export function shareFor(given, ropeWidth, width) {
  const turned = ropeWidth || width;
  const makes = (/** @type {unknown} */ share) => Math.floor(width * Number(share)) === turned;
  return [given, turned / width].find((share) => typeof share === 'number' && makes(share)) ?? (turned + 0.5) / width;
}

/**
 * @param {ModelConfig} config
 * @param {string} name of the object that says them
 * @param {RotaryNames} names
 */
function anglesOf(config, name, { theta: thetas, share: shares, whole }) {
  const given = config[name] ?? {};
  if (!isObject(given)) return refuse(name, given, 'must be an object');
  const number = (/** @type {string} */ key, /** @type {unknown} */ value, low = 0, at = `${name}.${key}`) =>
    typeof value === 'number' && Number.isFinite(value) && value >= low
      ? value
      : refuse(at, value, `must be a number from ${low}`);
  const ofKind = Object.keys(given).find((key) => isObject(given[key]));
  if (ofKind)
    refuse(`${name}.${ofKind}`, given[ofKind], 'angles of their own for each kind of layer are not computed here');
  /** Said in the object, or beside it. @param {string} key @param {string[]} beside */
  const said = (key, beside) => {
    const other = beside.find((each) => (config[each] ?? null) !== null);
    const inside = given[key] ?? undefined;
    return inside === undefined && other
      ? { value: config[other], at: other }
      : { value: inside, at: `${name}.${key}` };
  };
  const base = said('rope_theta', thetas);
  const part = said('partial_rotary_factor', shares);
  const beside = shares.map((each) => config[each] ?? part.value).find((each) => each !== part.value);
  if (beside !== undefined) refuse(part.at, part.value, `contradicts ${shares.join(' or ')}, ${beside}`);
  const share = number('', part.value ?? whole, 0, part.at);
  if (share > 1) refuse(part.at, share, 'must be at most 1');
  const ropeTheta = number('', base.value ?? 10000, 1, base.at);
  const type = given.rope_type ?? given.type ?? 'default';
  const plain = /** @type {const} */ ({ ropeTheta });
  if (type === 'default') return { angles: plain, share, at: part.at };
  if (type === 'linear')
    return {
      angles: { ...plain, ropeScaling: /** @type {const} */ ('linear'), ropeFactor: factor() },
      share,
      at: part.at,
    };
  const key = (given.rope_type ?? null) === null ? 'type' : 'rope_type';
  const why = typeof type === 'string' && Object.hasOwn(BEYOND, type) ? BEYOND[type] : '';
  if (type !== 'llama3') refuse(`${name}.${key}`, type, `must be one of default, linear, llama3${why}`);
  const angles = {
    ...plain,
    ropeScaling: /** @type {const} */ ('llama3'),
    ropeFactor: factor(),
    ropeLowFrequency: number('low_freq_factor', given.low_freq_factor),
    ropeHighFrequency: number('high_freq_factor', given.high_freq_factor),
    ropeOriginalLength: number('original_max_position_embeddings', given.original_max_position_embeddings, 1),
  };
  return { angles, share, at: part.at };

  function factor() {
    return number('factor', /** @type {any} */ (given).factor, 1);
  }
}

/** The reverse, of old files. @param {import('../../engine/config.js').Config} settings */
export function scalingFor({ ropeScaling, ropeFactor, ropeLowFrequency, ropeHighFrequency, ropeOriginalLength }) {
  if (ropeScaling === 'none') return null;
  if (ropeScaling === 'linear') return { rope_type: 'linear', factor: ropeFactor };
  return {
    rope_type: 'llama3',
    factor: ropeFactor,
    low_freq_factor: ropeLowFrequency,
    high_freq_factor: ropeHighFrequency,
    original_max_position_embeddings: ropeOriginalLength,
  };
}
