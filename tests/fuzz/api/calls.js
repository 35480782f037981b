// The calls of the random walk: for each of the package's functions and methods good arguments, and what it may change.
import { readFileSync } from 'node:fs';
import { types } from 'node:util';

import { Vocabulary, readSafetensors, writeSafetensors } from 'glassformer';
import { loadCheckpoint, loadModel as loadFrom, openSafetensors } from 'glassformer/checkpoints';
import { loadModel, resumeTrainer, saveModel, saveTrainer } from 'glassformer/core';
import { gradients, operationVjp, vjp } from 'glassformer/derivatives';
import { loadFeatures } from 'glassformer/features';
import { exportOnnx } from 'glassformer/onnx';
import * as Tasks from 'glassformer/tasks';
import { loadTokenizer } from 'glassformer/tokenizers';
import { ARRAYS, DIFFERENTIABLE } from './arrays.js';
import { batch, changes, config, labels, spans, trainerSettings } from './batches.js';
import { OwnError } from './values.js';
import { DICTIONARY, METHODS, argumentsFor } from '../../methods.js';
import { argumentsOf, perform } from '../../operations.js';

/** @typedef {import('./draw.js').Draw} Draw */
/** @typedef {import('./world.js').World} World */
/** @typedef {import('./world.js').Entry} Entry */
/** @typedef {import('./world.js').Part} Part */

/**
 * `run` is called on `self`; `name` is for people. `may`: what may change of the model `on`; `made`: another call would
 * give something else; `frees`: the model is gone then; `then` gets the result.
 * @typedef {{self?: any, run: any, name: string, args: any[], on?: Entry, may?: Part[], made?: boolean,
 *   frees?: boolean, then?: (result: any) => void}} Call
 * @typedef {(d: Draw, world: World) => Call | undefined} Maker
 */

const checkpoint = (/** @type {string} */ path) => readFileSync(new URL(`../../checkpoints/${path}`, import.meta.url));
const TOKENIZERS = ['gpt2-2l', 'bert-2l'].map((name) => JSON.parse(checkpoint(`${name}/tokenizer.json`).toString()));
const GPT2 = {
  config: JSON.parse(checkpoint('gpt2-2l/config.json').toString()),
  weights: checkpoint('gpt2-2l/model.safetensors'),
};
const WORDS = ['[PAD]', 'the', 'creek', 'was', 'cold', '.', 'dog', 'a', '1', '2'];
const TEXTS = [
  'the creek was cold.',
  '',
  '1 2 3',
  '\ud800 x',
  '12345678',
  'The Dog!',
  'é – 中 🙂',
  ' \n\t',
  'a'.repeat(400),
];

/** @type {Part[]} */
const PASS = ['others'];
/** @type {Part[]} */
const STEP = ['others', 'weights', 'moments'];

/** @param {any} self @param {string} method @param {any[]} args @param {string} name @returns {Call} */
const method = (self, method, args, name) => ({ self, run: self[method], name: `${name}.${method}`, args });

/**
 * @param {(d: Draw, entry: Entry, world: World) => Call | undefined} make
 * @returns {Maker}
 */
const ofModel = (make) => (d, world) => {
  const entry = /** @type {Entry | undefined} */ (world.some(d, 'models'));
  if (!entry || (entry.freed && d.chance(0.9))) return undefined;
  const call = make(d, entry, world);
  return call && { on: entry, may: [], ...call };
};

/** @param {string} name @param {(d: Draw, entry: Entry, world: World) => any[]} args @param {Partial<Call>} [facts] */
const modelCall = (name, args, facts) =>
  ofModel((d, entry, world) => ({ ...method(entry.model, name, args(d, entry, world), entry.name), ...facts }));

/**
 * @param {string} name
 * @param {(d: Draw, entry: Entry, world: World) => any[]} args
 * @param {Partial<Call>} [facts]
 * @returns {Maker}
 */
