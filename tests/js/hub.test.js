// Models of the hub by name: the same bits as from their folder, one commit, breaks, refusals.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { after, test } from 'node:test';
import { load, readSafetensors, writeSafetensors } from 'glassformer';
import { HUB, STORE, TOKEN, answerAsReal, filesIn, pointer, startHub } from '../hub.js';

const gf = await load({ variant: 'simd' });
const folder = new URL('../checkpoints/', import.meta.url);
const gpt2 = filesIn(new URL('gpt2-2l/', folder));
const entries = [...readSafetensors(gpt2['model.safetensors']).tensors];
const WIDER = 512;
const shards = ['a.safetensors', 'b.safetensors'];
/** Without the masks, which no model needs. */
const weights = entries.filter(([name]) => !/\.attn\.(masked_)?bias$/.test(name));
const split = (/** @type {number} */ from, /** @type {number} */ to) =>
  Buffer.from(writeSafetensors(new Map(entries.slice(from, to))));
const json = (/** @type {unknown} */ value) => Buffer.from(JSON.stringify(value));
const hub = await startHub({
  'test/gated': gpt2,
  'test/split': {
    'config.json': gpt2['config.json'],
    'model.safetensors.index.json': json({
      weight_map: Object.fromEntries(entries.map(([name], i) => [name, shards[Number(i >= 9)]])),
    }),
    [shards[0]]: split(0, 9),
    [shards[1]]: split(9, entries.length),
  },
  'test/mirrored': gpt2,
  'test/pointer': { ...gpt2, 'model.safetensors': pointer },
  'test/bare': { 'config.json': gpt2['config.json'] },
  'test/mixtral': { 'config.json': json({ model_type: 'mixtral' }), 'tokenizer.json': Buffer.alloc(10) },
  'test/huge': {
    'config.json': json({ ...JSON.parse(String(gpt2['config.json'])), n_embd: 32 * WIDER }),
    'model.safetensors': headerOf(
      Object.fromEntries(
        weights.map(([name, { shape }]) => [
          name,
          [...shape].map((size, axis) => (/w[tp]e/.test(name) && axis === 0 ? size : size * WIDER)),
        ]),
      ),
    ),
  },
});
after(() => hub.close());
const { endpoint } = hub;
const ids = [5, 80, 12, 33];

/** A file that says it has tensors, and ends after its header. @param {Record<string, number[]>} shapes */
function headerOf(shapes) {
  let end = 0;
  const header = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => {
      const begin = end;
      end += 4 * shape.reduce((product, size) => product * size, 1);
      return [name, { dtype: 'F32', shape, data_offsets: [begin, end] }];
    }),
  );
  const text = JSON.stringify(header);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(text.length));
  return Object.assign(Buffer.concat([length, Buffer.from(text)]), { promised: 8 + text.length + end });
}

/** @param {string} name @param {object} [options] */
async function logits(name, options = { endpoint }) {
  const given = name.startsWith('hub:') ? { cache: false, ...options } : options;
  const { model, tokenizer } = await gf.loadModel(name, given);
  const typeIds = model.config.types ? { typeIds: ids.map(() => 0) } : {};
  const { data } = /** @type {any} */ (model.forward({ ids, ...typeIds }).logits);
  model.free();
  return { data: [...data], tokenizer };
}
const wanted = (await logits(new URL('gpt2-2l/', folder).pathname, {})).data;

for (const name of ['bert-2l', 'distilbert-2l', 'gpt2-2l', 'gpt-neo-4l']) {
  test(`${name} by name: every bit as from its folder`, async () => {
    const here = await logits(new URL(`${name}/`, folder).pathname, {});
    const there = await logits(`hub:test/${name}`);
    assert.deepEqual(there.data, here.data);
    assert.deepEqual(there.tokenizer?.encode('The creek').ids, here.tokenizer?.encode('The creek').ids);
  });
}

