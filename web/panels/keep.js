// Keep and share: the link, the model's file, any tensor by its name; and under every map its table
// and what can be saved of it.

import { formatValue } from '../draw/canvas.js';
import { NO_CODE, putFeet } from '../export/feet.js';
import { copyText, fileName, saveFile } from '../export/file.js';
import { sheetOfTensor } from '../export/sheet.js';
import * as keepView from '../views/keep.js';
import * as saveView from '../views/save.js';
import * as tableView from '../views/table.js';
import { visibleWords } from '../words.js';

/** @typedef {{names: string[], name: string, sheet: import('../export/sheet.js').Sheet | null, picture: import('../pictures.js').Picture}} KeepData */

/** @type {import('./index.js').Panel<KeepData>} */
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
    const words = visibleWords((name.startsWith('decoder') ? decoder : encoder ?? decoder)?.words ?? []);
    return { names, name, sheet: sheetOfTensor(name, found, words), picture };
  },
  blank: () => undefined, // the link still holds
  create(root, tools) {
    putFeet(tools);
    const [head, tableRoot, saveRoot] = ['div', 'div', 'div'].map(tag => root.appendChild(document.createElement(tag)));
    head.className = 'keep-head';
    /** @type {KeepData | null} */
    let data = null;
    const table = tableView.create(tableRoot);
    const save = saveView.create(saveRoot, { onCopy: copyText, onSave: kind => saveSheet(kind, data?.sheet ?? null) });
    const view = keepView.create(head, {
      onLink() {
        const text = tools.link();
        return { text, copied: copyText(text) };
      },
      onModel: tools.saveModel,
      onTensor: tensor => tools.set({ tensor: tensor || null }),
    });
    return {
      update(next) {
        data = next;
        const sheet = next?.sheet ?? null;
        view.update(next && { names: next.names, name: next.name, shape: sheet?.shape ?? null });
        table.update(sheet && {
          caption: sheet.name, rows: sheet.rows.length, columns: sheet.columns.length, rowLabel: row => sheet.rows[row], columnLabel: String,
          value: (row, column) => formatValue(sheet.data[row * sheet.columns.length + column]),
        });
        save.update(next && sheet && { name: sheet.name, kinds: ['CSV', 'JSON'], code: () => codeFor(sheet, next.picture) });
      },
      destroy() {
        for (const each of [view, table, save]) each.destroy();
      },
    };
  },
};

/** @param {import('../export/sheet.js').Sheet} sheet @param {import('../pictures.js').Picture} picture */
async function codeFor({ name, shape, data }, picture) {
  const { codeOf } = await import('../export/lazy.js');
  return { code: codeOf(picture, { name, shape, offset: 0 }, { at: 0, label: 'its first number', value: formatValue(data[0]) }), why: NO_CODE };
}

/** @param {string} kind @param {import('../export/sheet.js').Sheet | null} sheet */
async function saveSheet(kind, sheet) {
  const { csvOf, jsonOf } = await import('../export/lazy.js');
  if (sheet) saveFile(`${fileName(sheet.name)}.${kind.toLowerCase()}`, kind === 'CSV' ? csvOf(sheet) : jsonOf(sheet));
}
