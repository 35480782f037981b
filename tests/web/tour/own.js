// Checkpoints of the reader's own in any engine: opened from their files, Node's tokens, weights and likeliest words.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { texts } from '../checks.js';
import { click, eventually, fill, move, open, quiet, shown, there } from './steps.js';

const NAMES = ['config.json', 'model.safetensors', 'tokenizer.json'];
/** @type {[string, string, 'encoder' | 'decoder'][]} */
const CASES = [
  ['bert-2l', 'The creek was [MASK], and the dog jumped.', 'encoder'],
  ['gpt2-2l', 'The creek was cold, and', 'decoder'],
];

/** @param {string} sign */
const hex = (sign) => sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');

/** @param {import('./steps.js').Tour} tour */
export default function own(tour) {
  for (const [name, text, stack] of CASES) {
    test(`${name}: opened from its files, Node’s tokens, a cell of a head, the likeliest words`, async () => {
      const { page, gf } = tour;
      await open(tour, 'creek');
      await click(page, '.models button');
      await there(page, 'input[name=own-files]');
      const files = NAMES.map((file) => readFileSync(new URL(`../../checkpoints/${name}/${file}`, import.meta.url)));
      await page.evaluate(
        (given) => {
          const transfer = new DataTransfer();
          for (const [file, bytes] of given)
            transfer.items.add(new File([Uint8Array.from(atob(bytes), (c) => c.charCodeAt(0))], file));
          const input = /** @type {HTMLInputElement} */ (document.querySelector('input[name=own-files]'));
          input.files = transfer.files;
          input.dispatchEvent(new Event('change', { bubbles: true }));
        },
        NAMES.map((file, i) => [file, files[i].toString('base64')]),
      );
      await there(page, 'body[data-model^="file."]'); // it opens at its first layer's first head
      await fill(page, '#text', text);

      const [config, weights, tokens] = files;
      const { model, tokenizer } = await gf.loadModel({ config, weights, tokenizer: tokens });
      const words = /** @type {NonNullable<typeof tokenizer>} */ (tokenizer);
      const { ids } = words.encode(text);
      await eventually(async () =>
        assert.deepEqual(
          await texts(page, '.tokens-line:not([hidden]) .token-word'),
          ids.map((id) => words.label(id)),
        ),
      );
      model.forward({ ids, capture: true });
      const { data } = model.tensor(`${stack}.layers.0.self_attn.weights`);
      const [row, key] = [ids.length - 2, 1];
      await move(page, '#heatmap', row, key);
      await shown(page, '#heatmap', data[row * ids.length + key], name);
      const logits = model.tensor('logits');
      const width = Number(logits.shape.at(-1));
      const best = [
        ...gf
          .softmax({ x: logits })
          .data.subarray(row * width, (row + 1) * width)
          .entries(),
      ]
        .sort((a, b) => b[1] - a[1])
        .slice(0, 5)
        .map(([id]) => words.label(id).replace(/\p{Cc}/gu, (sign) => `U+${hex(sign)}`)); // as the page names them
      await eventually(async () => assert.deepEqual(await texts(page, '.answers-list li bdi'), best));
      model.free();
      await quiet(page);
    });
  }
}
