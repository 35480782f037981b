// The nodes of a model, each to its standard; what is tried does what a pass of the module with these patches does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatShare, shortValue } from '../../../../web/draw/numbers.js';
import { shipped } from '../../in-node.js';
import { checkNodes, dot, length, nodeTry } from '../nodes.js';
import { gf, open, openFolder } from '../table.js';

const BERT = 'bert-2l'; // token types, a norm of the embeddings, a transform before the logits
await openFolder(BERT);

test('creek: each node has a picture, a Try and, where numbers are computed, a Why with true ones', () =>
  checkNodes('model=creek&row=12', 2));

const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';

test('creek: what each Try does is a pass with these patches, and the same control takes it back', async () => {
  const { model, ids, vocabulary } = shipped(gf, 'creek');
  const known = ids(KNOWN);
  const floats = (/** @type {string} */ name) => model.tensor(name).data.slice();
  /** @param {object[]} patches @param {object} [more] */
  const pass = (patches, more) => model.forward({ ids: known, capture: true, patches, ...more }).logits.data.slice();
  pass([]);
  const ffn = 'encoder.layers.2.ffn.activation';
  const width = model.tensor(ffn).shape[2];
  const at12 = floats(ffn).subarray(12 * width, 13 * width);
  const strongest = at12.indexOf(Math.max(...at12));
  const [norm1, residual] = ['encoder.layers.1.norm1.out', 'encoder.layers.1.residual1'];
  const mean = known.reduce((sum, _, at) => sum + floats(ffn)[at * width + strongest], 0) / known.length;
  const dog = vocabulary.indexOf('dog');
  const zero = (/** @type {string} */ name) => [{ name, index: [0, null, null], value: 0 }];
  const other = known.with(12, dog);
  const input = () => {
    model.forward({ ids: other, capture: true });
    const size = model.config.d_model;
    return floats('encoder.input').slice(12 * size, 13 * size);
  };
  const exit = { name: 'encoder.layers.2.out', index: [0, null, null], value: floats('encoder.layers.0.out') };
  for (const [part, act, expected, back] of /** @type {[string, (page: any) => Promise<void>, object[], any][]} */ ([
    [
      'ffn&head=3.1',
      (page) => page.click('[role=switch]'),
      [{ name: ffn, index: [0, null, strongest], value: 0 }],
      (/** @type {any} */ page) => page.click('[role=switch]'),
    ],
    [
      'ffn&head=3.1',
      (page) => page.click('[aria-pressed=false]'),
      [{ name: ffn, index: [0, null, strongest], value: mean }],
      (/** @type {any} */ page) => page.click('[aria-pressed=true]'), // of the same neuron, which stays the chosen one
    ],
    [
      'ffn&head=3.1&neuron=7',
      (page) => page.type('.try-neuron', '1.25'),
      [{ name: ffn, index: [0, null, 7], value: 1.25 }],
      (/** @type {any} */ page) => page.click('.try-computed'),
    ],
    [
      'embedding',
      (page) => page.choose('select', String(dog)),
      [{ name: 'encoder.input', index: [0, 12, null], value: input() }],
      (/** @type {any} */ page) => page.choose('select', String(known[12])),
    ],
    [
      'norm&head=2.1&sublayer=1',
      (page) => page.click('[role=switch]'),
      [{ name: norm1, index: [0, null, null], value: (pass([]), floats(residual)) }],
      (/** @type {any} */ page) => page.click('[role=switch]'),
    ],
    [
      'norm&head=2.1&sublayer=2',
      (page) => page.click('[aria-label^="Sublayer on"]'),
      zero('encoder.layers.1.ffn.out'),
      (/** @type {any} */ page) => page.click('[aria-label^="Sublayer on"]'),
    ],
    [
      'norm&head=2.1&sublayer=2',
      (page) => page.click('[aria-label^="FFN on at it"]'),
      [{ name: 'encoder.layers.1.ffn.out', index: [0, 12, null], value: 0 }],
      (/** @type {any} */ page) => page.click('[aria-label^="FFN on at it"]'),
    ],
    [
      'add&head=1.1&sublayer=1',
      (page) => page.click('[role=switch]'),
      zero('encoder.layers.0.self_attn.out'),
      (/** @type {any} */ page) => page.click('[role=switch]'),
    ],
    ['logits', (page) => page.type('.try-exit', '1'), [exit], (/** @type {any} */ page) => page.type('.try-exit', '3')],
  ])) {
    const page = await open(
      { ...nodeTry, needs: (/** @type {any} */ query) => [...(nodeTry.needs?.(query) ?? []), '@probabilities'] },
      `model=creek&row=12&part=${part}`,
    );
    await act(page);
    assert.equal(page.state().interventions.length, 1, part);
    const { data } = page.result().derived.get('@probabilities');
    const own = gf.softmax({ data: pass(expected), shape: [known.length, vocabulary.length] }).data;
    const most = data.reduce((/** @type {number} */ so, /** @type {number} */ p, /** @type {number} */ i) => {
      return Math.max(so, Math.abs(p - own[i]));
    }, 0);
    assert(most < 1e-5, `${part}: ${most}`);
    await back(page);
    assert.deepEqual(page.state().interventions, [], part);
  }

  const page = await open(nodeTry, 'model=creek&row=1&part=positions');
  await page.choose('select', '7');
  assert.deepEqual(page.state().interventions, [{ what: 'swap', kind: 'encoder', row: 1, to: 7 }]);
  await page.change({ cursor: { ...page.state().cursor, row: 7 } });
  assert.match(page.all('option:checked')[0], /^1 creek$/, 'the other of the two says so, too');
  await page.choose('select', '3');
  assert.deepEqual(page.state().interventions, [{ what: 'swap', kind: 'encoder', row: 7, to: 3 }]);
  await page.choose('select', '7');
  assert.deepEqual(page.state().interventions, []);
});

