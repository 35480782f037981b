// The properties and events of the elements, and their types for HTML and JSX.
import type { GlassHeatmap } from './heatmap.js';
import type {
  GlassFeatures,
  GlassHeads,
  GlassLogits,
  GlassNeurons,
  GlassSentence,
  GlassTraining,
  GlassWhy,
} from './elements.js';
import type { GlassModel } from './model.js';
import type { Model } from 'glassformer';
import type { Features } from 'glassformer/features';

/** Where the colours of a scale begin and end. */
export interface Range {
  /** value of the first colour */
  low: number;
  /** value of the last colour, above `low` */
  high: number;
}

/** The parts of a matrix: set them all at once as `matrix`, or each as a property. */
export interface MatrixInput {
  /** rows of numbers, or all of them row by row; then `shape`, `rows` and `columns` or the labels say how many */
  data?: Float32Array | Float64Array | Int32Array | Uint8Array | readonly number[] | readonly (readonly number[])[];
  /** of `data`, as a tensor has it: the last two axes are rows and columns, of the axes before the first is shown */
  shape?: readonly number[];
  /** number of rows, 1 to 16384 */
  rows?: number;
  /** number of columns, 1 to 16384 */
  columns?: number;
  /** of rows and columns alike */
  labels?: readonly string[];
  /** one for each row; default of `labels`, else its number */
  rowLabels?: readonly string[];
  /** one for each column; default of `labels`, else its number */
  columnLabels?: readonly string[];
  /** what a row is, default 'row' */
  rowTitle?: string;
  /** what a column is, default 'column' */
  columnTitle?: string;
  /** name of the whole, shown above and read aloud */
  label?: string;
  /** 'probability' is 0 to 1, 'signed' diverges about 0, as any does whose `low` is -`high`; default the first if all
   * numbers are in 0 to 1, else the second; 'root' is 'probability' by its square root, which shows small weights */
  scale?: 'probability' | 'root' | 'signed' | Range;
  /** like data, 1 or true where a cell is hidden */
  mask?: Uint8Array | readonly (boolean | number)[] | readonly (readonly (boolean | number)[])[];
}

/** A cell of the matrix, both from 0. */
export interface Cell {
  /** from the top */
  row: number;
  /** from the left */
  column: number;
}

/** A cell and its number. */
export interface CellValue extends Cell {
  /** the number there */
  value: number;
}

/** Fired as 'cursor' when the reader moves the cursor; bubbles. */
export type CursorEvent = CustomEvent<CellValue>;

/** The events of the element by name. */
export interface GlassHeatmapEventMap extends HTMLElementEventMap {
  /** the reader has moved the cursor */
  cursor: CursorEvent;
  /** the same, inside a model */
  choose: ChooseEvent;
}

/** Chosen in all parts of a model; the attributes have the same names. */
export interface ChoiceInput {
  /** layer and head, both from 1: '3.2'; of an encoder–decoder 'cross 2.1' (default), 'decoder 2.1' or 'encoder 2.1' */
  head?: string;
  /** the word that asks: its text, or its place from 0 */
  word?: string | number;
  /** the word that it attends to, likewise; left out, the one with the most weight */
  key?: string | number;
}

/** A model that the page has opened: what `loadModel` gives, and a text. */
export interface OpenModel {
  /** of this thread */
  model: Model;
  /** which makes ids of texts */
  tokenizer: unknown;
  /** of an encoder–decoder whose target has another vocabulary */
  targetTokenizer?: unknown;
  /** the text that it reads */
  text: string;
}

/** The properties of a part of a model. */
export interface PartInput extends ChoiceInput {
  /** in place of the model around the part: a `<glass-model>`, or one that the page has opened; null for none */
  model?: GlassModel | OpenModel | null;
}

/** The properties of a model. */
export interface ModelInput extends ChoiceInput {
  /** of a shipped model: 'creek', 'continue' or 'translate', a file beside this script */
  name?: string;
  /** address of a safetensors file with its configuration and vocabulary, of a checkpoint's folder, or bytes; or what
   * `loadModel` gives */
  src?: string | Uint8Array | ArrayBuffer | Omit<OpenModel, 'text'>;
  /** the text that it reads */
  text?: string;
  /** layer from 1 and neuron from 0: '2.88' */
  neuron?: string;
}

/** All that is chosen, after the reader has chosen at a part. */
export interface Chosen {
  /** layer and head, from 1, as the attribute has them */
  head: string;
  /** place of the word that asks, from 0 */
  word: number;
  /** that word */
  text: string;
  /** place of the word that it attends to, from 0 */
  key: number;
  /** that word */
  keyText: string;
  /** layer from 1 and neuron from 0; null: none is chosen */
  neuron: string | null;
  /** number of the feature that is chosen at a `<glass-features>`, from 0; left out of events of other parts */
  feature?: number;
}

/** Fired as 'choose' at the part where the reader has chosen; bubbles to the model. */
export type ChooseEvent = CustomEvent<Chosen>;

