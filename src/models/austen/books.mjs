// The novels that the second edition learns from beside Austen's: what they are, where they come from, and how they
// are cut.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { paragraphsOf } from './text.mjs';

/**
 * @typedef {object} Book
 * @property {string} name
 * @property {string} author who has been dead for more than 70 years: the text is in the public domain
 * @property {number} year of the first edition
 * @property {string} from the Debian package and its version
 * @property {string} path of the file in the package
 * @property {string} sha256 of the file
 * @property {RegExp} heading of a chapter
 */

const GO = 'usr/share/gocode/src/github.com';

/** @type {readonly Book[]} */
export const BOOKS = [
  {
    name: 'Moby-Dick',
    author: 'Herman Melville',
    year: 1851,
    from: 'golang-github-colinmarc-hdfs-dev 2.3.0-2',
    path: `${GO}/colinmarc/hdfs/testdata/mobydick.txt`,
    sha256: '870fe07753b139bbcbcf45a6de27e4ec620434972ec78c08267655003333f0f8',
    heading: /^(CHAPTER \d+\. |Epilogue$)/,
  },
  {
    name: 'The Adventures of Tom Sawyer',
    author: 'Mark Twain',
    year: 1876,
    from: 'golang-github-klauspost-compress-dev 1.15.12+ds1-3',
    path: `${GO}/klauspost/compress/testdata/Mark.Twain-Tom.Sawyer.txt`,
    sha256: '2a17996ae0fbb92571233a11f490f92a9bceb852468acb894d70c70a1e44b770',
    heading: /^(CHAPTER [IVXL]+|CONCLUSION)$/,
  },
  {
    name: 'The Adventures of Sherlock Holmes',
    author: 'Arthur Conan Doyle',
    year: 1892,
    from: 'golang-github-pierrec-lz4-dev 2.5.2-2',
    path: `${GO}/pierrec/lz4/testdata/pg1661.txt`,
    sha256: '242ec73a70f0a03dcbe007e32038e7deeaee004aaec9a09a07fa322743440fa8',
    heading: /^(ADVENTURE )?[IVX]+\.( [A-Z' -]+)?$/,
  },
];

/** Behind the text: what its publisher adds. */
const END = /^End of (the )?Project Gutenberg/;

/** Instructions for getting the books into a folder. */
export const HOW_BOOKS = BOOKS.map(
  ({ from }) => `apt-get download ${from.replace(' ', '=')} && dpkg -x ${from.split(' ')[0]}_*.deb books`,
).join('\n');

/**
 * Chapters of all books, as `chaptersOf` gives those of the six novels.
 * @param {string} folder into which the packages were unpacked
 * @returns {string[]}
 */
export function chaptersOfBooks(folder) {
  return BOOKS.flatMap((book) => {
    const path = join(folder, book.path);
    if (!existsSync(path)) throw new Error(`--books must be the folder with ${book.path}. To get it:\n${HOW_BOOKS}`);
    const file = readFileSync(path);
    const sha256 = createHash('sha256').update(file).digest('hex');
    if (sha256 !== book.sha256) throw new Error(`${path} must be the file of ${book.from}, its SHA-256 is ${sha256}`);
    return chaptersOfBook(file.toString(), book.heading);
  });
}

/**
 * Chapters without their headings, and without what stands before the first and behind the last.
 * @param {string} text @param {RegExp} heading
 * @returns {string[]}
 */
export function chaptersOfBook(text, heading) {
  const lines = text.split('\n').map((line) => line.trim());
  const end = lines.findIndex((line) => END.test(line));
  /** @type {string[][]} */
  const chapters = [];
  for (const line of end < 0 ? lines : lines.slice(0, end)) {
    if (heading.test(line)) chapters.push([]);
    else chapters.at(-1)?.push(line);
  }
  return chapters.map(paragraphsOf).filter(Boolean);
}
