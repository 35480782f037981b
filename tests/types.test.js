// The emitted types, as a TypeScript project that uses the package sees them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from '../src/tools/types/parse.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const GOOD = `
import { load, readSafetensors, writeSafetensors, GlassformerError, type Activation, type Settings } from 'glassformer';
import type { FloatTensor, Tensor } from 'glassformer';
import { predictor, Random, tasks, type Predict } from 'glassformer/tasks';
import { gradients, vjp, type Gradients } from 'glassformer/derivatives';
import { loadFeatures, type Edit, type Features } from 'glassformer/features';
import { exportOnnx, type OnnxOptions } from 'glassformer/onnx';
import { claims, compareNumbers, type ClaimModule, type Outcome } from 'glassformer/claims';
import { GlassHeatmap, type CursorEvent } from 'glassformer/elements';
const gf = await load({ variant: 'simd' });
const model = gf.createModel({
  kind: 'decoder', vocabulary: 9, d_model: 8, heads: 2, head: 'tied', norm: 'pre', seed: 1,
});
model.loadWeights(readSafetensors(writeSafetensors(model.weights())).tensors);
const { output, logits } = model.forward({ ids: [1, 2], capture: true });
const heads: number = model.config.heads;
const activation: Activation = model.config.activation;
const settings: Settings = { activation, positions: 'learned' };
gf.createModel(settings).free();
gf.softmax(gf.tensor([[1, 2], [3, 4]])).data.at(0);
gf.attention([[1], [2]], [[1], [2]], [Float32Array.of(1), [2]], { keyPadding: [true, false] });
const vectors: FloatTensor = gf.embedding([[0n], BigInt64Array.of(1n)], [[1, 2], [3, 4]]);
vectors satisfies Tensor<Float32Array>;
gf.argmax(vectors) satisfies Tensor<Int32Array>;
// @ts-expect-error ids are no floats
gf.argmax(vectors) satisfies FloatTensor;
model.forward({ ids: BigInt64Array.of(1n), padding: [[0, 1]] });
const data: Float32Array = (logits ?? output).data;
const known: Float32Array[] = [model.forward({ ids: [1], mask: 'causal' }).logits.data, logits.data];
known.push(model.clone({ scoreScale: false }).forward({ ids: [1] }).logits.data);
const absent: undefined = gf.createModel().forward({ ids: [1] }).logits;
const either: Float32Array | undefined = gf.createModel(settings).forward({ ids: [1] }).logits?.data;
known.push(model.tensor({ name: \`decoder.layers.\${heads}.self_attn.weights\`, batch: 0, head: 1 }).data);
known.push(model.view('decoder.layers.0.linear1.bias'));
const tokens: Int32Array = model.tensor('decoder.ids').data;
const bits: Uint8Array = model.tensor('decoder.padding').data;
const parts = { config: '/config.json', weights: '/model.safetensors', tokenizer: '/tokenizer.json' };
const whole = await gf.loadModel(parts);
const encoded: number[] = whole.tokenizer.encode('a creek');
const texts: string[] = whole.tokenizer.encode('a creek').tokens;
const rows: number[][] = whole.tokenizer.encode(['a creek', 'a dog']);
whole.tokenizer.decode(whole.tokenizer.encode('a creek')) satisfies string;
whole.model.forward(whole.tokenizer.encode('a creek'));
class Template {
  render = () => '';
}
const chat = { jinja: Template, template: '', addGenerationPrompt: false, variables: { enable_thinking: false } };
(await whole.tokenizer.chat([{ role: 'user', content: 'a creek' }], chat)) satisfies number[];
const family: string = (await gf.loadModel('hub:openai-community/gpt2')).family;
console.log(known, absent, either, tokens, bits, texts, encoded, rows, family);
const trainer = model.trainer({ learningRate: 1e-3, schedule: 'cosine', steps: 9 });
const { loss, gradientNorm } = trainer.step({ ids: [1, 2], labels: [2, 3] });
trainer.loss({ ids: [1, 2], labels: [2, 3], temperature: 2, ablate: [{ head: 0 }] });
const pulled: Gradients = vjp(model, { ids: [1], cotangents: { output }, of: ['decoder.embedding'] });
const sensitivity: Float32Array = gradients(model, { ids: [1], labels: [2], of: ['x'] }).gradients.get('x')!.data;
console.log(pulled.overflow?.length, sensitivity);
const opened = await gf.loadModel(fetch('/creek.safetensors'));
const ids: number[] = opened.tokenizer!.encode('the creek').ids;
const said = { vocabulary: opened.tokenizer, recipe: { steps: 3 } };
const file: Uint8Array = await opened.model.save({ ...said, float16: true });
const saved: string = opened.tokenizer!.decode(opened.model.generateSync({ ids, maxTokens: 3 }).newIds);
await opened.trainer?.resume(await trainer.save({ vocabulary: ['a'] }));
opened.trainer?.resume(trainer.state()) satisfies void;
console.log(file, saved);
const how: OnnxOptions = { inputs: ['padding'] };
const graphs: Uint8Array[] = [exportOnnx(opened.model, how), await opened.model.save({ format: 'onnx' })];
const features: Features = await loadFeatures('hub:a/b/c', { model, normScaling: 2, cache: false });
const edits: Edit[] = [{ feature: 3, set: 0 }];
const traced = model.trace({ ids: [1] });
known.push(features.encode(traced).data, features.encode([[1, 2]]).data, features.vector(3));
known.push(features.decode([1], traced).data, features.change(traced, edits).data);
console.log(graphs.length, features.at, features.active?.toFixed(), features.save().length);
try {
  model.free();
} catch (error) {
  if (error instanceof GlassformerError) console.log(error.code, error.parameter, error.value);
}
const map: GlassHeatmap = document.createElement('glass-heatmap');
map.matrix = { data, rows: 2, columnLabels: ['a', 'b'], scale: { low: 0, high: 2 }, mask: [[true, false], [0, 1]] };
map.data = [[0.5]];
map.matrix = model.tensor('decoder.layers.0.self_attn.weights');
map.addEventListener('cursor', (event: CursorEvent) => console.log(event.detail.value, map.value, map.cursor.row));
map.addEventListener('click', (event) => console.log(event.clientX));
const [card]: readonly ClaimModule[] = claims;
const numbers = await card.run(gf, { seeds: 1 }, (share) => share.toFixed(2), AbortSignal.timeout(1000));
const shown: Outcome = card.outcome(numbers);
console.log(shown.kind === 'sentence' ? shown.verdict : shown.found, compareNumbers(card.claim, numbers)[0].within);
const normal: number = new Random(1, 'noise').normal(0, 0.5);
const predict: Predict = predictor(model);
console.log(heads, data, loss + gradientNorm, Object.keys(tasks), normal, predict);
`;

/** For a program without the DOM's types. */
const BARE = `
import { load } from 'glassformer';
import { load as loadGiven } from 'glassformer/core';
import simd from 'glassformer/simd.wasm';
for (const wasm of [simd, '/simd.wasm', new Uint8Array(8), Promise.resolve(new ArrayBuffer(8))])
  (await load({ wasm })).softmax({ data: [1], shape: [1] });
await loadGiven({ wasm: simd, variant: 'simd' });
`;

const WORKER = `
import { loadFeatures } from 'glassformer/features';
import { load as loadEither, type Engine, type Model, type RemoteEngine } from 'glassformer';
import { load, connect, serve, GlassformerError, type RemoteModel, type RemoteTrainer } from 'glassformer/worker';
const gf = await load({ variant: 'simd', maxOperations: 1e9 });
const model: RemoteModel = await gf.createModel({ kind: 'decoder', vocabulary: 9, head: 'tied' });
type Missing = Exclude<keyof Model, keyof RemoteModel | 'view' | 'generateSync'>;
const complete: [Missing] extends [never] ? true : false = true;
const tied = await gf.createModel({ kind: 'decoder', vocabulary: 9, head: 'tied' });
const sure: Float32Array[] = [(await tied.forward({ ids: [1] })).logits.data];
sure.push((await tied.tensor({ name: 'x', head: 1 })).data);
const heads: number = model.config.heads;
const signal = { aborted: false, reason: undefined, throwIfAborted() {} };
const { output } = await model.forward({ ids: [1, 2], signal });
const ids: number[] = (await model.generate({ ids: [1], maxTokens: 3, signal })).newIds;
for await (const { id } of model.generate({ ids: [1], maxTokens: 3, topP: 0.9, stop: [[1, 2]], signal })) ids.fill(id);
const newText: string | undefined = (await model.generate('the creek', { stop: ['.', [3]] })).newText;
const rows: string[] = (await model.generate(['a', 'b'])).map(({ newText = '' }) => newText);
for await (const { text = '', row, endedBy } of model.generate('a')) rows[row] += text + endedBy;
const trainer: RemoteTrainer = await model.trainer({ learningRate: 1e-3 });
const reports = await trainer.train([{ ids: [1, 2], labels: [2, 3] }], { onProgress: ({ loss }) => loss < 9, signal });
const weights: Map<string, { data: Float32Array }> = await model.weights();
const graph: Uint8Array = await model.save({ format: 'onnx', inputs: ['mask'] });
const features = await loadFeatures({ config: '/cfg.json', weights: '/sae_weights.safetensors' }, { model });
sure.push((await features.encode(await model.trace([1]))).data);
// @ts-expect-error a worker shares no memory
model.view('x');
const far: RemoteEngine = await loadEither({ worker: true, threads: 2 });
const near: Engine = await loadEither({ worker: false });
const threads: number = far.threads + (await loadEither()).threads + near.createModel({}).parameterCount;
const vector: Float32Array = (await model.embed(['a', 'b'], { pooling: 'first', signal })).data;
const label: string = (await model.classify('a', { signal }))[0].label;
const bytes: Promise<number> = model.forwardBytes({ ids: [1] });
// @ts-expect-error threads are those of a worker
await loadEither({ threads: 2 });
far.terminate();
await model.free();
gf.terminate();
const made = [threads, vector, label, bytes, complete, sure, graph];
const rest = [heads, output.data, ids, reports[0].step, trainer.steps, weights];
export const all = [...made, ...rest, connect, serve, GlassformerError];
`;

const SOURCES = `
import { load } from 'glassformer/core';
import simd from 'glassformer/simd.wasm';
const module: WebAssembly.Module = simd;
const view = new DataView(new ArrayBuffer(8));
for (const wasm of [module, fetch('x'), new Response(), new Blob(), new URL('https://a.example'), view])
  await load({ wasm });
`;

/**
 * The complaints of tsc about files of ours, in both ways of resolving a package: the files of each, and its words.
 * @param {string[]} codes
 */
function complaints(codes, lib = 'es2022,dom') {
  // below the package's own folder, so that its published name resolves
  const folder = mkdtempSync(join(root, 'dist', 'types-'));
  try {
    const files = codes.map((code, i) => {
      const file = join(folder, `user${i}.mts`);
      writeFileSync(file, code);
      return file;
    });
    return Object.entries({ bundler: 'esnext', nodenext: 'nodenext' }).map(([resolution, module]) => {
      const args = ['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2022', '--lib', lib, '--types', ''];
      args.push('--pretty', 'false', '--moduleResolution', resolution, '--module', module, ...files);
      const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), args, { cwd: root, encoding: 'utf8' });
      const named = codes.filter((_, i) => stdout.includes(`user${i}.mts(`));
      assert.equal(status === 0, stdout === '', stdout);
      return { named, stdout };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('a strict TypeScript user gets no complaint, nor does one without the types of the DOM, or with `using`', () => {
  const code = "import { load } from 'glassformer'; { using model = (await load()).createModel(); model.graph(); }";
  for (const { stdout } of [
    ...complaints([GOOD, BARE, WORKER, SOURCES]),
    ...complaints([BARE, WORKER], 'es2022'),
    ...complaints([code], 'es2022,dom,esnext.disposable'),
  ])
    assert.equal(stdout, '');
});

test('a mistyped setting, a wrong choice and a missing input are complaints', () => {
  const bad = [
    "gf.createModel({ kindd: 'encoder' });",
    "gf.createModel({ norm: 'after' });",
    "gf.createModel({ activation: 'swish' });",
    "gf.createModel({}).trainer({ schedule: 'never' });",
    "gf.createModel({ head: 'tied', kindd: 'encoder' });",
    'gf.createModel({}).forward({ ids: [1] }).logits.data;',
    "const data: Float32Array = gf.createModel().tensor('encoder.ids').data;",
    "load({ variant: 'fast' });",
    "import('glassformer/features').then(({ loadFeatures }) => loadFeatures({ config: '/cfg.json' }));",
    "import('glassformer/core').then(({ load }) => load({}));",
    'gf.softmax({});',
    "gf.softmax([['1']]);",
    "gf.createModel({ layers: 'two' });",
    "import('glassformer/elements').then(({ GlassHeatmap }) => new GlassHeatmap().scale = 'log');",
  ].map((line) => `import { load } from 'glassformer';\nconst gf = await load();\n${line}\n`);
  for (const { named, stdout } of complaints(bad)) assert.deepEqual(named, bad, stdout);
});

test('what the types name stands among them', () => {
  const folder = join(root, 'dist/types');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = files.flatMap((entry) => {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const found = readFileSync(path, 'utf8').matchAll(/(?:\bimport\(|\bfrom )['"](\.[^'"]*)['"]/g);
    return [...found].map(([, name]) => join(dirname(path), name.replace(/\.js$/, '.d.ts')));
  });
  assert(names.length > 50, `${names.length}`);
  assert.deepEqual(
    names.filter((name) => !name.startsWith(folder) || !existsSync(name)),
    [],
  );
});

test('TypeScript before 5.6, whose iterables take one type argument, can read the types', () => {
  const folder = join(root, 'dist/types');
  const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const used = texts.flatMap((text) =>
    [...text.matchAll(/\b(?:Async)?Iterable</g)].map(({ 0: word, index }) => {
      let depth = 0;
      let inner = '';
      for (const sign of text.slice(index + word.length - 1).replaceAll('=>', '  ')) {
        if (/[<({[]/.test(sign)) depth++;
        if (/[>)}\]]/.test(sign) && !--depth) break;
        if (depth === 1) inner += sign;
      }
      return `${word}${inner.slice(1)}`;
    }),
  );
  assert(used.length > 3, `${used}`);
  assert.deepEqual(
    used.filter((type) => type.includes(',')),
    [],
  );
});

test('a setting is documented where it is typed', () => {
  const text = readFileSync(join(root, 'dist/types/dist/generated/settings.d.ts'), 'utf8');
  assert.match(text, /\* attention heads of a layer; .*0 to 65536 \[4\]\s+\*\/\s+heads: number;/);
  assert.match(text, /\/\*\*[^/]*\['adamw'\]\s+\*\/\s+optimizer\?: Optimizer\b/);
});

/** Members of the exported types of a .d.ts file that no comment stands before. @param {string} text */
function uncommented(text) {
  return parse(text).flatMap(({ text: statement, names }) => {
    if (!/^export (interface \w|type \w+(<[^]*?>)? = \{)/.test(statement)) return [];
    let depth = 0;
    const lines = statement.split('\n');
    return lines.flatMap((line, i) => {
      const bare = line.replace(/\/\*.*|^ *\*.*/, '');
      const [, name] = (depth === 1 && /^ +(?:readonly )?(\w+)\??:/.exec(bare)) || [];
      depth += (bare.match(/[{(]/g)?.length ?? 0) - (bare.match(/[})]/g)?.length ?? 0);
      return name && !/\*\/\s*$/.test(lines[i - 1]) ? [`${names[0]}.${name}`] : [];
    });
  });
}

test('every member of an exported type has a comment', () => {
  assert.deepEqual(
    uncommented(
      'export interface A {\n  /** b */\n  b: 1;\n  c?: {\n    d: 1;\n  };\n}\nexport type E = {\n    f: 1;\n};',
    ),
    ['A.c', 'E.f'],
  );
  const folder = join(root, 'dist/types');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.d.ts'));
  assert.ok(files.length > 30);
  assert.deepEqual(
    files.flatMap((path) => uncommented(readFileSync(join(folder, path), 'utf8'))),
    [],
  );
});
