// The reader's own models: files that are chosen or dropped, those kept in this browser, and the link that needs one.
// Fetched when the reader asks for it, or drags something over the page.

import { onAddress } from '../../kit/link.js';
import ownCss from './own.css';
import { addStyle } from '../../kit/feature.js';
import { LABELS, isModel, setModel } from '../../models/catalogue.js';
import { toModels } from '../menus.js';
import { createBox } from './box.js';
import { createDrop } from './drop.js';
import { describe } from './entry.js';
import { partsOf, sizeOf } from './files.js';
import { NOTHING, createHub } from './hub.js';
import { createOpening } from './opening.js';
import { createStorage } from './storage.js';

/**
 * @typedef {import('./box.js').BoxData} BoxData
 * @typedef {import('../given-models.js').Page} Page
 */

/** @type {ReturnType<typeof create> | null} */
let made = null;

/** @param {Page} page */
export const begin = (page) => (made ??= create(page));

/** @param {Page} page */
function create(page) {
  addStyle(ownCss);
  const place = /** @type {HTMLElement} */ (document.getElementById('explore'));
  const root = sectionIn(place);

  /** @type {BoxData} */
  let data = {
    wanted: null,
    busy: '',
    done: null,
    refused: '',
    note: '',
    keep: false,
    kept: [],
    other: false,
    keepable: '',
    hub: NOTHING,
  };
  let isOpen = false; // the reader asked for the box, or a model was refused
  const storage = createStorage(draw);
  const opening = createOpening(page, storage, { data: () => data, draw });

  const hub = createHub(
    (each) => draw({ hub: each }),
    (files) => opening.open(files),
  );

  const box = createBox(root, {
    onFiles: (files) => opening.open(files),
    onLookUp: hub.lookUp,
    onDownload: hub.download,
    onCancel() {
      hub.cancel();
      opening.cancel();
    },
    onClose: close,
    onKeep: (each) => draw({ keep: each }),
    onKeepOpened: () => opening.keepOpened(page.chosen()),
    onOpen: opening.openKept,
    async onForget(name) {
      await storage.forget(name);
      /** @type {HTMLElement | null} */ (root.querySelector('#own-title'))?.focus();
    },
    onOther: opening.openOthers,
  });

  /** @param {Partial<BoxData>} [change] @param {boolean} [open] whether the reader is shown the box */
  function draw(change, open = isOpen) {
    isOpen = open;
    const chosen = page.chosen();
    const isWanted = chosen.startsWith('file.') && isModel(chosen) && Boolean(LABELS[chosen].wanted);
    const { title, bytes } = partsOf(chosen);
    data = { ...data, ...change, wanted: isWanted ? { title, bytes } : null };
    data.keepable = storage.find(chosen) ? '' : opening.titleOf(chosen);
    place.toggleAttribute('data-wants', isWanted);
    root.hidden = !isOpen && !isWanted;
    box.update(data);
  }

  function close() {
    draw({ refused: '', note: '', other: false }, false);
    toModels()?.focus();
  }

  const sync = () => draw();
  document.querySelector('[data-slot=models]')?.addEventListener('change', () => setTimeout(sync));
  onAddress(() => setTimeout(sync));
  createDrop((files) => {
    if (document.documentElement.dataset.place !== 'explore') location.hash = '#/explore';
    opening.open(files);
    draw({}, true);
  });

  return {
    /** Asks for a model. */
    async show() {
      draw({}, true);
      /** @type {HTMLElement | null} */ (root.querySelector('#own-title'))?.focus();
      await storage.read();
    },
    /**
     * Puts a model that a link names among those to choose from, and asks for its file where this browser has not
     * kept it.
     * @param {string} name
     */
    async want(name) {
      const { title, bytes } = partsOf(name);
      const does = `needs its file of ${sizeOf(bytes)}`;
      setModel(name, {
        label: { label: title, does, wanted: true },
        entry: describe({ title, weights: null }, {}).entry,
      });
      setTimeout(async () => {
        draw();
        await storage.read();
        if (data.wanted) await opening.openKept(name);
      });
    },
  };
}

/** Where the box stands: first of the place. @param {HTMLElement} place */
function sectionIn(place) {
  const root = document.createElement('section');
  root.className = 'own';
  root.setAttribute('aria-labelledby', 'own-title');
  root.hidden = true;
  place.prepend(root);
  return root;
}
