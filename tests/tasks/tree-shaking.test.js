// The parts of glassformer/tasks that a bundler includes for one import: with the package's sideEffects, and by the
// statements alone, as bundlers do without settings.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = `${root}src/tasks`;

/** Every module has side effects as far as its statements have some. @type {import('esbuild').Plugin} */
const byStatements = {
  name: 'by statements',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\./ }, async ({ path, resolveDir }) => ({
      path: fileURLToPath(new URL(path, `file://${resolveDir}/`)),
      sideEffects: true,
    })),
};

/**
 * @param {string} contents
 * @param {boolean} strict by the statements alone
 */
async function bundled(contents, strict = false) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: contents.includes('glassformer/') ? root : folder, sourcefile: 'user.js' },
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    metafile: true,
    outfile: 'out.js',
    plugins: strict ? [byStatements] : [],
  });
  const inputs = Object.entries(metafile.outputs['out.js'].inputs);
  return {
    size: outputFiles[0].contents.length,
    files: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path.replace(/^.*\//, '')),
  };
}

const OTHERS =
  /lexicon|grammar|creek|story|translate|ffn|purity|decoder|^(reverse|sort|copy|order|induction|addition|facts)\.js$/;

for (const strict of [false, true]) {
  describe(strict ? 'by statements alone' : 'with sideEffects', () => {
    test('a constant, a class of words, or random numbers come alone', async () => {
      for (const [code, limit] of [
        ["import { IGNORE } from './index.js'; console.log(IGNORE)", 500],
        ["import { IGNORE as ignored } from './index.js'; export { ignored }", 500],
        ["import { Random } from './index.js'; console.log(new Random(1).next())", 4000],
        ["import { Vocabulary } from './index.js'; console.log(new Vocabulary(['a']).size)", 7050],
        ["import './index.js'", 100],
      ]) {
        const { size, files } = await bundled(code, strict);
        assert.ok(size < limit, `${code}: ${size} bytes of ${files}`);
      }
    });

    test('a small task brings no lexicon and no other task', async () => {
      for (const name of ['reverse', 'sort', 'copy', 'order', 'induction', 'addition']) {
        const { size, files } = await bundled(
          `import { ${name} } from './index.js'; console.log(${name}.name)`,
          strict,
        );
        assert.ok(size < 19_200, `${name}: ${size} bytes of ${files}`);
        const others = files.filter((file) => OTHERS.test(file));
        assert.deepEqual(others, [`${name}.js`]);
      }
    });

    test('creek brings no French, translate no creek, story neither', async () => {
      for (const [name, foreign] of [
        ['creek', /translate|story|ffn|purity/],
        ['story', /translate|creek|ffn|purity/],
        ['translate', /creek|story|ffn|purity|^lexicon/],
        ['xor', /lexicon|creek|story|scores|split/],
      ]) {
        const { files } = await bundled(`import { ${name} } from './index.js'; console.log(${name}.name)`, strict);
        assert.deepEqual(
          files.filter((file) => foreign.test(file)),
          [],
          name,
        );
      }
    });
  });
}

test('the published files can be left out as the sources can', async () => {
  const { size } = await bundled("import { IGNORE } from 'glassformer/tasks'; console.log(IGNORE)");
  assert.ok(size < 100, `${size} bytes`);
  const { files } = await bundled("import { reverse } from 'glassformer/tasks'; console.log(reverse.name)");
  assert.deepEqual(
    files.filter((file) => /lexicon|grammar|creek/.test(file)),
    [],
  );
});

test('all tasks by name are the tasks by their names', async () => {
  const { tasks, ...exports } = await import('../../src/tasks/index.js');
  for (const [name, task] of Object.entries(tasks)) {
    assert.equal(task.name, name);
    assert.ok(Object.values(exports).includes(task), name);
  }
});
