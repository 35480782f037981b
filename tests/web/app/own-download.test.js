// The download of a model by its name, in Node: cancelled, broken or moved, it goes on where it was, or says why.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createHub } from '../../../web/app/own/hub.js';
import { filesIn } from '../../hub.js';

const FILES = filesIn(new URL('../../checkpoints/gpt2-2l/', import.meta.url));
const WEIGHTS = FILES['model.safetensors'];
const sizes = Object.entries(FILES).map(([name, { length }]) => ({ name, size: length }));
const FACTS = {
  title: 'test/gpt2-2l',
  commit: 'c'.repeat(40),
  family: 'gpt2',
  license: 'mit',
  memory: WEIGHTS.length,
  files: sizes,
  bytes: sizes.reduce((sum, { size }) => sum + size, 0),
};
const { fetch } = globalThis;
after(() => Object.assign(globalThis, { fetch }));

/**
 * Downloads the model; each request for its weights gets the next answer.
 * @param {{to?: number, then?: 'end' | 'break' | 'cancel' | 'again', tag?: string, status?: number,
 *   range?: string}[]} answers
 *   to: the byte where it ends, breaks or is cancelled; again: it comes without end; status: 200 without ranges
 * @param {number} [clicks] of the reader
 */
async function download(answers, clicks = 1) {
  /** @type {(string | undefined)[]} of the weights */
  const ranges = [];
  /** @type {import('../../../web/app/own/hub.js').HubData[]} */
  const drawn = [];
  /** @type {File[][]} */
  const opened = [];
  const hub = createHub(
    (data) => drawn.push(data),
    (files) => opened.push(files),
  );
  Object.assign(globalThis, {
    async fetch(/** @type {string} */ address, /** @type {any} */ { headers, signal }) {
      const name = String(address.split('/').pop());
      if (name !== 'model.safetensors') return new Response(new Uint8Array(FILES[name]));
      ranges.push(headers.Range);
      const from = Number(/\d+/.exec(headers.Range)?.[0] ?? 0);
      const { to, then = 'end', tag = '"1"', status = from ? 206 : 200, range } = answers.shift() ?? {};
      let sent = false;
      const body = new ReadableStream({
        start: (controller) => signal.addEventListener('abort', () => controller.error(signal.reason)),
        pull(controller) {
          if (!sent) controller.enqueue(new Uint8Array(WEIGHTS.subarray(status === 206 ? from : 0, to)));
          else if (then === 'end') controller.close();
          else if (then === 'again') controller.enqueue(new Uint8Array(WEIGHTS));
          else if (then === 'break') controller.error(new TypeError('network error'));
          else hub.cancel();
          sent = true;
        },
      });
      const right = `bytes ${from}-${WEIGHTS.length - 1}/${WEIGHTS.length}`;
      const part = status === 206 ? { 'content-range': range ?? right } : {};
      const response = new Response(body, { status, headers: { etag: tag, ...part } });
      if (range !== '') return response;
      response.headers.delete('content-range');
      return Object.defineProperty(response, 'type', { value: 'cors' }); // it is hidden
    },
  });
  for (let click = 0; click < clicks; click++) await hub.download(FACTS);
  const files = await Promise.all(
    (opened[0] ?? []).map(async (file) => [file.name, Buffer.from(await file.arrayBuffer())]),
  );
  if (files.length) assert.deepEqual(Object.fromEntries(files), FILES);
  return { ranges, opened: files.length > 0, refused: drawn.map(({ refused }) => refused).filter(Boolean), drawn };
}

test('cancelled, it keeps what has come: the next click asks for the rest', async () => {
  const { ranges, opened, refused, drawn } = await download([{ to: 9000, then: 'cancel' }], 2);
  assert.deepEqual([ranges, opened], [[undefined, 'bytes=9000-'], true]);
  assert.match(refused[0], /^“test\/gpt2-2l” was not opened: it was cancelled\. The part already downloaded is kept/);
  const shares = drawn.flatMap(({ done }) => done ?? []);
  assert(shares.at(-1) === 1 && shares.some((share) => share > 0 && share < 1), String(shares));
});

