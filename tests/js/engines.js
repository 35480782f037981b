// The engines that run here; load.test.js asserts that none is missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { load } from 'glassformer';
import { random } from './reference.js';

export const engines = [await load({ variant: 'simd' })];
try {
  engines.push(await load({ variant: 'relaxed' }));
} catch (error) {
  assert.equal(error.code, 'unsupported');
}

/**
 * A test per engine, its body run for that many seeds.
 * @param {number} rounds
 * @returns {(name: string, body: (gf: any, r: any) => void) => void}
 */
export const eachEngine = (rounds) => (name, body) => {
  for (const gf of engines) {
    test(`${name} (${gf.variant})`, () => {
      for (let seed = 0; seed < rounds; seed++) body(gf, random(seed));
    });
  }
};

/**
 * Runs the body with a model that is freed whatever happens.
 * @param {any} gf
 * @param {object} config
 * @param {(model: any) => any} body
 */
export function withModelOf(gf, config, body) {
  const model = gf.createModel(config);
  try {
    return body(model);
  } finally {
    model.free();
  }
}