const trainerCall = (name, args, facts) => (d, world) => {
  const found = world.some(d, 'trainers');
  if (!found || (found.of.freed && d.chance(0.9))) return undefined;
  const call = method(found.trainer, name, args(d, found.of, world), `trainer of ${found.of.name}`);
  return { ...call, on: found.of, may: [], ...facts };
};

/** Arguments of clone. @type {((d: Draw) => any[])[]} */
const CLONES = [
  () => [],
  () => [{ scoreScale: false }],
  (d) => [{ head: 'classes', labels: WORDS.slice(0, d.int(2, 4)), ...(d.chance(0.5) && { of: 'tokens' }) }],
  (d) => [{ head: 'spans', ...(d.chance(0.3) && { seed: d.int(0, 9) }) }],
];

/** @param {Entry} entry */
const lossOf = ({ trainer }) => trainer?.settings.loss ?? 'crossEntropy';

/** @param {Draw} d @param {Entry} entry @param {string} loss */
function trainingBatch(d, { config }, loss) {
  const { sizes, given } = batch(d, config);
  if (loss === 'spans') return { ...given, spans: spans(d, sizes) };
  const lossMask = d.chance(0.2) && { lossMask: d.flagTensor(sizes) };
  return { ...given, ...lossMask, labels: labels(d, config, sizes, loss) };
}

/** @param {Draw} d @param {Entry} entry */
function generation(d, { config, freed, model }, /** @type {World} */ world) {
  const { kind, vocabulary, maxLength, positions } = config;
  const V = vocabulary || 3;
  const given = /** @type {any} */ ({ maxTokens: d.int(0, 3), seed: d.int(0, 99) }); // without a seed one is drawn
  given[kind === 'encoder-decoder' ? 'targetIds' : 'ids'] = d.idTensor([d.int(1, 3)], V);
  if (kind === 'encoder-decoder') given.sourceIds = d.idTensor([d.int(1, 3)], V);
  const others = {
    temperature: d.pick([0, 1, 0.5]),
    topK: d.int(0, V),
    endId: d.int(0, V - 1),
    window: d.int(1, positions === 'learned' ? maxLength : 4),
    cache: d.chance(0.5),
  };
  for (const [name, value] of Object.entries(others)) if (d.chance(0.25)) given[name] = value;
  if (d.chance(0.2)) given.onToken = /** @type {(id: number) => unknown} */ (() => d.pick([true, undefined, false]));
  if (d.chance(0.1)) {
    const hook = world.hook(d, given);
    given.onToken = () => hook();
  }
  if (!freed && d.chance(0.15)) {
    const { patches, ablate } = changes(d, /** @type {any} */ ({ model, config }));
    if (patches) given.patches = patches;
    if (ablate) given.ablate = ablate;
  }
  if (d.chance(0.1)) given.signal = d.chance(0.5) ? AbortSignal.abort(ownError(world)) : new AbortController().signal;
  return given;
}

/** The options of an awaited generate. @param {any} given */
function awaited(given) {
  delete given.onToken;
  return given;
}

/** @param {World} world */
function ownError(world) {
  const error = new OwnError();
  world.own.add(error);
  return error;
}

/** @param {Draw} d @param {World} world */
const names = (d, { freed, model }) =>
  freed ? ['output'] : Array.from({ length: d.int(1, 2) }, () => d.pick(model.tensors())?.name ?? 'output');

/** @param {World} world @param {(value: any) => boolean} test */
const things = (d, world, test) => {
  const found = world.things.filter(test);
  return found.length ? d.pick(found) : undefined;
};

const isFile = (/** @type {any} */ value) => types.isUint8Array(value) && value.length > 40;
const isState = (/** @type {any} */ value) => Object.hasOwn(value, 'weights') && !(value instanceof Map);

