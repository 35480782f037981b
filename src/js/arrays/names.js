import { GlassformerError } from '../errors.js';

/** No name of ours is longer, and a comparison takes the product of the lengths. */
const LONGEST = 99;
/**
 * Plain names of PyTorch, Transformers, transformers.js and tfjs, behind what they are called here: the first of those
 * that is known where one was given. `-`: there is no such thing here. Names that hold ours need no row.
 */
const FOREIGN = `kind: type
d_model: hiddensize nembd embeddim dim modeldim hiddendim embeddingdim
heads: nhead numattentionheads
layers: depth
d_ff: dimfeedforward intermediatesize ffndim ninner mlpdim
vocabulary: vocabsize nvocab tokenizer
maxLength maxTokens: maxlength maxlen
maxLength: maxpositionembeddings npositions nctx blocksize contextlength maxseqlen maxsequencelength modelmaxlength
maxLength: context
epsilon: eps layernormeps normeps
types: typevocabsize
head: tiewordembeddings
activation: hiddenact
positions: positionembeddingtype positionalencoding
weights: dtype torchdtype quantized
ids sourceIds targetIds vectors sourceVectors: ids sourceids inputids src tokens tokenids inputs
ids sourceIds: texts text
vectors sourceVectors targetVectors ids sourceIds: vectors sourcevectors inputsembeds
targetIds targetVectors: targetids decoderinputids tgt
targetVectors targetIds: targetvectors decoderinputsembeds
typeIds sourceTypeIds: typeids segmentids
padding sourcePadding targetPadding keyPadding: padding attentionmask keypaddingmask srckeypaddingmask paddingmask
targetPadding: tgtkeypaddingmask decoderattentionmask
memoryPadding memoryKeyPadding: memorykeypaddingmask
capture: outputattentions outputhiddenstates
set value: data
row at: position pos
id: token
patches: hooks steer steering interventions
labels: targets
temperature: dosample
endId: eostokenid eos
stop: stopsequences
onToken: streamer
learningRate: lr
clip: maxgradnorm
steps: numtrainingsteps
loss: criterion
dropout: residpdrop
onProgress: progresscallback
threads: workers
x: input
-: lengthpenalty batchsize positionids headmask batchfirst padtokenid bostokenid`;

/** By plain name, what it is called here. @type {Map<string, string[]>} */
const ALIASES = new Map();

function readForeign() {
  for (const line of FOREIGN.split('\n')) {
    const [ours, theirs] = line.split(': ').map((words) => words.split(' '));
    for (const name of theirs) ALIASES.set(name, ours);
  }
}

/**
 * Whether these are named arguments: a plain object and no tensor, promise, Map or model.
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isNamed(value) {
  return (
    Object.prototype.toString.call(value) === '[object Object]' &&
    !('data' in Object(value) && 'shape' in Object(value))
  );
}

/**
 * The known name that someone may have meant.
 * @param {string} name
 * @param {readonly string[]} known
 * @returns {string | undefined}
 */
export function nearest(name, known) {
  if (name.length > LONGEST) return undefined;
  const wanted = plain(name);
  if (ALIASES.size === 0) readForeign();
  const same = known.find((one) => plain(one) === wanted);
  const aliases = ALIASES.get(wanted);
  if (same ?? aliases) return same ?? aliases?.find((one) => known.includes(one));
  let best;
  let least = 0.4;
  for (const one of known) {
    const far = distance(wanted, plain(one));
    if (far <= least) [best, least] = [one, far - 1e-9];
  }
  return best;
}

/** @param {string} name without the marks and capitals in which names differ most */
const plain = (name) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/**
 * Letters to insert, delete or replace (Levenshtein 1966), as a share of the longer; a part of the other is near.
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
function distance(a, b) {
  const longer = Math.max(a.length, b.length);
  const isPart = Math.min(a.length, b.length) > Math.max(2, 0.34 * longer) && (a.includes(b) || b.includes(a));
  if (isPart) {
    return Math.abs(a.length - b.length) / longer / 4;
  }
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      next.push(Math.min(next[j] + 1, row[j + 1] + 1, row[j] + Number(a[i] !== b[j])));
    }
    row = next;
  }
  return row[b.length] / longer;
}

/**
 * Refuses options of a function that has none, by the first one's name.
 * @param {unknown} options
 * @param {string} call
 */
export function expectNone(options, call) {
  if (options === undefined) return;
  const [name = 'options', value = options] = isNamed(options) ? (Object.entries(options)[0] ?? []) : [];
  throw new GlassformerError('unknown', name, value, `unknown; ${call} takes no options`);
}
