// `npm run mutate`: faults put into the C, or with --js FOLDER into JavaScript.
await import(process.argv.includes('--js') ? './js.mjs' : './c.mjs');
export {};