const CHANGES = (/** @type {object[]} */ ...changes) => `&changes=${encodeURIComponent(JSON.stringify(changes))}`;
const encoder = /** @type {const} */ ({ kind: 'encoder' });

test('a table of states: what each Try offers, and what stands there', async () => {
  const skip = { what: 'skip', layer: 1, to: 0 };
  for (const [link, text, switches] of /** @type {[string, string, string[]][]} */ ([
    ['creek&row=12&part=attention', '', []],
    ['creek&text=', '', []],
    ['untrained&part=ffn&d_ff=0', '', []],
    ['untrained&part=logits', 'This model has no output table.', []],
    ['untrained&part=norm&norm=none&sublayer=1', 'This model has no norms here.', []],
    [`${BERT}&part=transform&row=2`, 'Read the answer after layer 2, the last', []],
    ['creek&part=probabilities', 'Read the answer after layer 3, the last', []],
    [`creek&part=logits${CHANGES({ what: 'exit', ...encoder, to: 1 })}`, 'Read the answer after layer 1', []],
    [`creek&part=logits${CHANGES({ what: 'exit', ...encoder, to: 0 })}`, 'Read the answer after its input', []],
    ['translate&part=logits', 'Read the answer after layer 2, the last', []],
    ['translate&attention=cross&part=embedding', 'The model writes these tokens itself.', []],
    ['untrained&positions=none&part=positions', 'This model adds no positions to its embeddings.', []],
    ['creek&row=12&part=add&sublayer=1&head=2.1', 'What attention adds on', ['Sublayer on: layer 2, attention']],
    [
      'creek&row=12&part=add&sublayer=2&head=2.1',
      'What FFN adds on at it on',
      ['Sublayer on: layer 2, FFN', 'FFN on at it: layer 2'],
    ],
    [
      `creek&row=12&part=add&sublayer=2&head=2.1${CHANGES({ ...skip, ...encoder, node: 'ffn', sublayer: 0 })}`,
      'What FFN adds off at it on',
      ['Sublayer on: layer 2, FFN', 'FFN on at it: layer 2'],
    ],
    [
      `creek&row=12&part=norm&sublayer=1&head=2.1${CHANGES({ ...skip, ...encoder, node: 'norm', sublayer: 1 })}`,
      'Norm off What attention adds on',
      ['Norm on: layer 2, norm 1', 'Sublayer on: layer 2, attention'],
    ],
    [
      'translate&row=1&attention=cross&part=norm&sublayer=2&head=2.1',
      'Norm on What cross-attention adds on',
      ['Norm on: layer 2, norm 2', 'Sublayer on: layer 2, cross-attention'],
    ],
    [
      'translate&row=1&attention=cross&part=norm&sublayer=3&head=1.1',
      'Norm on What FFN adds on at ruisseau on',
      ['Norm on: layer 1, norm 3', 'Sublayer on: layer 1, FFN', 'FFN on at ruisseau: layer 1'],
    ],
    ['untrained&norm=pre&part=norm&sublayer=1&head=2.1', 'Norm on', ['Norm on: layer 2, norm 1']],
    [`${BERT}&row=2&part=norm&sublayer=0&head=2.1`, 'Norm on', ['Norm on: outside the layers']],
    ['untrained&residual=0&part=norm&sublayer=2&head=2.1', 'Norm on', ['Norm on: layer 2, norm 2']],
    ['untrained&d_ff=0&part=add&sublayer=2', '', []],
  ])) {
    const page = await open(nodeTry, `model=${link}`);
    assert.equal(page.text(), text, link);
    const labels = [...page.root.querySelectorAll('[role=switch]')].map((each) => each.ariaLabel);
    assert.deepEqual(labels, switches, link);
    const isOn = [...page.root.querySelectorAll('[role=switch]')].map((each) => each.ariaChecked === 'true');
    assert.deepEqual(
      isOn,
      [...text.matchAll(/ (on|off)\b(?= |$)/g)].map(([, word]) => word === 'on'),
      link,
    );
  }
});