/** @param {Draw} d @param {any} config */
const wordsFor = (d, { vocabulary }) => {
  const words = Array.from({ length: vocabulary }, (_, i) => WORDS[i] ?? `w${i}`);
  return d.chance(0.5) || !vocabulary ? words : new Vocabulary(words);
};

/** @param {Draw} d @param {Entry} entry */
const saveOptions = (d, { config }) => ({
  ...(d.chance(0.4) && config.vocabulary && { vocabulary: wordsFor(d, config) }),
  ...(d.chance(0.3) && { recipe: { seed: 7, list: [1, 'x'] } }),
  ...(d.chance(0.2) && { metadata: { key: 'value' } }),
});

/** @param {World} world a file's model joins the others */
const adoptFile =
  (world) =>
  (/** @type {any} */ { model, trainer, tokenizer }) => {
    world.adopt(model);
    if (trainer) world.train(trainer, world.models[world.models.length - 1]);
    if (tokenizer) world.keep(tokenizer);
  };

/** Sources of files. @param {Draw} d @param {World} world */
function fileSource(d, world) {
  const file = new Uint8Array(things(d, world, isFile) ?? saveModel(world.probe.model));
  const kind = d.int(0, 6);
  if (kind === 0) return new Blob([file]);
  if (kind === 1) return new Response(file);
  if (kind === 2) return Promise.resolve(file);
  if (kind === 3) return file.slice().buffer;
  if (kind === 4 && d.chance(0.5)) return file.slice(0, d.int(0, file.length));
  return file.slice();
}

/** @param {Draw} d @param {Entry} entry @param {string[]} of cotangents of tensors */
const directions = (d, { model, freed }, of) =>
  Object.fromEntries(
    (freed ? [] : model.tensors())
      .filter((/** @type {any} */ { name }) => of.includes(name))
      .map((/** @type {any} */ { name, shape }) => [name, d.tensor(shape)]),
  );

const SMALL = /** @type {any[]} */ (
  Object.values(Tasks.tasks).filter((task) => task !== Tasks.creek && task !== Tasks.translate)
);
/** Of these a batch takes most of a second. @type {any[]} */
const LARGE = [Tasks.creek, Tasks.translate];
/** @type {Record<string, (d: Draw, task: any) => any[]>} */
const TASK_METHODS = {
  batch: (d) => [d.int(0, 2), d.int(0, 2)],
  batches: (d) => [d.int(0, 9), { from: d.int(0, 2) }],
  heldOut: (d, { about }) => [
    d.int(0, 9),
    { sample: d.int(0, 2), ...(about?.measure === 'sequences' && { count: 4 }) },
  ],
  ask: (d) => [d.pick(TEXTS), d.int(0, 2)],
  initial: (d) => [d.int(0, 9)],
};
/** @type {Record<string, (d: Draw) => any>} */
const MAKERS = {
  makeReverse: (d) => ({ length: d.int(1, 9) }),
  makeReverseVariable: (d) => ({ shortest: d.int(1, 4), longest: d.int(4, 10) }),
  makeReverseDecoder: (d) => ({ length: d.int(1, 9) }),
  makeCopy: (d) => ({ length: d.int(1, 9) }),
  makeSort: (d) => ({ length: d.int(1, 9) }),
  makeAddition: (d) => ({ digits: d.int(1, 3) }),
  makeInduction: (d) => ({ length: d.int(8, 30) }),
  makeFacts: () => ({}),
  makeNeighbours: () => ({}),
  makeNextDigit: () => ({}),
  makePositions: () => ({}),
  makeGate: (d) => ({ gate: d.pick(['and', 'xor']), hidden: d.int(1, 9) }),
  makeSquare: (d) => ({ hidden: d.int(1, 9) }),
};

/** Methods without draws of their own, whose good arguments are the table's. */
const OF_MODEL = ['gradients', 'forwardBytes', 'logitsAt', 'embed', 'classify', 'classifyTokens', 'answer'];
const OF_TRACE = ['lens', 'attribution', 'decided'];

