// The six novels as paragraphs by chapter, and which chapters are held out.
import { createHash } from 'node:crypto';

/** Of the text as `HOW` writes it. */
export const SHA_256 = 'f2516f2139e3cecf49657122fed58ac46313f1fdff32a26fc66789293e92d573';

/** Source of the text: public domain, in the form of Debian's package r-cran-janeaustenr 1.0.0. */
export const HOW = `apt-get install r-cran-janeaustenr
LC_ALL=C.UTF-8 Rscript -e 'library(janeaustenr); writeLines(c(
  sensesensibility, prideprejudice, mansfieldpark, emma, northangerabbey, persuasion), "austen.txt")'`;

const HEADING = /^chapter [ivxl\d]+\.?$/i;
const BESIDES = /^[A-Z ]{4,}$/; // title pages, volumes, the end
const EVERY = 20; // one chapter of so many is held out
const FIRST = 10;

/** @param {string} text */
export const isTheText = (text) => createHash('sha256').update(text).digest('hex') === SHA_256;

/**
 * Chapters without their headings: paragraphs, each in its own line, without the underscores that mark italics.
 * Title pages, which stand before a first heading, are left out.
 * @param {string} text
 * @returns {{learned: string[], heldOut: string[]}} every twentieth chapter is held out, whole
 */
export function chaptersOf(text) {
  /** @type {string[][]} lines of each chapter */
  const chapters = [];
  let isTitle = true;
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (HEADING.test(line)) {
      chapters.push([]);
      isTitle = false;
    } else if (BESIDES.test(line)) isTitle = true;
    else if (!isTitle) chapters.at(-1)?.push(line);
  }
  const whole = chapters.map(paragraphsOf);
  const isHeldOut = (/** @type {unknown} */ _, /** @type {number} */ i) => i % EVERY === FIRST;
  return { learned: whole.filter((_, i) => !isHeldOut(_, i)), heldOut: whole.filter(isHeldOut) };
}

/** @param {string[]} lines */
export function paragraphsOf(lines) {
  return lines
    .join('\n')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll('_', '').replace(/\s+/g, ' ').trim())
    .filter((paragraph) => paragraph !== '')
    .join('\n');
}
