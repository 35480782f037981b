// The page once through in one engine: each number against Node's, nothing said on the console, nothing asked
// elsewhere, the same bits from training. Each engine has a test file of its own, so that they run side by side.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'glassformer';
import { FILES } from '../claims.js';
import { startHub } from '../../hub.js';
import { engines, launchEngine, serveWatched } from '../engines.js';
import { startNetwork } from '../network.js';
import attention, { story } from './attention.js';
import austen from './austen.js';
import axe from './axe.js';
import book from './book.js';
import cards from './cards.js';
import change from './change.js';
import claims from './claims.js';
import ffn from './ffn.js';
import ended from './ended.js';
import first, { models } from './first.js';
import formulas from './formulas.js';
import hostile from './hostile.js';
import journey, { decided, embed, features } from './journey.js';
import keep, { links } from './keep.js';
import life from './life.js';
import { byName, fromFiles, translation } from './own.js';
import train, { runs } from './train.js';
import way from './way.js';

/** The tour of `npm test`, by parts in which engines can differ: drawing, input, fonts, files, workers, bits. */
export const SHORT = [first, formulas, attention, ffn, features, keep, train];
/** One engine shows these for all: numbers, texts and links; and parts of the other two without a test in Chromium. */
export const BROWSER = [
  ...[models, story, way, change, links, runs, journey, decided],
  ...[austen, byName, translation, book, ended, hostile, axe],
];
/** The tour of the other engines. */
export const WHOLE = [
  ...[...SHORT, journey, embed, austen, fromFiles, byName, translation],
  ...[life, claims, cards, ended, hostile],
];

/**
 * Defines the tests of an engine. One that is not installed is skipped, unless it is Chromium, which npm test gets, or
 * GLASSFORMER_ENGINES=all asks for every engine.
 * @param {string} name
 * @param {((tour: import('./steps.js').Tour) => void)[]} parts
 */
export function tourIn(name, parts) {
  if (!engines().present.includes(name)) {
    const skip = name !== 'chromium' && process.env.GLASSFORMER_ENGINES !== 'all' && `${name} is not installed`;
    test(`tour in ${name}`, { skip }, () => assert.fail(`${name} is not installed`));
    return;
  }
  describe(name, () => {
    /** @type {import('./steps.js').Tour} */
    const tour = /** @type {any} */ ({ name });
    /** @type {Awaited<ReturnType<typeof serveWatched>>} */
    let site;
    /** @type {Awaited<ReturnType<typeof startNetwork>>} */
    let network;
    before(async () => {
      site = await serveWatched({
        ...FILES,
        'empty.html': '<!doctype html><link rel="icon" href="data:,"><title>Empty</title>',
        'axe.js': readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'),
      });
      const hub = await startHub();
      network = await startNetwork(hub);
      const page = await launchEngine(name, network);
      Object.assign(tour, { gf: await load(), url: site.url, append: site.append, page, hub });
      await tour.page.goto(`${site.url}empty.html`);
      await tour.page.evaluate(() => localStorage.setItem('glassformer-train-speed', '0')); // as fast as it goes
    });
    after(async () => {
      await tour.page?.close();
      for (const each of [network, tour.hub]) each?.close();
      await site?.close();
    });
    for (const part of parts) part(tour);
  });
}