/**
 * A method of the table, with texts and small ids drawn.
 * @param {Draw} d @param {string} kind @param {string[]} [names] @returns {[string, any[]]}
 */
function ofTable(d, kind, names = Object.keys(METHODS[kind]).filter((name) => METHODS[kind][name].given)) {
  const name = d.pick(names);
  const row = METHODS[kind][name];
  const drawn = { text: d.pick(TEXTS), token: d.pick(WORDS), id: d.int(0, 50), words: [d.pick(WORDS), 'the'] };
  const given = Object.entries(row.given).filter(([, value]) => value !== undefined);
  const named = given.map(([key, value]) => [
    key,
    Object.hasOwn(drawn, key) && kind !== 'trace'
      ? drawn[key]
      : typeof value === 'function'
        ? value
        : structuredClone(value),
  ]);
  return [name, argumentsFor(row, Object.fromEntries(named))];
}

/** @type {[weight: number, make: Maker][]} */
const CALLS = [
  // operations on arrays
  ...Object.entries(ARRAYS).map(
    ([name, args]) =>
      /** @type {[number, Maker]} */ ([2, (d, { gf }) => method(gf, name, argumentsOf(name, args(d)), 'gf')]),
  ),
  [2, (d, { gf }) => method(gf, 'tensor', d.chance(0.5) ? [d.tensor([2, 3])] : [d.floats(6), [3, 2]], 'gf')],
  [1, (d, world) => ({ name: 'gf.get', args: [], run: () => read(world.gf, ['variant', 'reason', 'version']) })],
  ...DIFFERENTIABLE.map(
    (operation) =>
      /** @type {[number, Maker]} */ ([
        1,
        (d, { gf }) => {
          const given = ARRAYS[operation](d);
          let cotangent = /** @type {any} */ (1);
          try {
            const result = perform(gf, operation, given);
            if (operation !== 'crossEntropy') cotangent = d.tensor((result.output ?? result).shape);
          } catch {
            // An operation may refuse what is drawn here, a limit of 1 for one.
          }
          return { name: 'operationVjp', run: operationVjp, args: [gf, operation, given, cotangent] };
        },
      ]),
  ),

  // models
  [
    10,
    (d, world) => ({
      ...method(world.gf, 'createModel', [config(d)], 'gf'),
      made: true,
      then: (model) => world.adopt(model),
    }),
  ],
  [14, modelCall('forward', (d, entry) => [{ ...batch(d, entry.config).given, ...seen(d, entry) }], { may: PASS })],
  [
    5,
    ofModel((d, entry, world) => {
      const given = { ...batch(d, entry.config).given, ...seen(d, entry) };
      const call = method(entry.model, 'trace', [given], entry.name);
      return {
        ...call,
        may: PASS,
        made: true,
        then: (trace) => world.traces.push({ trace, of: entry }) > 4 && world.traces.shift(),
      };
    }),
  ],
  [
    4,
    (d, world) => {
      if (!world.traces.length) return undefined;
      const { trace } = d.pick(world.traces);
      const place = d.pick([{ layer: d.int(0, 2) }, { layer: d.int(0, 2), head: d.int(0, 2) }, 'output', 'logits']);
      return method(trace, d.chance(0.1) ? 'free' : 'tensor', d.chance(0.9) ? [place] : [], 'trace');
    },
  ],
  [
    3,
    ofModel((d, entry) => {
      const [name, args] = ofTable(d, 'model', OF_MODEL);
      return { ...method(entry.model, name, args, entry.name), may: PASS };
    }),
  ],
  [
    2,
    (d, world) => {
      if (!world.traces.length) return undefined;
      const { trace, of } = d.pick(world.traces);
      const [name, args] = ofTable(d, 'trace', OF_TRACE);
      return { ...method(trace, name, args, 'trace'), on: of, may: PASS };
    },
  ],
  [5, modelCall('generateSync', (d, entry, world) => [generation(d, entry, world)], { may: PASS })],
  [4, modelCall('generate', (d, entry, world) => [awaited(generation(d, entry, world))], { may: PASS })],
  [2, modelCall('initialize', (d) => [d.int(0, 2 ** 31)], { may: ['weights', 'life'], made: true })],
  [2, modelCall('tensors', () => [])],
  [2, modelCall('graph', () => [])],
  [3, modelCall('tensor', (d, entry) => [names(d, entry)[0]])],
  [2, modelCall('weights', () => [], {})],
  [
    3,
    ofModel((d, entry) => ({
      name: `${entry.name}.get`,
      args: [],
      run: () => read(entry.model, ['config', 'parameterCount']),
    })),
  ],
  [2, modelCall('view', (d, entry) => [names(d, entry)[0]])],
  [
    6,
    ofModel((d, entry, world) => {
      const other =
        things(d, world, (value) => value instanceof Map) ?? (entry.freed ? new Map() : entry.model.weights());
      const own =
        entry.freed || d.chance(0.4)
          ? other
          : new Map([...entry.model.weights()].map(([name, { shape }]) => [name, d.tensor(shape)]));
      const weights = d.chance(0.4) ? Object.fromEntries(own) : own;
      const hook = world.hook(d, weights);
      const rename = d.chance(0.2) && { rename: (/** @type {string} */ name) => (d.chance(0.3) && hook(), name) };
      const options = d.chance(0.5) ? [{ ...(d.chance(0.4) && { strict: false }), ...rename }] : [];
      return { ...method(entry.model, 'loadWeights', [weights, ...options], entry.name), may: ['weights'], made: true };
    }),
  ],
  [
    3,
    ofModel((d, entry, world) => ({
      ...method(entry.model, 'clone', d.pick(CLONES)(d), entry.name),
      made: true,
      then: (model) => world.adopt(model),
    })),
  ],
  [
    3,
    modelCall('save', (d, entry) => [
      { ...saveOptions(d, entry), ...(d.chance(0.2) && { [d.chance(0.5) ? 'float16' : 'int8']: true }) },
    ]),
  ],
  [1, ofModel((d, entry) => ({ name: 'saveModel', run: saveModel, args: [entry.model, saveOptions(d, entry)] }))],
  [
    2,
    ofModel((d, entry) => ({
      ...method(entry.model, d.chance(0.7) ? 'free' : String(Symbol.dispose && 'free'), [], entry.name),
      may: ['life', 'weights', 'moments', 'others'],
      made: true,
      frees: true,
    })),
  ],
  [
    1,
    ofModel((d, entry) =>
      d.chance(0.5)
        ? { ...method(entry.model, 'save', [{ format: 'onnx' }], entry.name), made: true }
        : {
            name: 'exportOnnx',
            run: exportOnnx,
            args: [entry.model, ...(d.chance(0.3) ? [{ inputs: ['padding'] }] : [])],
          },
    ),
  ],

  // trainers
  [
    5,
    ofModel((d, entry, world) => {
      const shards = d.chance(0.2) && { ...(d.chance(0.7) && { shards: d.int(1, 3) }), workers: 0 };
      return {
        ...method(entry.model, 'trainer', [{ ...trainerSettings(d, entry.config), ...shards }], entry.name),
        may: ['others', 'moments'],
        made: true,
        then: (trainer) => world.train(trainer, entry),
      };
    }),
  ],
  [
    2,
    trainerCall('data', (d, { config }) => {
      const set = () => d.tensor([d.int(1, 9), d.chance(0.9) ? config.d_model : d.int(1, 5)]);
      return [set(), ...(d.chance(0.2) ? [set()] : [])];
    }),
  ],
  [2, trainerCall('step', (d) => [{ draw: d.int(0, 9) }], { may: STEP, made: true })],
  [10, trainerCall('step', (d, entry) => [trainingBatch(d, entry, lossOf(entry))], { may: STEP, made: true })],
  [
    4,
    trainerCall('loss', (d, entry) => [{ ...trainingBatch(d, entry, lossOf(entry)), ...seen(d, entry) }], {
      may: PASS,
    }),
  ],
  [
    4,
    trainerCall('gradients', (d, entry) => [{ ...trainingBatch(d, entry, lossOf(entry)), ...seen(d, entry) }], {
      may: PASS,
    }),
  ],
  [1, trainerCall('train', (d, entry) => [[trainingBatch(d, entry, lossOf(entry))]], { may: STEP, made: true })],
  [2, trainerCall('snapshot', () => [])],
  [2, trainerCall('state', () => [])],
  [2, trainerCall('save', (d, entry) => [saveOptions(d, entry)])],
  [1, trainerCall('free', () => [])],
  [3, trainerCall('restore', (d, entry, world) => [snapshotFor(d, entry, world)], { may: ['weights'], made: true })],
  [
    3,
    trainerCall('resume', (d, entry, world) => [stateFor(d, entry, world)], {
      may: ['weights', 'moments'],
      made: true,
    }),
  ],
  [
    1,
    (d, world) => {
      const found = world.some(d, 'trainers');
      if (!found) return undefined;
      const file = things(d, world, isFile) ?? new Uint8Array(50);
      const on = { on: found.of, may: /** @type {Part[]} */ (['weights', 'moments']), made: true };
      if (d.chance(0.5))
        return { name: 'saveTrainer', run: saveTrainer, args: [found.trainer, saveOptions(d, found.of)] };
      return { name: 'resumeTrainer', run: resumeTrainer, args: [found.trainer, file], ...on };
    },
  ],

  // derivatives
  [
    4,
    ofModel((d, entry) => {
      const { given } = batch(d, entry.config);
      const how = entry.freed ? {} : changes(d, entry);
      const of = names(d, entry);
      delete how.capture; // they capture anyway
      const common = { on: entry, may: PASS };
      if (d.chance(0.5)) {
        const loss = d.chance(0.5) ? 'crossEntropy' : 'mse';
        const options = { ...trainingBatch(d, entry, loss), ...how, loss, of };
        return { name: 'gradients', run: gradients, args: [entry.model, options], ...common };
      }
      const along = directions(d, entry, names(d, entry));
      const cotangents = d.chance(0.5) ? along : new Map(Object.entries(along));
      return { name: 'vjp', run: vjp, args: [entry.model, { ...given, ...how, cotangents, of }], ...common };
    }),
  ],

  // files
  [
    3,
    (d, world) => ({
      name: 'readSafetensors',
      run: readSafetensors,
      args: [things(d, world, isFile) ?? new Uint8Array(20)],
    }),
  ],
  [
    3,
    (d) => {
      const given = {
        a: d.tensor([2, 2]),
        b: { data: Int32Array.of(1, 2), shape: [2] },
        c: { data: new Uint8Array(3), shape: [3] },
      };
      const options = d.chance(0.4) ? [{ float16: d.chance(0.5), metadata: { k: 'v' } }] : [];
      return {
        name: 'writeSafetensors',
        run: writeSafetensors,
        args: [d.chance(0.5) ? given : new Map(Object.entries(given)), ...options],
      };
    },
  ],
  [
    3,
    (d, world) => {
      const source = fileSource(d, world);
      const kind = d.int(0, 2);
      const call = { made: true, then: adoptFile(world) };
      if (kind === 0) return { name: 'loadModel', run: loadModel, args: [world.gf, source], ...call };
      if (kind === 1) return { name: 'checkpoints.loadModel', run: loadFrom, args: [world.gf, source], ...call };
      return {
        ...method(world.gf, 'loadModel', [source, ...(d.chance(0.3) ? [{ onProgress: () => {} }] : [])], 'gf'),
        ...call,
      };
    },
  ],
  [
    1,
    (d, world) => {
      const files = { ...structuredClone(GPT2), ...(d.chance(0.5) && { tokenizer: structuredClone(TOKENIZERS[0]) }) };
      return {
        name: 'loadCheckpoint',
        run: loadCheckpoint,
        args: [world.gf, files],
        made: true,
        then: ({ model }) => model.free(),
      };
    },
  ],
  [
    2,
    (d, world) => ({
      name: 'openSafetensors',
      run: openSafetensors,
      args: [fileSource(d, world), {}],
      made: true,
      then: (file) => world.keep(file),
    }),
  ],
  [
    2,
    (d, world) => {
      const file = things(d, world, (value) => typeof value.pieces === 'function');
      if (!file) return undefined;
      const name = d.pick([...file.tensors.keys(), 'no such']);
      if (d.chance(0.1)) return { ...method(file, 'close', [], 'file'), made: true };
      if (d.chance(0.3))
        return {
          name: 'file.pieces',
          args: [name],
          made: true,
          run: async (/** @type {any} */ of) => Array.fromAsync?.(file.pieces(of)),
        };
      return { ...method(file, 'read', [name], 'file'), made: true };
    },
  ],

  // features
  [
    2,
    (d, world) => ({
      name: 'loadFeatures',
      run: loadFeatures,
      args: [structuredClone(DICTIONARY), ...(d.chance(0.2) ? [{ processed: false }] : [])],
      made: true,
      then: (made) => world.keep(made),
    }),
  ],
  [
    14,
    (d, world) => {
      const features = things(d, world, (value) => typeof value.vector === 'function');
      if (!features) return undefined;
      const [name, args] = ofTable(d, 'features');
      const { trace } = d.chance(0.2) && world.traces.length ? d.pick(world.traces) : {};
      if (/^(encode|change)$/.test(name)) args[0] = trace ?? d.tensor([d.int(1, 3), 4]);
      return method(features, name, args, 'features');
    },
  ],

  // vocabularies and tokenizers
  [
    2,
    (d, world) => ({
      name: 'new Vocabulary',
      args: [WORDS.slice(0, d.int(1, 9))],
      run: (/** @type {any} */ words) => new Vocabulary(words),
      then: (made) => world.keep(made),
    }),
  ],
  [
    4,
    (d, world) => {
      const vocabulary = things(d, world, (value) => value instanceof Vocabulary) ?? new Vocabulary(WORDS);
      const [name, args] = ofTable(d, 'vocabulary');
      return method(vocabulary, name, args, 'vocabulary');
    },
  ],
  [
    1,
    (d, world) => ({
      name: 'loadTokenizer',
      run: loadTokenizer,
      args: [structuredClone(d.pick(TOKENIZERS))],
      made: true,
      then: (made) => world.keep(made),
    }),
  ],
  [
    3,
    (d, world) => {
      const tokenizer = things(d, world, (value) => typeof value.label === 'function');
      if (!tokenizer) return undefined;
      const [name, args] = ofTable(d, 'tokenizer');
      return method(tokenizer, name, args, 'tokenizer');
    },
  ],

  // tasks
  [
    4,
    (d, world) => {
      const task = d.pick(d.chance(0.003) ? LARGE : SMALL);
      const name = d.pick(Object.keys(TASK_METHODS).filter((each) => each in task));
      // A batch is drawn after all before it: a step of a billion takes as long as it says.
      const capped = (/** @type {unknown} */ step) => (typeof step === 'number' && step > 100 ? 100 : step);
      const cappedFrom = (/** @type {any} */ given) =>
        !types.isProxy(given) && Object.keys(Object(given)).join() === 'from' ? { from: capped(given.from) } : given;
      const run = {
        batch: (/** @type {any} */ step, /** @type {any[]} */ ...more) => task.batch(capped(step), ...more),
        batches: (/** @type {any} */ of, /** @type {any[]} */ ...more) => task.batches(of, ...more.map(cappedFrom)),
      }[name];
      const call = method(task, name, TASK_METHODS[name](d, task), task.name);
      return { ...call, ...(run && { run }), then: (result) => name === 'batch' && world.keep(result) };
    },
  ],
  [
    2,
    (d) => {
      const name = d.pick(Object.keys(MAKERS));
      return { name, run: /** @type {any} */ (Tasks)[name], args: [MAKERS[name](d)], made: true };
    },
  ],
  [
    2,
    ofModel((d, entry) => {
      const task = d.pick(Tasks.liveTasks.slice(0, 4));
      const probes = task.heldOut(0, { count: 4 });
      const run = d.pick([Tasks.examine, Tasks.headScores]);
      return { name: run.name, run, args: [entry.model, probes], may: PASS };
    }),
  ],
  [
    1,
    (d) => ({
      name: 'new Random',
      args: [d.int(0, 9), d.pick(['x', 5])],
      run: (/** @type {[number, any]} */ ...of) => new Tasks.Random(...of).next(),
    }),
  ],
  [
    2,
    (d) => {
      const random = new Tasks.Random(d.int(0, 9));
      const [name, args] = d.pick(
        /** @type {[string, any[]][]} */ ([
          ['normal', [0, 1]],
          ['integer', [d.int(1, 9)]],
          ['chance', [0.5]],
          ['choose', [[1, 2, 3]]],
          [
            'weighted',
            [
              [
                [0.5, 'a'],
                [0.5, 'b'],
              ],
            ],
          ],
          ['shuffle', [[1, 2, 3]]],
        ]),
      );
      return { ...method(random, name, args, 'random'), made: true };
    },
  ],
  [
    1,
    (d) => ({
      name: 'makeText',
      run: Tasks.makeText,
      args: ['the dog sat on the mat . '.repeat(60), { level: d.pick(['words', 'characters']) }],
      made: true,
    }),
  ],
];