test('the weights are asked for before their index, and all files at the commit of the first', async () => {
  hub.asked.length = 0;
  /** @type {{loaded: number, total: number}[]} */
  const steps = [];
  await logits('hub:test/gpt2-2l', { endpoint, onProgress: (/** @type {any} */ step) => void steps.push(step) });
  const [first, ...others] = hub.asked.filter((each) => each.includes('/resolve/'));
  assert.equal(first, '/test/gpt2-2l/resolve/main/config.json');
  const later = /^\/test\/gpt2-2l\/resolve\/[\da-f]{40}\/(tokenizer|model|generation_config|tokenizer_config)\.\w+$/;
  for (const each of others) assert.match(each, later);
  assert.ok(steps.length > 0 && steps.every(({ loaded, total }) => loaded <= total && total > 150_000));
  hub.asked.length = 0;
  assert.deepEqual((await logits('hub:test/split', { endpoint, revision: 'refs/pr/1' })).data, wanted);
  assert.ok(hub.asked.includes('/test/split/resolve/refs/pr/1/config.json'));
  assert.ok(hub.asked.some((each) => each.endsWith('model.safetensors.index.json')));
});

test('a connection that breaks goes on at its byte; a file that is another meanwhile is refused', async () => {
  const store = () => hub.asked.filter((each) => each.startsWith('store'));
  for (const moves of [false, true]) {
    hub.asked.length = 0;
    hub.break(9000, moves);
    const opened = logits('hub:test/gpt2-2l');
    if (moves) await assert.rejects(opened, { code: 'format', message: /the file has changed/ });
    else assert.deepEqual((await opened).data, wanted);
    assert.deepEqual(store(), ['store', 'store bytes=9000-']);
  }
});

test('what is refused says why in one sentence, keeps the cause, and takes no memory', async () => {
  const before = gf.memoryBytes;
  /** @type {[string, string, RegExp][]} */
  const cases = [
    [
      'hub:test/gated',
      'network',
      /^hub:test\/gated: is gated: its makers give access on request\. Ask for it at http.*\/test\/gated, then give/,
    ],
    ['hub:test/mirrored', 'network', /^hub:test\/mirrored: is gated: its makers give access on request/],
    [
      'hub:test/none',
      'notFound',
      /^hub:test\/none: 127\.0\.0\.1:\d+ has no such model, or it is private: check the name$/,
    ],
    ['hub:test/private', 'notFound', /has no such model, or it is private: check the name$/],
    ['hub:test/down', 'network', /127\.0\.0\.1:\d+ answered with status 503: try again later$/],
    ['hub:test/disabled', 'network', /refuses access: Access to this resource is disabled\.$/],
    ['hub:test/busy', 'network', /has had too many requests from here: wait some minutes$/],
    ['hub:test/bare', 'notFound', /no file at .*model\.safetensors: error, got 404$/],
    ['hub:test/pointer', 'format', /is a pointer of Git LFS: fetch the file by git lfs pull$/],
    ['hub:test/mixtral', 'unsupported', /mixtral/],
  ];
  for (const [name, code, message] of cases) await assert.rejects(logits(name), { code, message }, name);
  await assert.rejects(logits('hub:test/gpt2-2l', { endpoint, revision: 'v9' }), {
    code: 'notFound',
    message: 'hub:test/gpt2-2l: has no revision v9',
    cause: 404,
  });
  await assert.rejects(logits('hub:test/huge'), {
    code: 'memory',
    message:
      /^file: its weights take [\d,]{13,} bytes\. The engine has at most 2,147,483,648, .*call free\(\) of other/,
  });
  await assert.rejects(logits('hub:test/gpt2-2l', { endpoint: 'http://127.0.0.1:1' }), (/** @type {any} */ error) => {
    assert.match(
      error.message,
      /^hub:test\/gpt2-2l: 127\.0\.0\.1:1 could not be reached \([^)]+\): check the network$/,
    );
    return error.code === 'network' && error.cause instanceof TypeError;
  });
  assert.ok(
    !hub.asked.some((each) => each.includes('mixtral') && each.includes('tokenizer')),
    'its tokenizer is not asked for',
  );
  const stop = new AbortController();
  const why = new Error('enough');
  await assert.rejects(
    logits('hub:test/gpt2-2l', { endpoint, signal: stop.signal, onProgress: () => stop.abort(why) }),
    why,
  );
  await assert.rejects(logits('hub:test/gpt2-2l', { endpoint, signal: AbortSignal.abort(why) }), why);
  assert.equal(gf.memoryBytes, before);
});