test('a connection that breaks goes on at its byte; another file, or one without ranges, begins anew', async () => {
  const cut = /** @type {const} */ ({ to: 9000, then: 'break' });
  const twice = await download([cut, { to: 20_000, then: 'break' }]);
  assert.deepEqual([twice.ranges, twice.opened], [[undefined, 'bytes=9000-', 'bytes=20000-'], true]);
  const moved = await download([cut, { tag: '"2"' }, { tag: '"2"' }]);
  assert.deepEqual([moved.ranges, moved.opened], [[undefined, 'bytes=9000-', undefined], true]);
  const whole = await download([cut, { status: 200 }]);
  assert.deepEqual([whole.ranges, whole.opened], [[undefined, 'bytes=9000-'], true]);
});

test('another part than was asked for is refused, and not kept; a range that is hidden is no other', async () => {
  const cut = /** @type {const} */ ({ to: 9000, then: 'break' });
  const [size, last] = [WEIGHTS.length, WEIGHTS.length - 1];
  const others = [
    `bytes 0-${last}/${size}`,
    `bytes 8999-${last}/${size}`,
    `bytes 9000-${size}/${size + 1}`,
    'bytes */9',
  ];
  for (const range of others) {
    const { opened, refused, ranges } = await download([cut, { range }], 2);
    assert.match(refused[0], /was not opened: huggingface\.co sent another part of a file than this page asked for/);
    assert.deepEqual([ranges, opened], [[undefined, 'bytes=9000-', 'bytes=9000-'], true], 'then with every byte');
  }
  const first = await download([{ status: 206, range: `bytes 0-${last}/${size}` }], 1);
  assert.deepEqual([first.opened, first.ranges], [false, [undefined]], 'nobody asked for a part');
  const hidden = await download([cut, { range: '' }]);
  assert.deepEqual([hidden.ranges, hidden.opened], [[undefined, 'bytes=9000-'], true]);
});

test('a file that ends early, or is longer than was said, is refused; a second click begins anew', async () => {
  for (const [answer, why] of /** @type {const} */ ([
    [{ to: 0 }, /was not opened: the connection ended too early: try again\.$/],
    [{ then: 'again' }, /was not opened: model\.safetensors is longer than huggingface\.co said\.$/],
  ])) {
    const { ranges, opened, refused } = await download([answer], 2);
    assert.match(refused[0], why);
    assert.deepEqual([ranges, opened], [[undefined, undefined], true]);
  }
});

/**
 * The page's facts about a model.
 * @param {string} text that huggingface.co answers
 * @param {object} [settings] of its config.json, in place of others
 */
async function lookUp(text, settings = {}) {
  const config = JSON.stringify({ ...JSON.parse(String(FILES['config.json'])), ...settings });
  /** @type {import('../../../web/app/own/hub.js').HubData[]} */
  const drawn = [];
  const hub = createHub((data) => drawn.push(data), assert.fail);
  /** @type {string[]} */
  const asked = [];
  const answer = (/** @type {string} */ address) => {
    asked.push(String(address.split('/').pop()));
    return new Response(address.endsWith('/config.json') ? config.padEnd(CONFIG_SIZE) : text);
  };
  Object.assign(globalThis, { fetch: async (/** @type {string} */ address) => answer(address) });
  await hub.lookUp('test/gpt2-2l');
  return { asked, .../** @type {any} */ (drawn.at(-1)) };
}

const CONFIG_SIZE = 600;
const INFO = {
  sha: FACTS.commit,
  gated: false,
  tags: ['license:mit'],
  cardData: { license: 'mit' },
  config: { model_type: 'gpt2' },
  safetensors: { total: 40_000 },
  siblings: FACTS.files.map(({ name, size }) => ({
    rfilename: name,
    size: name === 'config.json' ? CONFIG_SIZE : size,
  })),
};

