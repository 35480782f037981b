// Formulas: what a string, a number or a part becomes in MathML.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nothing } from 'lit-html';
import * as m from '../../../web/draw/math.js';

/** One letter, which WebKit would otherwise take from a mathematical alphabet. @param {string} text */
const letter = (text) => `<mi mathvariant="normal">${text}</mi>`;

/** The markup of a template. @param {any} part @returns {string} */
function markup(part) {
  if (Array.isArray(part)) return part.map(markup).join('');
  if (!part?.strings) return String(part);
  return part.strings
    .map((/** @type {string} */ text, /** @type {number} */ i) => {
      const value = part.values[i];
      if (value === nothing) return text.replace(/ [\w-]+=$/, '');
      if (text.endsWith('=')) return `${text}"${value}"`;
      return i < part.values.length ? text + markup(value) : text;
    })
    .join('');
}

test('A letter begins an identifier, a digit a number, anything else is an operator', () => {
  assert.equal(
    markup(m.row('x′', 'softmax', 'σ', 10000, '1', '=', '‖', '∑')),
    `<mrow>${letter('x′')}<mi class="word">softmax</mi>${letter('σ')}<mn>10000</mn><mn>1</mn>` +
      '<mo>=</mo><mo>‖</mo><mo>∑</mo></mrow>',
  );
  assert.equal(
    markup(m.row('(', ')')),
    '<mrow><mo stretchy="false">(</mo><mo stretchy="false">)</mo></mrow>',
    'brackets do not grow',
  );
  assert.equal(markup(m.row(m.num('(−0.5)'))), '<mrow><mn>(−0.5)</mn></mrow>', 'a number with a sign is one number');
});

test('Parts nest in the order in which they are read', () => {
  assert.equal(
    markup(m.frac('a', m.row('b', '+', 1))),
    '<mfrac><mi mathvariant="normal">a</mi><mrow><mi mathvariant="normal">b</mi><mo>+</mo><mn>1</mn></mrow></mfrac>',
  );
  assert.equal(markup(m.sub('d', 'model')), '<msub><mi mathvariant="normal">d</mi><mi class="word">model</mi></msub>');
  assert.equal(markup(m.sup('K', 'T')), '<msup><mi mathvariant="normal">K</mi><mi mathvariant="normal">T</mi></msup>');
  assert.equal(
    markup(m.subsup('x', 'j', 2)),
    '<msubsup><mi mathvariant="normal">x</mi><mi mathvariant="normal">j</mi><mn>2</mn></msubsup>',
  );
  assert.equal(markup(m.sum('d')), '<munder><mo>∑</mo><mi mathvariant="normal">d</mi></munder>');
  assert.equal(
    markup(m.root(m.sub('d', 'k'))),
    '<msqrt><msub><mi mathvariant="normal">d</mi><mi mathvariant="normal">k</mi></msub></msqrt>',
  );
  assert.equal(markup(m.root(4, 'left-out')), '<msqrt class="left-out"><mn>4</mn></msqrt>');
  assert.equal(markup(m.space('1em')), '<mspace width="1em"></mspace>');
});

test('A formula stands on its own line or in the text', () => {
  assert.equal(
    markup(m.math('z', '=', m.num('−0.5'))),
    `<math display="block"><mrow>${letter('z')}<mo>=</mo><mn>−0.5</mn></mrow></math>`,
  );
  assert.equal(markup(m.inlineMath('z')), '<math><mrow><mi mathvariant="normal">z</mi></mrow></math>');
  assert.equal(
    markup(m.inlineDisplayMath('z')),
    '<math displaystyle="true"><mrow><mi mathvariant="normal">z</mi></mrow></math>',
  );
});