test('each switch names what it changes', async () => {
  const skip = { what: 'skip', layer: 1, to: 0 };
  const cross = 'translate&row=1&attention=cross&head=2.1&part=norm&sublayer';
  for (const [link, at, change] of /** @type {[string, number, object][]} */ ([
    ['creek&row=12&part=norm&sublayer=1&head=2.1', 0, { ...skip, ...encoder, node: 'norm', sublayer: 1 }],
    ['creek&row=12&part=norm&sublayer=1&head=2.1', 1, { ...skip, ...encoder, node: 'attention', sublayer: 0 }],
    ['creek&row=12&part=norm&sublayer=2&head=2.1', 1, { ...skip, ...encoder, node: 'ffn', sublayer: 0 }],
    ['creek&row=12&part=norm&sublayer=2&head=2.1', 2, { what: 'ffnAt', ...encoder, layer: 1, row: 12, to: 0 }],
    [`${cross}=1`, 1, { ...skip, kind: 'decoder', node: 'attention', sublayer: 0 }],
    [`${cross}=2`, 0, { ...skip, kind: 'decoder', node: 'norm', sublayer: 2 }],
    [`${cross}=2`, 1, { ...skip, kind: 'cross', node: 'attention', sublayer: 0 }],
    [`${cross}=3`, 1, { ...skip, kind: 'decoder', node: 'ffn', sublayer: 0 }],
    [`${BERT}&row=2&part=norm&sublayer=0&head=2.1`, 0, { ...skip, ...encoder, node: 'norm', layer: 0, sublayer: 0 }],
  ])) {
    const page = await open(nodeTry, `model=${link}`);
    /** @type {any} */ (page.root.querySelectorAll('[role=switch]')[at]).click();
    assert.deepEqual(page.state().interventions, [change], `${link} ${at}`);
  }
});