/** The events of a model and its parts by name. */
export interface GlassPartEventMap extends HTMLElementEventMap {
  /** the reader has chosen a head, a word or a neuron */
  choose: ChooseEvent;
}

/** An HTML element whose listeners know its own events by name. */
export interface Listening<Self, Events> extends HTMLElement {
  /** Calls the listener for each event of that name. */
  addEventListener<K extends keyof Events>(
    type: K,
    listener: (this: Self, event: Events[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
  /** Calls it no more. */
  removeEventListener<K extends keyof Events>(
    type: K,
    listener: (this: Self, event: Events[K]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void;
}

/** An HTML element with the events of a model. */
export interface GlassPartBase extends Listening<GlassPartBase, GlassPartEventMap> {}

/** An HTML element with the properties of a model. */
export interface GlassModelBase extends GlassPartBase, ModelInput {}

/** The properties of neurons. */
export interface NeuronsInput extends PartInput {
  /** from 1; left out, the layer of the chosen neuron or head */
  layer?: string | number;
  /** layer from 1 and neuron from 0: '2.88' */
  neuron?: string;
}

/** The properties of features. */
export interface FeaturesInput extends PartInput {
  /** address of a dictionary's file or folder, a file's bytes, or `Features` of `glassformer/features` */
  src?: string | Uint8Array | ArrayBuffer | Features;
  /** number of a feature, from 0; left out, the strongest at the chosen word */
  feature?: string | number;
}

/** The properties of a training. */
export interface TrainingInput {
  /** of an encoder or decoder: 'copy', 'reverse', 'reverse-variable', 'sort', 'order', 'addition', 'induction', 'story' */
  task?: string;
  /** of the weights that it begins with, default 1 */
  seed?: string | number;
}

/** The properties of a sentence. */
export interface SentenceInput extends PartInput {
  /** words between bars, of which one is in the text: 'tired|deep' */
  flip?: string;
}

/** The props of a model in JSX. */
export interface GlassModelProps extends ModelInput, PartProps {}

/** An HTML element with the parts of a matrix as properties, and its events. */
export interface GlassHeatmapBase extends Listening<GlassHeatmap, GlassHeatmapEventMap>, MatrixInput, PartInput {}

/** The events of a part in JSX. */
export interface PartProps {
  /** the reader has chosen something */
  onchoose?: (event: ChooseEvent) => void;
}

/** The props in JSX: React 19 sets properties of elements, and listens to the events whose names follow `on`. */
export interface GlassHeatmapProps extends MatrixInput, PartInput {
  /** all of it at once, or rows of numbers; null for nothing */
  matrix?: MatrixInput | MatrixInput['data'] | null;
  /** where the cursor stands */
  cursor?: Cell;
  /** the reader has moved the cursor */
  oncursor?: (event: CursorEvent) => void;
  /** the same, inside a model */
  onchoose?: (event: ChooseEvent) => void;
}

declare global {
  interface HTMLElementTagNameMap {
    'glass-model': GlassModel;
    'glass-heatmap': GlassHeatmap;
    'glass-sentence': GlassSentence;
    'glass-heads': GlassHeads;
    'glass-logits': GlassLogits;
    'glass-neurons': GlassNeurons;
    'glass-features': GlassFeatures;
    'glass-why': GlassWhy;
    'glass-training': GlassTraining;
  }
}

// Where React is installed, this adds to its module; where it is not, there is nothing to add to.
// @ts-ignore
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      // @ts-ignore
      'glass-model': GlassModelProps & import('react').HTMLAttributes<GlassModel> & import('react').RefAttributes<GlassModel>;
      // @ts-ignore
      'glass-sentence': SentenceInput & PartProps & import('react').HTMLAttributes<GlassSentence> & import('react').RefAttributes<GlassSentence>;
      // @ts-ignore
      'glass-heads': PartInput & PartProps & import('react').HTMLAttributes<GlassHeads> & import('react').RefAttributes<GlassHeads>;
      // @ts-ignore
      'glass-logits': PartInput & PartProps & import('react').HTMLAttributes<GlassLogits> & import('react').RefAttributes<GlassLogits>;
      // @ts-ignore
      'glass-neurons': NeuronsInput & PartProps & import('react').HTMLAttributes<GlassNeurons> & import('react').RefAttributes<GlassNeurons>;
      // @ts-ignore
      'glass-features': FeaturesInput & PartProps & import('react').HTMLAttributes<GlassFeatures> & import('react').RefAttributes<GlassFeatures>;
      // @ts-ignore
      'glass-why': PartInput & PartProps & import('react').HTMLAttributes<GlassWhy> & import('react').RefAttributes<GlassWhy>;
      // @ts-ignore
      'glass-training': TrainingInput & import('react').HTMLAttributes<GlassTraining> & import('react').RefAttributes<GlassTraining>;
      // @ts-ignore
      'glass-heatmap': GlassHeatmapProps & import('react').HTMLAttributes<GlassHeatmap> & import('react').RefAttributes<GlassHeatmap>;
    }
  }
}
