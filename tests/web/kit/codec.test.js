// The address codec on its own: a link's parts, the codecs, and rows that refuse, imply, group or merge their values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as kit from '../../../web/kit/address.js';

const { initialOf, linkOf, parse, partOf, partsOf, readParts, valueAt } = kit;

test('a row on its own: default, implied value, group, what does not fit', () => {
  const count = {
    write: String,
    read: (/** @type {string} */ text) => (/^\d+$/.test(text) ? Number(text) : undefined),
  };
  /** @type {import('../../../web/kit/address.js').Field[]} */
  const rows = [
    { path: 'width', initial: 4, address: 'w', codec: count },
    {
      ...{ path: 'heads', initial: 2, address: 'h', codec: count },
      problem: (heads, { width }) => (width % heads ? `${heads} does not divide ${width}` : ''),
    },
    { path: 'half', initial: 2, address: 'half', codec: count, implied: ({ width }) => width / 2 },
    {
      ...{ path: 'list', initial: [], address: 'at.' },
      group: {
        write: (list) => list.map((/** @type {number} */ each) => [String(each), 'x']),
        read: (parts) => ({ value: parts.map(([name]) => Number(name)), refused: [] }),
      },
    },
    { path: 'local', initial: { open: false } },
  ];
  const base = initialOf(rows);
  assert.deepEqual(base, { width: 4, heads: 2, half: 2, list: [], local: { open: false } });
  assert.deepEqual(partsOf(rows, { ...base, local: { open: true } }, base), [], 'what no link contains');
  assert.deepEqual(partsOf(rows, { ...base, width: 8, half: 4, list: [3] }, base), [
    ['w', '8', undefined],
    ['at.3', 'x', undefined],
  ]);
  const { state, refused, names } = readParts(
    [
      ['w', '6'],
      ['h', '4'],
      ['at.7', 'x'],
      ['x', '1'],
    ],
    rows,
    base,
  );
  assert.deepEqual(state, { ...base, width: 6, half: 3, list: [7] });
  assert.deepEqual(
    [refused.map(({ name, why }) => [name, why]), names],
    [
      [
        ['x', ''],
        ['h', '4 does not divide 6'],
      ],
      ['w', 'at.7'],
    ],
  );
});

test('a link has a place and parts; one of before there were places has parts alone', () => {
  for (const [hash, place, parts] of /** @type {[string, string, string[][]][]} */ ([
    ['', '', []],
    ['#', '', []],
    ['#/', '', []],
    ['#model=creek&x=1+2', '', [['model', 'creek'], ['x', '1 2']]], // prettier-ignore
    ['#/train', 'train', []],
    ['#/train/', 'train', []],
    ['#/train?x=%26', 'train', [['x', '&']]],
    ['#/train/?x=a\nb&y', 'train', [['x', 'a\nb'], ['y', '']]], // prettier-ignore
    ['x#/train?x=1', '', [['#/train?x', '1']]],
  ]))
    assert.deepEqual(parse(hash), { place, parts }, hash);
  assert.equal(partOf('#/train?x=1&y=2&x=3', 'x'), '1');
  assert.equal(partOf('#/train?x=1', 'y'), null);
  assert.equal(linkOf('train', []), '#/train');
  const written = linkOf('train', [['x', 'a&b c'], ['y', '[1,2]', true], ['z', '[']]); // prettier-ignore
  assert.equal(written, '#/train?x=a%26b+c&y=[1,2]&z=%5B');
});

/** @param {string} name @param {kit.Codec} codec @param {[unknown, string][]} good @param {string[]} bad */
function check(name, codec, good, bad) {
  for (const [value, text] of good) {
    assert.equal(codec.write(value), text, name);
    assert.deepEqual(codec.read(text), value, `${name} ${text}`);
  }
  for (const text of bad) assert.equal(codec.read(text), undefined, `${name} ${text}`);
}

test('a codec reads its own texts and no others', () => {
  for (const [name, codec, good, bad] of /** @type {[string, kit.Codec, unknown[], string[]][]} */ ([
    ['number', kit.number, [1.5, -2, NaN, 0], ['', '1e3', '01', ' 1', 'x']],
    ['between', kit.between(-1, 2), [-1, 2, 0.5], ['-1.1', '2.1', '', '01', 'NaN', 'x']],
    ['between', kit.between(-9, Infinity, Number.isInteger), [3], ['0.5', 'Infinity']],
    ['oneOf', kit.oneOf(1, 'a', true), [1, 'a', true], ['', '2', 'b', 'false']],
    ['integer', kit.integer(3, 50), [3, 50], ['2', '51', '', '4.5', '+4', '-4', 'x4', '4x', ' 4']],
    ['integer', kit.integer(0, Infinity), [0, 1234567890], ['12345678901', '-1']],
    ['matching', kit.matching(/^a+$/), ['a', 'aa'], ['', 'b', 'ab']],
  ])) {
    check(name, codec, good.map((value) => [value, String(value)]), bad); // prettier-ignore
  }
  check('flag', kit.flag, [[true, '1'], [false, '0']], ['', '2', 'true', '11']); // prettier-ignore
  check('nullable', kit.nullable(kit.integer(0, 9)), [[null, ''], [0, '0']], ['x', '10', 'null']); // prettier-ignore
  const dots = (/** @type {number} */ count) => Array(count).fill('1').join('.');
  check(
    'integers',
    kit.integers,
    [
      [[], ''],
      [[3, 0, 12], '3.0.12'],
      [[1234567, 1234567], '1234567.1234567'],
      [Array(512).fill(1), dots(512)],
    ],
    ['12345678', '1.12345678', '1.', '.1', '1..2', 'x1', '1x', '-1', dots(513)],
  );
  const objects = (/** @type {number} */ count) => JSON.stringify(Array(count).fill({ a: 1 }));
  check(
    'listOf',
    kit.listOf(({ a }) => a === 1),
    [
      [[], '[]'],
      [[{ a: 1 }], '[{"a":1}]'],
      [Array(512).fill({ a: 1 }), objects(512)],
    ],
    ['', '{', '{}', 'null', '1', '"a"', '[1]', '[null]', '[{"a":1},null]', '[{"a":1},{"a":2}]', objects(513)],
  );
});

