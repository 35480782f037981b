// A map in Svelte: the component is Heatmap.svelte.
import { load } from 'glassformer';
import { mount } from 'svelte';
import Heatmap from './Heatmap.svelte';

const gf = await load();
const x = [[1, 0, 1, 0], [0, 2, 0, 2]];
const { weights: matrix } = await gf.attention(x, x, x);
mount(Heatmap, { target: document.body, props: { matrix } });
document.querySelector('glass-heatmap').value; // → 0.73