test('a neuron’s value: the range of its slider, what it is set to, and the reader’s choice', async () => {
  for (const [link, name, row] of /** @type {const} */ ([
    ['creek&row=12&head=3.1', 'encoder.layers.2.ffn.activation', 12],
    ['untrained&activation=gelu&row=2&neuron=9', 'encoder.layers.0.ffn.activation', 2],
    ['untrained&network=gated&activation=silu&row=2&neuron=9', 'encoder.layers.0.ffn.product', 2],
  ])) {
    const page = await open(nodeTry, `model=${link}&part=ffn`);
    assert.deepEqual(page.needs(), [name]);
    const slider = /** @type {HTMLInputElement} */ (page.root.querySelector('.try-neuron'));
    const { data, shape } = /** @type {any} */ (page.result().tensors.get(name));
    const neuron = Number(/Neuron (\d+)/.exec(page.text())?.[1]);
    const own = Array.from({ length: shape[1] }, (_, at) => data[at * shape[2] + neuron]);
    const most = 2 * Math.max(1, ...own.map(Math.abs));
    assert.deepEqual([Number(slider.max), Number(slider.step)], [most, most / 200], link);
    assert.equal(Number(slider.min), Math.min(...own) < 0 ? -most : 0, link);
    assert.equal(Number(slider.value), own[row], link);
    const computed = /** @type {HTMLElement} */ (page.root.querySelector('.try-computed'));
    assert.deepEqual([page.all('output')[0], computed.hidden], ['as computed', true]);
    await page.type('.try-neuron', String(most / 2));
    const to = Number((most / 2).toPrecision(3));
    const [{ to: set, neuron: at, layer }] = /** @type {any[]} */ (page.state().interventions);
    assert(Math.abs(set - to) <= most / 200, `${set}`); // a step of the slider
    assert.deepEqual([at, layer, page.state().cursor.neuron], [neuron, link.includes('=3.1') ? 2 : 0, neuron]);
    assert.deepEqual([Number(page.all('output')[0]) > 0, computed.hidden], [true, false]);
    await page.click('[aria-pressed]');
    assert.deepEqual(page.all('output'), ['average']);
    assert.equal(page.root.querySelector('[aria-pressed]')?.ariaPressed, 'true');
    await page.click('.try-computed');
    assert.deepEqual([page.state().interventions, page.all('output')], [[], ['as computed']]);
  }
  const set = CHANGES({ what: 'neuron', ...encoder, layer: 2, neuron: 7, to: 50 });
  const far = await open(nodeTry, `model=creek&row=12&head=3.1&neuron=7&part=ffn${set}`);
  const slider = /** @type {HTMLInputElement} */ (far.root.querySelector('.try-neuron'));
  assert(Number(slider.max) >= 50, slider.max);
  assert.equal(far.all('output')[0], '50');
  for (const layout of ['page', 'workspace']) {
    const other = await open(nodeTry, `model=creek&row=12&layout=${layout}&part=attention`);
    assert.equal(other.root.querySelectorAll('.try-neuron').length, Number(layout === 'page'), 'the page shows all');
  }
});

test('tokens to take the embedding or the place of, and which of them stands there', async () => {
  const menu = (/** @type {Awaited<ReturnType<typeof open>>} */ page) =>
    /** @type {HTMLSelectElement} */ (page.root.querySelector('select'));
  const chosen = (/** @type {Awaited<ReturnType<typeof open>>} */ page) => menu(page).selectedOptions[0].textContent;
  const page = await open(nodeTry, 'model=creek&row=12&part=tokens');
  const [own, rest] = menu(page).querySelectorAll('optgroup');
  assert.deepEqual([own.label, rest.label, chosen(page)], ['In this text', 'Vocabulary', 'it (its own)']);
  const words = (/** @type {Element} */ group) => [...group.querySelectorAll('option')].map((each) => each.textContent);
  assert.equal(new Set(words(own)).size, words(own).length, 'each id once');
  assert.equal(words(own).filter((word) => /own/.test(String(word))).length, 1);
  assert.deepEqual(
    words(rest),
    words(rest).toSorted((a, b) => String(a).localeCompare(String(b), 'en')),
  );
  assert.equal(words(own).length + words(rest).length, page.modelInfo.vocabulary.length, 'together all of them');
  const id = (/** @type {string} */ word) => page.modelInfo.vocabulary.indexOf(word);
  const of = { what: 'patch', ...encoder, after: 0, row: 12, share: 1 };
  const ids = page.session.plan().ids;
  await page.choose('select', 'mean');
  assert.deepEqual(page.state().interventions, [{ ...of, from: 'mean' }]);
  assert.equal(chosen(page), 'the average of the tokens');
  await page.choose('select', String(id('fox')));
  assert.deepEqual(page.state().interventions, [{ ...of, from: ids.with(12, id('fox')) }], 'in its place');
  assert.equal(chosen(page), 'fox');
  const other = /** @type {any} */ ({ what: 'temperature', value: 2 });
  await page.change({ interventions: [other, ...page.state().interventions] });
  await page.choose('select', String(id('it')));
  assert.deepEqual([page.state().interventions, chosen(page)], [[other], 'it (its own)'], 'the other change stays');

  const untrained = await open(nodeTry, 'model=untrained&row=2&part=embedding');
  assert.deepEqual([...menu(untrained).querySelectorAll('optgroup')].length, 1, 'without words of a vocabulary');

  const places = await open(nodeTry, 'model=creek&row=1&part=positions');
  assert.equal(chosen(places), '1 creek (its own)');
  assert.equal(menu(places).options.length, 14);
  await places.choose('select', '7');
  assert.equal(chosen(places), '7 dog');
  await places.change({ cursor: { ...places.state().cursor, row: 5 } });
  await places.choose('select', '7');
  assert.deepEqual(places.state().interventions, [{ what: 'swap', ...encoder, row: 5, to: 7 }], 'one swap each');
  await places.change({ cursor: { ...places.state().cursor, row: 2 } });
  await places.choose('select', '3');
  assert.equal(places.state().interventions.length, 2, 'another two as well');
  assert.equal(chosen(places), '3 cold');
});

