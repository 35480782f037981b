// The frame of every panel Why, which plays what the reader has chosen.

import { createPlayer } from '../../draw/player.js';
import { whyHead } from '../../draw/why.js';
import style from '../../draw/why.css';
import { addStyle } from '../../kit/feature.js';
import { acting } from '../../kit/figure.js';
import own from './why.css';

addStyle(style);
addStyle(own);

const CHOICES = ['click', 'keydown', 'input'];

/** The reader opens a number by choosing its cell, wherever it stands; what moves while they type does not. */
let chose = false;

/** Notes from now on by what the reader changes the page. */
export function watchChoices() {
  for (const type of CHOICES)
    document.addEventListener(
      type,
      (event) => void (chose = 'key' in event ? event.key === 'Enter' : type === 'click'),
      true,
    );
}

/** The player of one panel. */
export function createWhy() {
  /** @type {ReturnType<typeof createPlayer>} */
  let player;
  return {
    /** @param {{local: (patch: object) => void}} tools */
    begin: ({ local }) => void (player = createPlayer(() => local({}))),
    /** @param {string} cell @param {number[]} rows */
    frame: (cell, rows) => player.frame(cell, rows),
    /**
     * Plays a cell that the reader has chosen, and that to which another place led.
     * @type {(shown: {cell: string, of: string, at: string, plays?: number}) => unknown}
     */
    playing: acting(
      (element, next, before) => {
        const isArrival = next.plays && next.plays !== before?.plays;
        if (next.cell === before?.cell && !isArrival) return;
        const isOpened = isArrival || (chose && before && next.of === before.of && next.at !== before.at);
        if (isOpened && !matchMedia('(prefers-reduced-motion: reduce)').matches) player.open(element.children[0]);
        chose = false;
      },
      () => player.pause(),
    ),
    /** @param {import('../../draw/why.js').Said} said @param {import('../../draw/why.js').Frame} frame */
    head: (said, frame) => whyHead(said, frame, player),
  };
}
