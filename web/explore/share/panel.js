// Keep and share: the link, the model's file, any tensor by its name; and under every result what can
// be saved of it.

import { html } from 'lit-html';
import { putFeet } from '../../export/feet.js';
import { copyText } from '../../export/file.js';
import { createFold } from '../../export/fold.js';
import { sheetOfTensor } from '../../export/sheet.js';
import * as keepView from './view.js';
import { visibleWords } from '../shared/words.js';

/**
 * @typedef {{names: string[], name: string, sheet: import('../../export/sheet.js').TensorSheet | null, result:
 *   import('../../engine/results.js').Result}} KeepData
 */

/** @type {import('../index.js').Panel<KeepData>} */
export const keep = {
  name: 'keep',
  section: html`
    <section class="panel" aria-labelledby="keep-title">
      <h2 id="keep-title">Keep and share</h2>
      <div id="keep" class="keep"></div>
    </section>`,
  required: ({ state: { tensor } }) => ['@tensors', ...(tensor ? [`@tensor/${tensor}`] : [])],
  present({ result, state: { tensor: name } }) {
    const { names } = result.derived.get('@tensors') ?? {};
    if (!names || !name) return names && { names, name: '', sheet: null, result };
    const found = result.derived.get(`@tensor/${name}`);
    if (!found?.data) return found && { names, name, sheet: null, result };
    const { encoder, decoder } = result.plan.tokens;
    const words = visibleWords((found.stack === 'decoder' ? decoder : (encoder ?? decoder))?.words ?? []);
    return { names, name, sheet: sheetOfTensor(name, found, words), result };
  },
  blank: () => undefined, // the link still holds
  create(root, tools) {
    putFeet(tools);
    const [head, tableRoot, saveRoot] = ['div', 'div', 'div'].map((tag) =>
      root.appendChild(document.createElement(tag)),
    );
    head.className = 'keep-head';
    const table = createFold(tableRoot, 'Show as table', async (body) =>
      (await import('../late.js')).tableOfSheet(body),
    );
    const save = createFold(saveRoot, 'Save', async (body) => (await import('../late.js')).saveTensor(body));
    const view = keepView.create(head, {
      onLink() {
        const text = tools.link();
        return { text, copied: copyText(text) };
      },
      onModel: tools.saveModel,
      onTensor: (tensor) => tools.set({ tensor: tensor || null }),
    });
    return {
      update(next) {
        const sheet = next?.sheet ?? null;
        view.update(next && { names: next.names, name: next.name, shape: sheet?.shape ?? null });
        table.update(sheet, sheet?.name ?? '');
        save.update(next && sheet && { sheet, result: next.result }, sheet?.name ?? '');
      },
      destroy() {
        for (const each of [view, table, save]) each.destroy();
      },
    };
  },
};