/** The options of a pass beside its batch. @param {Draw} d @param {Entry} entry */
const seen = (d, entry) => ({
  ...(d.chance(0.4) && { capture: d.chance(0.8) }),
  ...(d.chance(0.05) && { maxOperations: d.pick([1, 1e9]) }),
  ...(!entry.freed && changes(d, entry)),
});

/** @param {any} object @param {string[]} properties */
const read = (object, properties) => properties.map((name) => object[name]);

/** @param {Draw} d @param {Entry} entry @param {World} world */
function snapshotFor(d, { trainer, freed }, world) {
  const found = things(d, world, (value) => isState(value) && Object.keys(value).length === 1);
  if (found && d.chance(0.5)) return { ...found };
  return freed || !trainer ? { weights: new Float32Array(4) } : attempt(() => trainer.snapshot());
}

/** @param {Draw} d @param {Entry} entry @param {World} world */
function stateFor(d, { trainer, freed }, world) {
  const found = things(d, world, (value) => isFile(value) || (isState(value) && 'steps' in value));
  if (found && d.chance(0.5)) return found instanceof Uint8Array ? found : { ...found };
  return freed || !trainer ? { steps: 1 } : attempt(() => (d.chance(0.3) ? saveTrainer(trainer) : trainer.state()));
}

/** @param {() => unknown} make what a busy or replaced trainer refuses */
function attempt(make) {
  try {
    return make();
  } catch {
    return { weights: new Float32Array(4) };
  }
}

const TOTAL = CALLS.reduce((sum, [weight]) => sum + weight, 0);

/**
 * @param {Draw} d
 * @param {World} world
 * @returns {Call}
 */
export function drawCall(d, world) {
  for (;;) {
    let at = d.int(0, TOTAL - 1);
    const [, make] = /** @type {[number, Maker]} */ (CALLS.find(([weight]) => (at -= weight) < 0));
    const call = make(d, world);
    if (call) return call; // else what it needs is not there
  }
}
