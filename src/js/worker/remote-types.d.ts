// The types of an engine in a worker: those of the engine itself, with promises.
import type { WorkerLike } from './connect.js';
import type { Engine } from '../engine/engine.js';
import type { BatchOptions, Generated, Signal } from '../engine/generate.js';
import type { Instance } from '../globals.js';
import type { SavedCheckpoint } from '../files/save-checkpoint.js';
import type { Model } from '../engine/model.js';
import type { OnnxOptions } from '../onnx.js';
import type { WasmSource } from '../engine/start.js';
import type { Frozen, Shards, StepReport, Trainer, TrainerOptions, TrainingBatch } from '../engine/trainer.js';

/** Where the worker comes from: its script's address, which may be a TrustedScriptURL, or itself. */
export type WorkerSource = string | Instance<'URL'> | { toJSON(): string } | WorkerLike;

/** What `load` of `glassformer/worker` takes. */
export interface RemoteOptions {
  /** as in `load` of `glassformer` */
  variant?: 'auto' | 'simd' | 'relaxed';
  /** a module instead of the built-in one */
  wasm?: WasmSource | PromiseLike<WasmSource>;
  /** multiply-adds that a call may take; default 1e12, some 50 s */
  maxOperations?: number;
  /** where a page's policy forbids `blob:`: a copy of `glassformer/worker-thread` on its own site */
  worker?: WorkerSource | (() => WorkerSource);
}

/** What comes of a result: models and trainers stay in the worker. */
export type Remoted<T> = T extends Engine
  ? RemoteEngine
  : T extends Model
    ? RemoteModel
    : T extends Trainer
      ? RemoteTrainer
      : T extends (...args: infer A) => infer R
        ? (...args: A) => Promise<R>
        : T extends { model: Model }
          ? { [K in keyof T]: Remoted<T[K]> }
          : T;

/** Arguments that may also hold a signal. */
export type Abortable<A extends unknown[]> = {
  [I in keyof A]: A[I] extends object | undefined ? A[I] & { signal?: Signal } : A[I];
};

/** An object in the worker: its methods return promises, its properties are kept as they were after the last call. */
export type Remote<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (...args: Abortable<A>) => Promise<Remoted<Awaited<R>>>
    : T[K];
};

/** An engine in a worker. When that ends by itself (an exception, too little memory), calls reject as after `terminate`. */
export type RemoteEngine = Remote<Omit<Engine, 'exportOnnx'>> & {
  /** As in `glassformer`. */
  exportOnnx(model: RemoteModel, options?: OnnxOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** Ends the worker with all its models, even within a call; calls that wait, and later ones, reject: `freed`. */
  terminate(): void;
};

/** A model in a worker. */
export type RemoteModel = Remote<Omit<Model, 'view' | 'generateAsync' | 'stream' | 'trainer'>> & {
  /** As of a model. */
  generate(options: BatchOptions): Promise<Generated[]>;
  /** As of a model. */
  save(options: { names: 'huggingface'; float16?: boolean }): Promise<SavedCheckpoint>;
  /** As of a model: that worker computes a token when the loop asks for it. */
  stream: Model['stream'];
  /** As of a model; that worker starts no others, so that it computes shards itself. */
  trainer(options?: TrainerOptions & Frozen & Shards): Promise<RemoteTrainer>;
};

/** A trainer in a worker. */
export type RemoteTrainer = Remote<Trainer> & {
  /** Takes a step on each batch; returning false from `onProgress` ends it, as an aborted `signal` does. */
  train(
    batches: Iterable<TrainingBatch> | AsyncIterable<TrainingBatch>,
    options?: { onProgress?: (report: StepReport) => unknown; signal?: Signal },
  ): Promise<StepReport[]>;
};
