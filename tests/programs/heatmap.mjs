// The weights of a head as a map in a page.
import { load } from 'glassformer';
import 'glassformer/elements';

const gf = await load();
const { model } = await gf.loadModel(import.meta.resolve('glassformer/models/creek'));
const text = 'the creek was cold and the spunky dog wanted to jump over it .';
await model.forward(text, { capture: true });
const map = document.body.appendChild(document.createElement('glass-heatmap'));
map.matrix = await model.tensor({ name: 'encoder.layers.2.self_attn.weights', head: 1 });
map.labels = text.split(' ');
map.cursor = { row: 12, column: 1 };
map.value > 0.9; // → true
map.labels[map.cursor.column]; // → 'creek'
