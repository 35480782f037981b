// Minifies a built page once more, by what esbuild leaves: 4 % of its JavaScript gzipped. The source maps follow.
// node web/app/minify.mjs FOLDER
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { minify } from 'terser';

const folder = process.argv[2];
await Promise.all(
  readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map(async (name) => {
      const file = join(folder, name);
      const map = `${file}.map`;
      const { code, map: mapped } = await minify(
        readFileSync(file, 'utf8').replace(/^ +/gm, ''), // what indents templates: no minifier touches strings
        {
          module: true,
          ecma: 2020,
          compress: { passes: 3 },
          format: { comments: false },
          ...(existsSync(map) && { sourceMap: { content: readFileSync(map, 'utf8'), url: `${name}.map` } }),
        },
      );
      writeFileSync(file, code ?? '');
      if (mapped) writeFileSync(map, String(mapped));
    }),
);
