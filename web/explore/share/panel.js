// Save and share: the link, the model's file, any tensor by its name; and under every result what can
// be saved of it.

import { html } from 'lit-html';
import { putFeet } from '../../export/feet.js';
import { copyText, isEdited } from '../../export/file.js';
import { createFold } from '../../export/fold.js';
import { tableOfTensor } from '../../export/tensor-table.js';
import * as shareView from './view.js';
import { visibleWords } from '../shared/words.js';

/**
 * @typedef {{names: string[], name: string, table: import('../../export/tensor-table.js').TensorTable | null,
 *   result: import('../../engine/results.js').Result}} ShareData
 */

/** @type {import('../index.js').Panel<ShareData>} */
export const share = {
  name: 'share',
  slot: 'end',
  isAside: true,
  section: html`
    <section class="panel" aria-labelledby="share-title">
      <h2 id="share-title">Save and share</h2>
      <div id="share" class="share"></div>
    </section>`,
  required: ({ state: { tensor } }) => ['@tensors', ...(tensor ? [`@tensor/${tensor}`] : [])],
  present({ result, state: { tensor: name } }) {
    const { names } = result.derived.get('@tensors') ?? {};
    if (!names || !name) return names && { names, name: '', table: null, result };
    const found = result.derived.get(`@tensor/${name}`);
    if (!found?.data) return found && { names, name, table: null, result };
    const { encoder, decoder } = result.plan.tokens;
    const words = visibleWords((found.stack === 'decoder' ? decoder : (encoder ?? decoder))?.words ?? []);
    return { names, name, table: tableOfTensor(name, found, words), result };
  },
  blank: () => undefined, // the link still holds
  create(root, tools) {
    putFeet(tools);
    const [head, tableRoot, saveRoot] = ['div', 'div', 'div'].map((tag) =>
      root.appendChild(document.createElement(tag)),
    );
    head.className = 'share-head';
    const tableFold = createFold(tableRoot, 'Show as table', async (body) =>
      (await import('../late.js')).showTensor(body),
    );
    const saveFold = createFold(saveRoot, 'Save', async (body) => (await import('../late.js')).saveTensor(body));
    const view = shareView.create(head, {
      onLink() {
        const text = tools.link();
        return { text, copied: copyText(text) };
      },
      onModel: tools.saveModel,
      onPytorch: async (say) => (await import('../../app/carry-on.js')).carryOn(trained, say),
      onTensor: (tensor) => tools.set({ tensor: tensor || null }),
    });
    let trained = ''; // the model that is shown: the state may have gone on to another
    return {
      update(next) {
        const table = next?.table ?? null;
        const recipe = tools.modelInfo()?.recipe;
        const canGoOn = recipe?.trainer && recipe.task !== 'austen'; // whose novels are not on the page
        trained = next && canGoOn && !isEdited(next.result.plan) ? String(next.result.plan.model ?? '') : '';
        view.update(
          next && { names: next.names, name: next.name, shape: table?.shape ?? null, isTrained: Boolean(trained) },
        );
        tableFold.update(table, table?.name ?? '');
        saveFold.update(next && table && { table, result: next.result }, table?.name ?? '');
      },
      destroy() {
        for (const each of [view, tableFold, saveFold]) each.destroy();
      },
    };
  },
};
