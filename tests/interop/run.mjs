// node tests/interop/run.mjs FILE.safetensors CONFIG.json IDS.json: runs a model file and prints its logits as JSON.
// The other half is pytorch.py.
import { readFileSync } from 'node:fs';
import { load, readSafetensors } from 'glassformer';

const [file, config, inputs] = process.argv.slice(2);
const gf = await load({ variant: 'simd' });
const model = gf.createModel(JSON.parse(readFileSync(config, 'utf8')));
model.loadWeights(readSafetensors(readFileSync(file)).tensors);
const { logits } = model.forward(JSON.parse(readFileSync(inputs, 'utf8')));
console.log(JSON.stringify({ shape: logits.shape, data: [...logits.data] }));