test('what a row or a group refuses is the base’s again, named once; an object is merged', () => {
  const text = { write: String, read: (/** @type {string} */ each) => (each === 'bad' ? undefined : each) };
  const low =
    (/** @type {string} */ of, /** @type {string} */ by) => (/** @type {any} */ value, /** @type {any} */ state) =>
      Number(value) > Number(state[by]) ? `${of} above ${by}` : '';
  /** @type {import('../../../web/kit/address.js').Field[]} */
  const rows = [
    { path: 'a', initial: '1', address: 'a', codec: text, problem: low('a', 'b'), why: (each) => `no ${each}` },
    { path: 'b', initial: '2', address: 'b', codec: text, problem: low('b', 'c') },
    { path: 'c', initial: '3', address: 'c', codec: text, problem: low('c', 'd') },
    { path: 'd', initial: '3' },
    { path: 'in.x', initial: 'x', address: 'x', codec: text },
    { path: 'in.y', initial: ['y'], implied: ({ a }) => [a], address: 'y', codec: text },
    {
      ...{ path: 'both', initial: { p: 0, q: [0] }, address: ['p', 'q'] },
      group: {
        write: ({ p, q }, base) => [
          ...(p === base.both.p ? [] : [/** @type {[string, string]} */ (['p', `${p}`])]),
          ['q', String(q)],
        ],
        read: (parts, _, base) => {
          const [[name, value]] = parts;
          return value === 'bad' ? { refused: [name] } : { value: { p: parts.length + base.both.p } };
        },
      },
    },
    { path: 'kept', initial: null, address: 'kept.', group: { write: () => [], read: () => ({ refused: ['7'] }) } },
  ];
  const base = initialOf(rows);
  const in_ = { x: 'x', y: ['y'] };
  assert.deepEqual(base, { a: '1', b: '2', c: '3', d: '3', in: in_, both: { p: 0, q: [0] }, kept: null });
  base.both.q.push(1);
  assert.deepEqual(initialOf(rows).both.q, [0], 'a state of its own');
  base.both.q.pop();
  /** @param {string} query @param {any} [of] */
  const read = (query, of = base) => {
    const { state, ...found } = readParts(parse(`#${query}`).parts, rows, of);
    const entries = Object.entries(state).filter(([name]) => JSON.stringify(state[name]) !== JSON.stringify(of[name]));
    return { changed: Object.fromEntries(entries), ...found };
  };
  const y = ['1'];
  assert.deepEqual(read('x=z'), { changed: { in: { x: 'z', y } }, names: ['x'], refused: [] });
  assert.deepEqual(read('y=w&a=bad').refused, [{ name: 'a', text: 'bad', why: 'no bad' }]);
  assert.deepEqual(read('x=bad').refused, [{ name: 'x', text: 'bad', why: '' }]);
  assert.deepEqual(read('y=w').changed, { in: { ...in_, y: 'w' } });
  // 5 stands below 6, until that is refused for 9, and that for 3.
  assert.deepEqual(read('a=4&a=5&b=6&c=9'), {
    changed: { in: { ...in_, y } },
    names: [],
    refused: [
      { name: 'c', text: '9', why: 'c above d' },
      { name: 'b', text: '6', why: 'b above c' },
      { name: 'a', text: '5', why: 'a above b' },
    ],
  });
  const wrong = { ...base, c: '4' };
  assert.deepEqual(
    read('c=5', wrong).refused,
    [{ name: 'c', text: '5', why: 'c above d' }],
    'though the base is no better',
  );
  assert.deepEqual(read('', wrong).refused, []);
  assert.deepEqual(read('p=2&q=3').changed.both, { p: 2, q: [0] });
  assert.deepEqual(read('q=bad'), {
    changed: { in: { ...in_, y } },
    names: [],
    refused: [{ name: 'q', text: '', why: 'q' }],
  });
  assert.deepEqual(read('z=1').refused, [{ name: 'z', text: '1', why: '' }]);
  assert.deepEqual(read('kept.1=x').refused, [{ name: 'kept.7', text: '', why: '7' }]);
  assert.deepEqual(partsOf(rows, { ...base, a: '2', both: { p: 1, q: [4] } }, base), [
    ['a', '2', undefined],
    ['y', 'y', undefined],
    ['p', '1', undefined],
    ['q', '4', undefined],
  ]);
  assert.equal(valueAt({ in: null }, 'in.x'), undefined);
});
