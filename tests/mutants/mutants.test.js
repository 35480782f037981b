// The mutants that tests/mutants/run.mjs tries: which faults they are, and that their keys stay.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mutants, typeNames } from './generate.js';
import { readListed } from './listed.js';

const C = `#include <x.h>
/* a + b */
#define TWICE(x) ((x) * 2)
typedef struct pair {
    int first;
} pair;
static const char *const NAME = "a + b";
static int f(int a, const int *b) {
    assert(a < 3);
    if (!a) {
        return -1;
    }
    for (int i = 0; i < a; i++) {
        g(a, b[i] + 1);
        a += 2;
    }
    return a == 2 ? a : 0x10u;
}
`;
const named = new Set(['pair']);
const changes = (/** @type {string} */ text) =>
  mutants('a.c', text, named).map(({ key }) => key.replace('a.c f: ', '').replace('a.c TWICE: ', ''));

test('operators, bounds, constants, statements and arguments change; comments, strings, asserts do not', () => {
  assert.deepEqual(changes(C), [
    '#define TWICE(x) ((x) * 2) => #define TWICE(x) ((x) / 2)',
    '#define TWICE(x) ((x) * 2) => #define TWICE(x) ((x) * 3)',
    '#define TWICE(x) ((x) * 2) => #define TWICE(x) ((x) * 1)',
    'if (!a) { => if (a) {',
    'return -1; => ;',
    'return -1; => return 1;',
    'return -1; => return -2;',
    'return -1; => return -0;',
    'for (int i = 0; i < a; i++) { => for (int i = 1; i < a; i++) {',
    'for (int i = 0; i < a; i++) { => for (int i = 0; i <= a; i++) {',
    'for (int i = 0; i < a; i++) { => for (int i = 0; i >= a; i++) {',
    'g(a, b[i] + 1); => g(b[i] + 1, a);',
    'g(a, b[i] + 1); => ;',
    'g(a, b[i] + 1); => g(a, b[i] - 1);',
    'g(a, b[i] + 1); => g(a, b[i] + 2);',
    'g(a, b[i] + 1); => g(a, b[i] + 0);',
    'a += 2; => ;',
    'a += 2; => a -= 2;',
    'a += 2; => a += 3;',
    'a += 2; => a += 1;',
    'return a == 2 ? a : 0x10u; => return a != 2 ? a : 0x10u;',
    'return a == 2 ? a : 0x10u; => return a == 3 ? a : 0x10u;',
    'return a == 2 ? a : 0x10u; => return a == 1 ? a : 0x10u;',
    'return a == 2 ? a : 0x10u; => return a == 2 && 0 ? a : 0x10u;',
    'return a == 2 ? a : 0x10u; => return a == 2 || 1 ? a : 0x10u;',
    'return a == 2 ? a : 0x10u; => return a == 2 ? a : 17u;',
    'return a == 2 ? a : 0x10u; => return a == 2 ? a : 15u;',
  ]);
});

test('a mutant differs from its file in one place, and its key does not know the line', () => {
  const all = mutants('a.c', C, named),
    moved = mutants('a.c', `/* one\n more */\n${C}`, named);
  assert.equal(new Set(all.map(({ key }) => key)).size, all.length);
  assert.equal(new Set(all.map(({ text }) => text)).size, all.length);
  assert.ok(all.every(({ text }) => text !== C && text.startsWith('#include <x.h>\n/* a + b */')));
  assert.deepEqual(
    moved.map(({ key }) => key),
    all.map(({ key }) => key),
  );
  assert.deepEqual(
    moved.map(({ line }) => line - 2),
    all.map(({ line }) => line),
  );
});

test('a condition of several parts is also negated, fractions and the shapes of a table are changed', () => {
  const several = changes('void f(int a) {\n    if (a && b) {\n        x = 0.5f * 0x1p-3;\n    }\n}\n');
  assert.deepEqual(several.slice(0, 2), ['if (a && b) { => if (!(a && b)) {', 'if (a && b) { => if (a || b) {']);
  assert.deepEqual(several.slice(3), [
    'x = 0.5f * 0x1p-3; => x = 0.505f * 0x1p-3;',
    'x = 0.5f * 0x1p-3; => x = 0.5f / 0x1p-3;',
    'x = 0.5f * 0x1p-3; => x = 0.5f * 0x1p-2;',
  ]);
  const table = mutants('t.def', 'GROUP(norm)\nTENSOR(weight, "weight", ROLE, WEIGHT, c->norm, B, T)\n', named);
  assert.deepEqual(
    table.map(({ key }) => key),
    [
      't.def norm: TENSOR(weight, "weight", ROLE, WEIGHT, c->norm, B, T) => ' +
        'TENSOR(weight, "weight", ROLE, WEIGHT, B, c->norm, T)',
      't.def norm: TENSOR(weight, "weight", ROLE, WEIGHT, c->norm, B, T) => ' +
        'TENSOR(weight, "weight", ROLE, WEIGHT, c->norm, T, B)',
    ],
  );
});

test('typedefs and reasons are read', () => {
  assert.deepEqual(
    [...typeNames(['typedef float v4 __attribute__((x));\ntypedef struct a {\n    int b;\n} one;\n'])],
    ['v4', 'one'],
  );
  assert.deepEqual(
    [...readListed('equivalent: why\n  a => b\n  c => d\n\naccepted: so\n  e => f\n')],
    [
      ['a => b', 'equivalent: why'],
      ['c => d', 'equivalent: why'],
      ['e => f', 'accepted: so'],
    ],
  );
});
