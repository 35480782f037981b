// `node tests/fuzz/api/replay.mjs SEQUENCE`: plays a sequence of the random walk again, as a failure prints it.
import { replay } from './walk.js';

console.log(await replay(JSON.parse(process.argv[2])));
