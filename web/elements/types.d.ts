// The properties and events of <glass-heatmap>, and its type for HTML and JSX.
import type { GlassHeatmap } from './index.js';

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
   * numbers are in 0 to 1, else the second */
  scale?: 'probability' | 'signed' | Range;
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
}

/** An HTML element with the parts of a matrix as properties, and its events. */
export interface GlassHeatmapBase extends HTMLElement, MatrixInput {
  /** Calls the listener for each event of that name. */
  addEventListener<K extends keyof GlassHeatmapEventMap>(
    type: K,
    listener: (this: GlassHeatmap, event: GlassHeatmapEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
  /** Calls it no more. */
  removeEventListener<K extends keyof GlassHeatmapEventMap>(
    type: K,
    listener: (this: GlassHeatmap, event: GlassHeatmapEventMap[K]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void;
}

/** The props in JSX: React 19 sets properties of elements, and listens to the events whose names follow `on`. */
export interface GlassHeatmapProps extends MatrixInput {
  /** all of it at once, or rows of numbers; null for nothing */
  matrix?: MatrixInput | MatrixInput['data'] | null;
  /** where the cursor stands */
  cursor?: Cell;
  /** the reader has moved the cursor */
  oncursor?: (event: CursorEvent) => void;
}

declare global {
  interface HTMLElementTagNameMap {
    'glass-heatmap': GlassHeatmap;
  }
}

// Where React is installed, this adds to its module; where it is not, there is nothing to add to.
// @ts-ignore
declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      // @ts-ignore
      'glass-heatmap': GlassHeatmapProps & import('react').HTMLAttributes<GlassHeatmap> & import('react').RefAttributes<GlassHeatmap>;
    }
  }
}
