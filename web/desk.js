// Makes every view in its place and says what the reader's deeds in it mean for the state.

import { chooseToken } from './present.js';
import { compose } from './sentences.js';
import { PRESETS, changeSettings, defaultState, trainedState } from './state.js';
import * as answersView from './views/answers.js';
import * as controlsView from './views/controls.js';
import * as examplesView from './views/examples.js';
import * as factsView from './views/facts.js';
import * as ffnView from './views/ffn.js';
import * as headsView from './views/heads-grid.js';
import * as heatmapView from './views/heatmap.js';
import * as menusView from './views/menus.js';
import * as modelsView from './views/models.js';
import * as positionsView from './views/positions.js';
import * as sheetView from './views/sheet.js';
import * as tokensView from './views/tokens.js';
import * as translationView from './views/translation.js';
import * as writerView from './views/writer.js';

/**
 * @param {object} room
 * @param {(id: string) => HTMLElement} room.at
 * @param {ReturnType<typeof import('./state.js').createStore>} room.store
 * @param {(name: import('./catalogue.js').ModelName) => void} room.choose another model
 * @param {() => void} room.write goes on with the text
 * @param {() => import('./plan.js').Plan['tokens'] | null} room.tokens that are shown
 * @param {() => import('./state.js').Selection} room.selection that is shown
 * @param {() => {look: import('./answers.js').Look | null} | null} room.answers that are shown
 * @param {() => import('./plan.js').Description | undefined} room.description of the trained model
 */
export function createViews({ at, store, choose, write, tokens, selection, answers, description }) {
  /** @param {Partial<import('./state.js').Cursor>} patch */
  const moveCursor = patch => store.set({ cursor: { ...store.get().cursor, ...patch } });

  /** @param {import('./sentences.js').MenuState} menu */
  const say = menu => store.set({ menu, text: compose(menu).text });

  /** @param {import('./plan.js').Stack} stack */
  const strip = stack => tokensView.create(at(`tokens-${stack}`), {
    onSelect: index => store.set(chooseToken(store.get(), stack, index, tokens()?.[stack])),
  });

  return {
    models: modelsView.create(at('models'), { onSelect: name => choose(/** @type {import('./catalogue.js').ModelName} */ (name)) }),
    examples: examplesView.create(at('examples'), { onSelect: text => store.set({ text, written: [], follow: true }) }),
    menus: menusView.create(at('menus'), {
      onPattern: pattern => say({ ...store.get().menu, pattern }),
      onChoice: (name, value) => say({ ...store.get().menu, choices: { ...store.get().menu.choices, [name]: value } }),
    }),
    translation: translationView.create(at('translation')),
    writer: writerView.create(at('writer'), {
      onChange: patch => store.set({ writing: { ...store.get().writing, ...patch } }),
      onWrite: write,
      onClear: () => store.set({ written: [] }),
    }),
    answers: answersView.create(at('answers'), {
      onLook: () => {
        const look = answers()?.look;
        if (look) store.set({ selection: look.selection, cursor: { ...store.get().cursor, row: look.row, key: look.key } });
      },
    }),
    sheet: sheetView.create(at('sheet')),
    encoder: strip('encoder'),
    decoder: strip('decoder'),
    controls: controlsView.create(at('controls'), {
      onChange: patch => store.set(changeSettings(store.get(), patch)),
      onPreset: name => store.set(changeSettings(store.get(), PRESETS[name])),
      onReset: () => {
        const { model } = store.get();
        const known = description();
        store.set(model === 'untrained' || !known ? defaultState() : { settings: trainedState(model, known.config).settings });
      },
    }),
    heads: headsView.create(at('heads'), {
      onSelect: place => store.set({ selection: /** @type {import('./state.js').Selection} */ (place) }),
    }),
    heatmap: heatmapView.create(at('heatmap'), {
      onCursor: ({ row, column }) => moveCursor({ row, key: column }),
      onQuantity: quantity => store.set({ quantity }),
      onColours: colours => store.set({ colours }),
      onMean: mean => store.set({ selection: { ...selection(), mean } }),
    }),
    ffn: ffnView.create(at('ffn'), {
      onCursor: ({ row, column }) => moveCursor({ row, neuron: column }),
      onQuantity: ffnQuantity => store.set({ ffnQuantity }),
    }),
    positions: positionsView.create(at('positions'), {
      onCursor: ({ row, column }) => moveCursor({ row, dimension: column }),
    }),
    facts: factsView.create(at('facts')),
  };
}