test('a gated model opens with a token, which the hub alone gets, and no error shows', async () => {
  hub.authorized.length = 0;
  assert.deepEqual((await logits('hub:test/gated', { endpoint, token: TOKEN })).data, wanted);
  assert.ok(hub.authorized.length > 3, 'each file of the hub is asked for with it');
  assert.deepEqual(new Set(hub.authorized), new Set([`hub Bearer ${TOKEN}`]));
  hub.authorized.length = 0;
  await logits('hub:test/gpt2-2l');
  assert.deepEqual(hub.authorized, []);

  const secret = 'hf_secret';
  /** @type {[string, object, string, RegExp][]} */
  const refused = [
    ['hub:test/gated', { endpoint, token: secret }, 'network', /on request\. This token has none: ask for it at http/],
    ['hub:test/none', { endpoint, token: secret }, 'notFound', /no such model, or the token may not read it/],
    ['hub:test/gated', { endpoint, token: `${secret} ` }, 'format', /^token: must be an access token/],
    ['hub:test/gated', { endpoint, token: [secret] }, 'type', /^token: must be an access token/],
    ['hub:test/gated', { endpoint: 'http://127.0.0.1:1', token: secret }, 'network', /could not be reached/],
    [new URL('gpt2-2l/', folder).pathname, { token: secret }, 'unknown', /^token: unknown/],
  ];
  for (const [name, options, code, message] of refused)
    await assert.rejects(logits(name, options), (/** @type {any} */ error) => {
      assert.equal(error.code, code, name);
      assert.match(error.message, message);
      assert.ok(!inspect(error, { depth: 9 }).includes(secret), 'the token is not shown');
      return true;
    });
});

test('what is kept of a gated model has no token in it', async () => {
  /** @type {Map<string, {text: string, headers: string}>} */
  const kept = new Map();
  const cache = {
    get: () => undefined,
    put: async (/** @type {string} */ key, /** @type {Response} */ response) =>
      void kept.set(key, { text: await response.text(), headers: JSON.stringify([...response.headers]) }),
  };
  await logits('hub:test/gated', { endpoint, token: TOKEN, cache });
  assert.ok(kept.size > 3);
  assert.ok(!JSON.stringify([...kept]).includes(TOKEN));
});

test('the real hub: its own addresses and stores alone, without cookies or referrer', async () => {
  const real = globalThis.fetch;
  /** @type {any[]} */
  const inits = [];
  const asked = new Set();
  /** Answers as the network would. @type {any} */
  globalThis.fetch = async (/** @type {string} */ address, /** @type {any} */ init) => {
    inits.push(init);
    asked.add(new URL(address).origin);
    globalThis.fetch = real;
    const response = await answerAsReal(hub, address, init);
    globalThis.fetch = stand;
    return response ?? new Response('weights');
  };
  const stand = globalThis.fetch;
  try {
    assert.deepEqual((await logits('hub:test/gpt2-2l', {})).data, wanted);
    for (const { credentials, referrerPolicy } of inits)
      assert.deepEqual([credentials, referrerPolicy], ['omit', 'no-referrer']);
    await assert.rejects(logits('hub:test/elsewhere', {}), {
      code: 'format',
      message:
        /huggingface\.co sent this request on to https:\/\/huggingface\.co\.evil\.example, which is not trusted$/,
    });
    assert.deepEqual(asked, new Set([HUB, STORE]), 'nor is it asked');
  } finally {
    globalThis.fetch = real;
  }
});

test('a name without hub:, a folder without / and a revision of a folder say what to write', async () => {
  await assert.rejects(logits('openai-community/gpt2', {}), {
    code: 'notFound',
    message: 'file: there is no such file; did you mean hub:openai-community/gpt2?',
  });
  for (const [name, meant] of [
    ['gpt2', 'hub:owner/gpt2, with its owner at huggingface.co'],
    ['creek', "import.meta.resolve('glassformer/models/creek')"],
  ])
    await assert.rejects(logits(name, {}), {
      code: 'notFound',
      message: `file: there is no such file; did you mean ${meant}?`,
    });
  await assert.rejects(logits('tests/checkpoints/none.safetensors', {}), /ENOENT/);
  const file = new URL('gpt2-2l/', folder).pathname;
  await assert.rejects(logits(file, { revision: 'main' }), { code: 'unknown', parameter: 'revision' });
  // A folder needs no / at its end.
  assert.ok(await logits(fileURLToPath(new URL('gpt2-2l', folder)), {}));
  await assert.rejects(logits('tests/checkpoints', {}), {
    code: 'notFound',
    message: 'file: there is no such folder, or no config.json in it, got "tests/checkpoints/"',
  });
});
