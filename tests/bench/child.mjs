// node tests/bench/child.mjs MODULE OPTIONS: prints what the module's default export answers to the options, as JSON.
// A file, not node -e, whose flags the peers' own workers would inherit and refuse.
const [, , module, options] = process.argv;
const { default: run } = await import(new URL(`../../${module}`, import.meta.url).href);
const result = await run(JSON.parse(options));
process.stdout.write(JSON.stringify(result), () => process.exit());
