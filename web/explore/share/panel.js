// Keep and share: the link, the model's file, any tensor by its name; and under every picture what can
// be saved of it.

import { putFeet } from '../../export/feet.js';
import { copyText } from '../../export/file.js';
import { createFold } from '../../export/fold.js';
import { sheetOfTensor } from '../../export/sheet.js';
import * as keepView from './view.js';
import { visibleWords } from '../shared/words.js';

/** @typedef {{names: string[], name: string, sheet: import('../../export/sheet.js').TensorSheet | null, picture: import('../../engine/results.js').Picture}} KeepData */

/** @type {import('../index.js').Panel<KeepData>} */
export const keep = {
  name: 'keep',
  part: 'run',
  wants: (_, { tensor }) => ['@tensors', ...(tensor ? [`@tensor/${tensor}`] : [])],
  present(picture, { tensor: name }) {
    const { names } = picture.lab.get('@tensors') ?? {};
    if (!names || !name) return names && { names, name: '', sheet: null, picture };
    const found = picture.lab.get(`@tensor/${name}`);
    if (!found?.data) return found && { names, name, sheet: null, picture };
    const { encoder, decoder } = picture.plan.tokens;
    const words = visibleWords((name.startsWith('decoder') ? decoder : (encoder ?? decoder))?.words ?? []);
    return { names, name, sheet: sheetOfTensor(name, found, words), picture };
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
        save.update(next && sheet && { sheet, picture: next.picture }, sheet?.name ?? '');
      },
      destroy() {
        for (const each of [view, table, save]) each.destroy();
      },
    };
  },
};