/** A Why, the state, its formula, its line and its rows. @typedef {[string, string, string, string, string[]]} Said */

test('each Why in words, by what the model is made of and what is changed', async () => {
  const whys = /** @type {Record<string, any>} */ ({
    ...(await import('../../../../web/explore/features/stream-why.js')),
    ...(await import('../../../../web/explore/features/neuron-why.js')),
    ...(await import('../../../../web/explore/features/logit-why.js')),
    ...(await import('../../../../web/explore/features/norm-why.js')),
  });
  const { reading } = await import('../../../../web/explore/shared/examples.js');
  const entry = 'Dimension 3 of creek: the table has one vector for each token.';
  const word = 'row of creek # length #';
  const scaled = '× √48 # length #';
  const attention = ['creek before # length', '+ attention # length', '= sum # length'];
  const bias = 'product # with its bias #';
  const off = { what: 'skip', ...encoder, node: 'ffn', sublayer: 0, to: 0 };
  const of = { what: 'patch', after: 0, row: 1, from: 'mean', share: 1 };
  const move = 'in words more likely # less likely # before later layers';
  reading.isSeen = false;
  for (const [name, link, formula, line, rows] of /** @type {Said[]} */ ([
    ['embeddingWhy', 'creek&row=1&dimension=3&embedding=embedding', 'dmodelEword', entry, [word, scaled]],
    [
      'embeddingWhy',
      'creek&row=1&dimension=3&embedding=input',
      'dmodelEword+PEp',
      entry,
      [word, scaled, '+ position 1 # length #', '= input of layer 1 # length #'],
    ],
    [
      'embeddingWhy',
      `${BERT}&row=2&embedding=input`,
      'Eword+PEp+Ttype',
      'Dimension 0 of 12: the table has one vector for each token.',
      ['row of 12 # length #', '+ position 2 # length #', '+ token type # length #', '= input of LayerNorm # length #'],
    ],
    [
      'embeddingWhy',
      'untrained&positions=rotary&row=2&embedding=input',
      'dmodelEword',
      'Dimension 0 of was: the table has one vector for each token. No position is added: each layer turns its ' +
        'queries and keys instead.',
      ['row of was # length #', '× √64 # length #', '= input of layer 1 # length #'],
    ],
    [
      'positionsWhy',
      'creek&row=1&dimension=3',
      'cos(p/100002i/d)',
      'At position 1, where creek stands: dimension 3 repeats every # positions.',
      [
        'position 1 # its angle: 1 ÷ #',
        'cos # among the 14 positions of this text',
        '+ creek # length #',
        '= input of layer 1 # length #',
      ],
    ],
    ...[1, 4].map(
      (row) =>
        /** @type {Said} */ ([
          'positionsWhy',
          `creek&row=${row}&dimension=2${CHANGES({ what: 'swap', ...encoder, row: 1, to: 4 })}`,
          'sin(p/100002i/d)',
          `At position ${row}, where ${row === 1 ? 'creek' : 'and'} stands: dimension 2 repeats every # positions.`,
          [
            `position ${row} # its angle: ${row} ÷ #`,
            'sin # among the 14 positions of this text',
            `+ ${row === 1 ? 'creek' : 'and'} # length #`,
            '= input of layer 1 # put here by an intervention',
          ],
        ]),
    ),
    ...[
      { ...of, after: 1 },
      { ...of, row: 2 },
      { what: 'swap', row: 4, to: 5 },
      { what: 'headAt', layer: 0, head: 0, row: 1, to: 0 },
    ].map(
      (elsewhere) =>
        /** @type {Said} */ ([
          'embeddingWhy',
          `creek&row=1&dimension=3&embedding=input${CHANGES({ ...elsewhere, ...encoder })}`,
          'dmodelEword+PEp',
          entry,
          [word, scaled, '+ position 1 # length #', '= input of layer 1 # length #'],
        ]),
    ),
    [
      'embeddingWhy',
      `creek&row=1&dimension=3&embedding=input${CHANGES({ ...of, ...encoder })}`,
      'dmodelEword+PEp',
      entry,
      [word, scaled, '+ position 1 # length #', '= input of layer 1 # put here by an intervention'],
    ],
    ...[
      { ...of, kind: 'decoder' },
      { what: 'swap', kind: 'decoder', row: 1, to: 2 },
    ].map(
      (ofTarget) =>
        /** @type {Said} */ ([
          'embeddingWhy',
          `translate&attention=encoder&row=1&embedding=input${CHANGES(ofTarget)}`,
          'dmodelEword+PEp',
          'Dimension 0 of creek: the table has one vector for each token.',
          [word, scaled, '+ position 1 # length #', '= input of layer 1 # length #'],
        ]),
    ),
    [
      'normWhy',
      'creek&row=1&part=norm&sublayer=1',
      'γx−μσ+β',
      'Layer 1, after attention: what the norm makes of dimension 0 of creek, #.',
      ['x of creek # what it reads', '− mean # mean #', '÷ deviation # deviation #', '× gain + bias # gain #, bias #'],
    ],
    [
      'normWhy',
      'untrained&normKind=rms&row=1&part=norm&sublayer=2&head=2.1&dimension=3',
      'γxrms',
      'Layer 2, after FFN: what the norm makes of dimension 3 of creek, #.',
      ['x of creek # what it reads', '÷ root mean square # root mean square #', '× gain # gain #'],
    ],
    [
      'normWhy',
      `creek&row=1&part=norm&sublayer=1${CHANGES({ ...off, node: 'norm', sublayer: 1, layer: 0 })}`,
      'y=x',
      'Layer 1, after attention: what the norm makes of dimension 0 of creek, #.',
      ['x of creek # what it reads', 'skipped # it gives what it reads'],
    ],
    [
      'logitWhy',
      'creek&row=12',
      'softmax(x·Ew+bw)',
      'At it, creek has the largest logit of all 147 tokens.',
      [
        'vector of it row of creek product # its logit, with the bias #',
        'softmax creek # # it # # puddle # # river # # pond # # 142 others # # # times it: it leads by #',
      ],
    ],
    [
      'logitWhy',
      'continue&row=3',
      'softmax(x·Ew+bw)',
      'After hungry, rabbit has the largest logit of all 107 tokens.',
      [
        'vector of hungry row of rabbit product # its logit, with the bias #',
        'softmax rabbit # # goat # # fox # # dog # # horse # # 102 others # # # times goat: it leads by #',
      ],
    ],
    [
      'logitWhy',
      `${BERT}&row=2`,
      'softmax(transform(x)·Ew+bw)',
      'At 12, 69 has the largest logit of all 84 tokens.',
      [
        'vector of 12 row of 69 product # its logit, with the bias #',
        'softmax 69 # # 32 # # 7 # # 2 # # 58 # # 79 others # # # times 32: it leads by #',
      ],
    ],
    [
      'positionsWhy',
      'untrained&positions=learned&row=2&dimension=5',
      'PEp',
      'A learned vector for each position: this is the one of position 2, where was stands.',
      [
        'row 2 # length #',
        'dimension 5 # among the 14 positions of this text',
        '+ was # length #',
        '= input of layer 1 # length #',
      ],
    ],
    [
      'sumWhy',
      'creek&row=1&stage=0',
      'E',
      'The length of the vector of creek after the embedding.',
      ['creek # length'],
    ],
    ...['norms&stage=1', 'cosines&stage=0'].map(
      (stage) =>
        /** @type {Said} */ ([
          'sumWhy',
          `creek&row=1&stream=${stage}`,
          'E+PE',
          (/norms/.test(stage) ? 'The length of the vector' : 'The cosine with the vector before') +
            ' of creek after adding the position. What the position adds is # as long as the vector before.',
          ['creek before # length', '+ the position # length', '= after # length; it changed by #, cosine #'],
        ]),
    ),
    ...['norms', 'changes', 'cosines'].map(
      (stream) =>
        /** @type {Said} */ ([
          'sumWhy',
          `creek&row=1&stage=2&stream=${stream}`,
          'norm(x+f(x))',
          `The ${{ norms: 'length of', changes: 'relative change of', cosines: 'cosine with' }[stream]} the vector ` +
            `${stream === 'cosines' ? 'before ' : ''}of creek after attention of layer 1. What attention adds is # ` +
            'as long as the vector before.',
          [...attention, 'its norm # length; it changed by #, cosine #'],
        ]),
    ),
    [
      'sumWhy',
      'untrained&residual=0&row=1&stage=2',
      'norm(f(x))',
      'The length of the vector of creek after attention of layer 1.',
      [attention[0], 'attention gives # length', 'its norm # length; it changed by #, cosine #'],
    ],
    [
      'sumWhy',
      'untrained&residual=0&norm=none&row=1&stage=2',
      'f(x)',
      'The length of the vector of creek after attention of layer 1.',
      [attention[0], 'attention gives # length; it changed by #, cosine #'],
    ],
    [
      'neuronWhy',
      'creek&row=12&head=3.1&neuron=5',
      'ReLU(x·w+b)v',
      'In layer 3, neuron 5 is 0 at it, above 0 at # of the 13 other words.',
      [`vector of it key of 5 ${bias}`, 'ReLU # not above 0: silent', '× value # length added to it', move],
    ],
    [
      'neuronWhy',
      'creek&row=12&head=3.1',
      'ReLU(x·w+b)v',
      'In layer 3, neuron # is above 0 at it, and at # of the 13 other words.',
      [`vector of it key of # ${bias}`, 'ReLU # above 0: it passes', '× value # length added to it', move],
    ],
    [
      'neuronWhy',
      'untrained&network=gated&activation=silu&row=2&neuron=9',
      'SiLU(x·w)(x·u)v',
      'In layer 1, neuron 9 is below 0 at was, above 0 at # of the 13 other words.',
      [
        'vector of was key of 9 product # the gate',
        'second key product # what SiLU of the gate multiplies',
        'SiLU × up # # × #',
        '× value # length added to was',
      ],
    ],
    [
      'neuronWhy',
      'untrained&activation=gelu&row=2&neuron=9&residual=0',
      'GELU(x·w)v',
      'In layer 1, neuron 9 is above 0 at was, and at # of the 13 other words.',
      [
        'vector of was key of 9 product # their product',
        'GELU # GELU of #',
        '× value # length of its part of what the FFN gives',
      ],
    ],
    [
      'neuronWhy',
      'untrained&activation=none&row=0&neuron=9&text=was',
      'id(x·w)v',
      'In layer 1, neuron 9 is above 0 at was.',
      ['vector of was key of 9 product # their product', 'id # unchanged', '× value # length added to was'],
    ],
    ...[
      { what: 'neuron', neuron: 5 },
      { what: 'neurons', first: 5, last: 7 },
      { what: 'neurons', first: 3, last: 5 },
    ].map(
      (change) =>
        /** @type {Said} */ ([
          'neuronWhy',
          `creek&row=12&head=3.1&neuron=5${CHANGES({ ...change, ...encoder, layer: 2, to: 0 })}`,
          'ReLU(x·w+b)v',
          'In layer 3, neuron 5 is 0 at it, above 0 at 0 of the 13 other words.',
          [`vector of it key of 5 ${bias}`, 'ReLU # set by an intervention', '× value # length added to it', move],
        ]),
    ),
    ...[
      { layer: 1, neuron: 5 },
      { layer: 2, neuron: 6 },
    ].map(
      (change) =>
        /** @type {Said} */ ([
          'neuronWhy',
          `creek&row=12&head=3.1&neuron=5${CHANGES({ what: 'neuron', ...change, ...encoder, to: 0 })}`,
          'ReLU(x·w+b)v',
          'In layer 3, neuron 5 is 0 at it, above 0 at # of the 13 other words.',
          [`vector of it key of 5 ${bias}`, 'ReLU # not above 0: silent', '× value # length added to it', move],
        ]),
    ),
    [
      'neuronWhy',
      `creek&row=12&head=3.1&neuron=5${CHANGES({ ...off, layer: 2 })}`,
      'ReLU(x·w+b)v',
      'In layer 3, neuron 5 is 0 at it, above 0 at # of the 13 other words.',
      [
        `vector of it key of 5 ${bias}`,
        'ReLU # not above 0: silent',
        '× value # this FFN is switched off: it adds nothing',
        move,
      ],
    ],
  ])) {
    const page = await open(whys[name], `model=${link}`);
    /** A text as a pattern: # is a number, or the words of a list. @param {string} text */
    const pattern = (text) =>
      new RegExp(
        `^${text
          .replace(/ /g, '')
          .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
          .replaceAll('#', link.startsWith('creek') && text.startsWith('in words') ? '[a-z]+' : '−?\\d[\\d.]*%?')}$`,
      );
    const bare = (/** @type {string} */ text) => text.replace(/\s/g, '');
    assert.equal(page.all('.formula')[0], formula, link);
    assert.match(bare(page.all('.why-line')[0]), pattern(line), link);
    const steps = page.all('.why-step').map(bare);
    if (name === 'neuronWhy') assert.equal(steps.pop(), 'firesin…', 'the corpus is not read before it is seen');
    assert.equal(steps.length, rows.length, `${link}: ${steps}`);
    for (const [i, row] of rows.entries()) assert.match(steps[i], pattern(row), link);
    if (name === 'neuronWhy') {
      const { settings } = page.result().plan;
      const at = page
        .needs()
        .filter((need) => /ffn\.(activation|product)$/.test(need))
        .at(-1);
      const { data } = /** @type {any} */ (page.result().tensors.get(String(at)));
      const neuron = Number(/neuron (\d+)/.exec(page.all('.why-line')[0])?.[1]);
      const column = page.result().plan.ids.map((_, row) => data[row * settings.d_ff + neuron]);
      const others = column.filter((value, row) => value > 0 && row !== page.state().cursor.row).length;
      if (column.length > 1)
        assert(page.all('.why-line')[0].includes(`at ${others} of the ${column.length - 1}`), link);
    }
    const [, every] = /repeats every (\S+) positions/.exec(page.all('.why-line')[0]) ?? [];
    if (every) {
      const { dimension } = page.state().cursor;
      const { d_model: width } = page.result().plan.settings;
      assert.equal(every, shortValue(2 * Math.PI * 10000 ** ((2 * Math.floor(dimension / 2)) / width)), link);
    }
    if (name === 'logitWhy') {
      const { data, shape } = /** @type {any} */ (page.result().tensors.get('logits'));
      const { row } = page.state().cursor;
      const [first, second] = data
        .slice(row * shape[2], (row + 1) * shape[2])
        .sort()
        .subarray(-2)
        .reverse();
      assert(page.all('.softmax p')[0].startsWith(`${shortValue(Math.exp(first - second))} times`), link);
    }
    if (name === 'sumWhy') {
      const why = page.result().derived.get(page.needs()[0]);
      const { before, after, added } = why;
      const short = (/** @type {number} */ value) => shortValue(value);
      const notes = page.all('.why-step').at(-1) ?? '';
      if (!before) continue;
      const changes =
        length(after.map((/** @type {number} */ each, /** @type {number} */ i) => each - before[i])) / length(before);
      const cosines = dot(after, before) / length(after) / length(before);
      const stream = /stream=(\w+)/.exec(link)?.[1] ?? 'norms';
      const shown = /** @type {any} */ ({ norms: length(after), changes, cosines })[stream];
      assert.equal(page.all('h2')[0], `Why ${short(shown)}?`, link);
      assert(
        notes.endsWith(`it changed by ${formatShare(changes).replace('\u00a0', ' ')}, cosine ${short(cosines)}`),
        notes,
      );
      if (added && why.read !== after && /adds is/.test(line))
        assert(
          page
            .all('.why-line')[0]
            .includes(`adds is ${formatShare(length(added) / length(before)).replace('\u00a0', ' ')} as`),
        );
    }
  }
  for (const [name, link] of [
    ['positionsWhy', 'untrained&positions=none&row=2'],
    ['neuronWhy', 'untrained&d_ff=0'],
    ['logitWhy', 'untrained&row=2'],
    ['logitWhy', 'creek&row=12&layout=page'], // there the views say it
  ]) {
    const page = await open(whys[name], `model=${link}`);
    assert.equal(page.text(), '', link);
  }
});