test('a model that is gated, too large or not computed is refused before its weights are asked for', async () => {
  const llama = { model_type: 'llama', hidden_size: 32, num_hidden_layers: 2, num_attention_heads: 4 };
  for (const [changes, settings, why] of /** @type {[object, object, RegExp][]} */ ([
    [
      { gated: 'manual' },
      {},
      /it is gated: its makers give access on request\. Ask for it at huggingface\.co\/test\/gpt2-2l, download/,
    ],
    [
      { config: { model_type: 'mixtral' } },
      {},
      /its family is mixtral, which needs mixtures of experts, and this page/,
    ],
    [
      { config: { model_type: 'llama' } },
      { ...llama, rope_scaling: { type: 'yarn', factor: 4 } },
      /its config\.rope_scaling\.type: must be one of default, linear, llama3: .* are not computed here, got "yarn"\.$/,
    ],
    [
      {},
      { ...llama, partial_rotary_factor: 0.5 },
      /its config\.partial_rotary_factor: must be 1: .* turn whole heads, got 0\.5\.$/,
    ],
    [{}, { n_head: 'four' }, /its config\.n_head: must be an integer/],
    [
      { safetensors: { parameters: { BF16: 1_235_814_400 }, total: 1_235_814_400 } },
      {},
      /it needs 2\.5 GB of memory, and a page has 2\.1 GB/,
    ],
  ])) {
    const { refused, facts, asked } = await lookUp(JSON.stringify({ ...INFO, ...changes }), settings);
    assert.match(refused, why);
    assert.equal(facts, null);
    assert.ok(
      asked.every((/** @type {string} */ name) => /^(main\?blobs=true|config\.json)$/.test(name)),
      asked.join(),
    );
  }
});

test('the memory that a model needs: large 16-bit files as they are, others in 32 bits, or rounded', async () => {
  for (const [parameters, memory, rounded] of /** @type {const} */ ([
    [{ F32: 4e7 }, 1.6e8, false],
    [{ BF16: 774e6 }, 1548e6, false],
    [{ F16: 774e6 }, 1548e6, false],
    [{ BF16: 134_515_008 }, 269_030_016, false], // SmolLM2-135M
    [{ F16: 1e6 }, 4e6, false],
    [{ F16: 4e7, F32: 10 }, 160_000_040, false],
    [{ F32: 774e6 }, 1548e6, true],
    [{ F32: 2e9 }, null, false],
  ])) {
    const total = Object.values(parameters).reduce((sum, count) => sum + count, 0);
    const { facts, refused } = await lookUp(JSON.stringify({ ...INFO, safetensors: { parameters, total } }));
    if (memory === null) assert.match(refused, /it needs 4\.0 GB of memory, and a page has 2\.1 GB/);
    else assert.deepEqual([facts.memory, facts.rounded], [memory, rounded]);
  }
});

test('whatever huggingface.co says of a model: facts that are such, or a refusal in words', async () => {
  const odd = [
    null,
    '',
    'x',
    '../../x',
    7,
    -1,
    1.5,
    2 ** 60,
    true,
    [],
    {},
    [null],
    ['x'],
    [[]],
    { length: 9 },
    '__proto__',
  ];
  const fields = Object.keys(INFO).flatMap((key) => odd.map((value) => ({ ...INFO, [key]: value })));
  const parts = ['license', 'model_type', 'total'].flatMap((key) =>
    odd.map((value) => ({
      ...INFO,
      cardData: { [key]: value },
      config: { [key]: value },
      safetensors: { [key]: value },
    })),
  );
  const files = ['rfilename', 'size'].flatMap((key) =>
    odd.map((value) => ({ ...INFO, siblings: INFO.siblings.map((each) => ({ ...each, [key]: value })) })),
  );
  const texts = ['', '[', '{"a":'.repeat(1e5), '<!DOCTYPE html>', 'null', '7'];
  let known = 0;
  for (const text of [...texts, ...[...odd, ...fields, ...parts, ...files].map((each) => JSON.stringify(each))]) {
    const { facts, refused } = await lookUp(text);
    if (facts) {
      known++;
      assert.match(facts.commit, /^[\da-f]{40}$/);
      for (const { name, size } of facts.files) assert(/^[\w.-]+$/.test(name) && Number.isSafeInteger(size), text);
      for (const bytes of [facts.bytes, facts.memory])
        assert(bytes > 0 && bytes <= 2 ** (facts.rounded ? 32 : 31), text);
      for (const said of [facts.family, facts.license]) assert(!/object|undefined|null/.test(said), text);
    } else
      assert.match(
        refused,
        /^“test\/gpt2-2l” was not opened: (it |its |huggingface\.co )(?!.*(undefined|\[object))/,
        text,
      );
  }
  assert(known > 45, `${known} known`);
});
