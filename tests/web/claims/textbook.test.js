// The textbook's verdict on a sentence is that of the card that tests it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attentionPages } from '../../../web/lessons/attention.js';
import { modelPages } from '../../../web/lessons/model.js';
import { VERDICTS } from '../../claims/check.js';

/** Cards by the page that doubts their sentence. @type {Record<string, number>} */
const CARDS = {
  tokens: 23,
  embedding: 20,
  positions: 6,
  waves: 3,
  qkv: 11,
  scores: 4,
  scale: 1,
  mask: 18,
  values: 21,
  heads: 14,
  concatenation: 15,
  residual: 17,
  'layer-norm': 9,
  ffn: 22,
  activation: 7,
  neuron: 13,
  stack: 16,
  encoder: 12,
  decoder: 5,
  cross: 19,
  logits: 10,
  training: 2,
  softmax: 20,
};
const WORDS = { true: /^Holds\b/, 'it depends': /^(It depends\b|Holds only\b)/, false: /^Fails\b/ };

for (const { id, doubt } of [...attentionPages, ...modelPages].filter((page) => page.doubt))
  test(`${id}: “${doubt?.sentence}”`, () => {
    assert.match(doubt?.verdict ?? '', WORDS[VERDICTS[CARDS[id]]]);
  });
