// Save and share: the link, the model's file, any tensor by its name, what ran.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../table.js';

const { share, tokensText } = await import('../../../../web/explore/features/share.js');
const count = new Intl.NumberFormat('en');

/** @param {() => boolean} holds */
async function until(holds) {
  for (let i = 0; i < 200 && !holds(); i++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert(holds());
}

/** @param {string[]} copied what is copied comes here */
function setClipboard(copied) {
  const clipboard = { writeText: async (/** @type {string} */ text) => void copied.push(text) };
  Object.defineProperty(globalThis, 'navigator', { value: { clipboard }, configurable: true });
}

test('each tensor of the run is offered; what ran is said', async () => {
  for (const [link, says] of [
    ['model=creek', /^Tokens are words and punctuation marks/],
    ['model=translate', /^Tokens are words and punctuation marks/],
    ['model=untrained', /a hash into a table of 2,048 random rows/],
  ]) {
    const page = await open(share, String(link));
    assert.deepEqual(page.needs(), ['@tensors']);
    const { names } = page.result().derived.get('@tensors');
    const offered = /** @type {HTMLOptionElement[]} */ ([...page.root.querySelectorAll('datalist option')]);
    assert.deepEqual(
      offered.map(({ value }) => value),
      names,
    );
    assert.deepEqual(page.all('.view-fact'), [`${names.length} to choose from`]);
    const { facts } = page.result();
    const [parameters, pass, memory, module, reason] = page.all('#run-info dd');
    assert.equal(parameters, count.format(facts.parameters));
    assert.match(pass, /^[\d.]+ ms$/);
    assert.match(memory, /^[\d.]+ MiB$/);
    assert.equal(module, `glassformer ${facts.version}, variant ${facts.variant}`);
    assert.equal(reason, facts.reason);
    assert.match(page.all('#run-info .hint')[0], /** @type {RegExp} */ (says));
    assert.equal(page.root.querySelector('details.expert')?.hasAttribute('open'), false);
  }
});

test('a tensor by its name: its shape, its table and Save; a name that is none says so', async (context) => {
  const name = 'encoder.layers.1.self_attn.query';
  const page = await open(share, `model=creek&tensor=${name}`);
  const expert = /** @type {HTMLDetailsElement} */ (page.root.querySelector('.expert'));
  assert.deepEqual(page.needs(), ['@tensors', `@tensor/${name}`]);
  const { shape } = page.result().derived.get(`@tensor/${name}`);
  assert.deepEqual(page.all('.view-fact'), [shape.join(' × ')]);
  assert.equal(expert.open, true, 'as its link asks');
  assert.deepEqual(page.all('.expert > div > details summary'), [`Show as table: ${name}`, `Save: ${name}`]);
  const [tableFold, saveFold] = /** @type {NodeListOf<HTMLDetailsElement>} */ (
    page.root.querySelectorAll('.expert > div > details')
  );
  const { data } = page.result().derived.get(`@tensor/${name}`);
  tableFold.open = true;
  await until(() => page.all('tbody tr').length > 20);
  const cells = [...page.root.querySelectorAll('tbody tr')][20].querySelectorAll('td');
  assert(cells.length > 0);
  cells.forEach((cell, column) => {
    const shown = Number(cell.textContent?.replace('−', '-'));
    const wanted = data[20 * shape.at(-1) + column];
    assert(Math.abs(shown - wanted) <= Math.abs(wanted) / 1000 + 1e-4, `${shown}: ${wanted}`);
  });
  saveFold.open = true;
  await until(() => page.all('.expert button').includes('JSON'));
  /** @type {Blob[]} */
  const saved = [];
  URL.createObjectURL = (blob) => `blob:${saved.push(/** @type {Blob} */ (blob))}`;
  const json = [...page.root.querySelectorAll('.expert button')].find((each) => each.textContent?.trim() === 'JSON');
  context.mock.timers.enable({ apis: ['setTimeout'] }); // its address is given back after 40 s
  /** @type {HTMLElement} */ (json).click();
  context.mock.timers.reset();
  const file = JSON.parse(await saved[0].text());
  assert.deepEqual([file.name, file.shape, file.data.length], [name, [...shape], data.length]);
  file.data.forEach((/** @type {number} */ value, /** @type {number} */ i) => assert(Math.abs(value - data[i]) < 1e-4));
  expert.open = false;
  await page.choose('#share-tensor', 'no.such');
  assert.equal(page.state().tensor, 'no.such');
  assert.deepEqual(page.all('.view-fact'), ['This model has no tensor of that name.']);
  assert.deepEqual(page.all('.expert > div:not([hidden]) > details summary'), []);
  assert.equal(expert.open, true);
  await page.choose('#share-tensor', ' ');
  assert.deepEqual([page.state().tensor, page.needs()], [null, ['@tensors']]);
});

test('the buttons: the link copied or shown, both files; while the text is empty they stay', async (context) => {
  const page = await open(share, 'model=creek&row=3');
  const wanted = 'https://example.org/#/explore?model=creek&row=3';
  /** @type {string[]} */
  const copied = [];
  setClipboard(copied);
  const [link, model] = page.all('.share-head button');
  assert.deepEqual([link, model], ['Copy link', 'Save the model (safetensors)']);
  context.mock.timers.enable({ apis: ['setTimeout'] });
  await page.click('.share-head button');
  assert.deepEqual([copied, page.all('[role=status]')], [[wanted], ['Link copied.']]);
  page.put({ text: '' });
  await page.show();
  Object.defineProperty(globalThis, 'navigator', { value: {}, configurable: true });
  await page.click('.share-head button');
  assert.match(page.all('[role=status]')[0], /copy the link from here/);
  const field = /** @type {HTMLInputElement} */ (page.root.querySelector('#share-link'));
  assert.deepEqual([field.value, field.readOnly, page.all('label[for=share-link]')], [wanted, true, ['Link']]);
  await page.click('.share-head button + button');
  await page.click('.expert .buttons button');
  context.mock.timers.tick(5000);
  await null;
  assert.deepEqual(page.all('[role=status]'), ['']);
  assert.deepEqual(page.set.slice(-2), [{ save: 'safetensors' }, { save: 'onnx' }]);
});

test('speed and memory in their units; a text for each kind of tokens', async () => {
  const bare = await open(share, 'model=untrained');
  assert.equal(bare.root.querySelector('#share-link'), null);
  assert.deepEqual(bare.all('[role=status]'), ['']);
  for (const [milliseconds, memoryBytes, said] of /** @type {[number, number, string[]][]} */ ([
    [1.234, 2 ** 20, ['1.23 ms', '1.0 MiB']],
    [9.99, 3.25 * 2 ** 20, ['9.99 ms', '3.3 MiB']],
    [10, 2 ** 19, ['10 ms', '0.5 MiB']],
    [123.4, 2 ** 30, ['123 ms', '1024.0 MiB']],
  ])) {
    /** @type {any} */
    const timed = {
      ...share,
      render(/** @type {any} */ { result, ...context }, /** @type {any} */ tools) {
        const facts = { ...result.facts, milliseconds, memoryBytes };
        return share.render(/** @type {any} */ ({ ...context, result: { ...result, facts } }), tools);
      },
    };
    assert.deepEqual((await open(timed, 'model=untrained')).all('#run-info dd').slice(1, 3), said);
  }
  assert.equal(tokensText(null), tokensText('untrained'));
  assert.match(tokensText(null), /2,048 random rows/);
  assert.match(tokensText('creek'), /index in the model’s vocabulary/);
  assert.match(tokensText('austen'), /parts of words/);
});

test('a tensor is labelled by the words of its own stack; without an answer the panel stays', async () => {
  /** @type {any} */
  let value = {};
  const held = /** @type {any} */ ({
    ...share,
    needs: () => [],
    render: (/** @type {any} */ context, /** @type {any} */ tools) =>
      share.render(
        { ...context, result: { ...context.result, derived: { get: (/** @type {string} */ name) => value[name] } } },
        tools,
      ),
  });
  assert.equal((await open(held, 'model=untrained&tensor=some')).text(), '');
  value = { '@tensors': { names: ['some'] } };
  assert.equal((await open(held, 'model=untrained&tensor=some')).text(), '');
  value = { '@tensor/some': {} };
  assert.equal((await open(held, 'model=untrained&tensor=some')).text(), '');
  for (const [link, tensor, stack] of /** @type {[string, string, 'encoder' | 'decoder'][]} */ ([
    ['translate', 'decoder.layers.0.self_attn.query', 'decoder'],
    ['translate', 'encoder.layers.0.self_attn.query', 'encoder'],
    ['creek', 'encoder.layers.0.self_attn.query', 'encoder'],
    ['continue', 'decoder.layers.0.self_attn.query', 'decoder'],
  ])) {
    const page = await open(share, `model=${link}&tensor=${tensor}`);
    const fold = /** @type {HTMLDetailsElement} */ (page.root.querySelector('.expert > div > details'));
    fold.open = true;
    await until(() => page.all('tbody tr').length > 2);
    const { words } = /** @type {any} */ (page.result().plan.tokens[stack]);
    const heads = page.all('tbody th').slice(0, words.length);
    heads.forEach((each, i) =>
      assert(each.includes(words[i].replace('␣', '').trim()), `${tensor}: ${each}, ${words[i]}`),
    );
    assert.equal(heads.length, words.length);
  }
});
