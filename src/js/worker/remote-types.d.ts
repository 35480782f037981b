// The types of an engine in a worker: those of the engine itself, with promises.
import type { Tensor } from '../arrays/tensor.js';
import type { WorkerLike } from './connect.js';
import type { Config, Settings } from '../engine/config.js';
import type { Adapters } from '../engine/adapters.js';
import type { ClassesOptions, SpansOptions } from '../engine/classify.js';
import type { TrainerOfSpans } from '../engine/spans.js';
import type { Engine } from '../engine/engine.js';
import type { GenerateOptions, GeneratedOf, Prompt, Token, Signal } from '../engine/generate.js';
import type { Instance } from '../globals.js';
import type { Rounding, SaveOptions } from '../files/save-model.js';
import type { SaveCheckpointOptions, SavedCheckpoint } from '../files/save-checkpoint.js';
import type { ForwardOptions, Model } from '../engine/model.js';
import type { OnnxOptions } from '../entries/onnx.js';
import type { Selector } from '../engine/selector.js';
import type { LogitsOf, Opened, TensorOf } from '../engine/results.js';
import type { LoadOptions } from '../entries/index.js';
import type { Trace } from '../engine/trace.js';
import type { Frozen, Shards, Trainer, TrainerOptions } from '../engine/trainer.js';

/** Where the worker comes from: its script's address, which may be a TrustedScriptURL, or itself. */
export type WorkerSource = string | Instance<'URL'> | { toJSON(): string } | WorkerLike;

/** Options of `load({ worker })`. */
export interface RemoteOptions extends LoadOptions {
  /**
   * true, or where a page's policy forbids `blob:` the address of a file on its own site with the text that
   * `glassformer/worker-thread` exports; or a worker of yours, or a function that gives either
   */
  worker: true | WorkerSource | (() => WorkerSource);
  /**
   * threads that compute large passes, 1 to 64, default 1; `gf.threads` says how many have started. A `worker` that is
   * no address is then a function, which gives each its own
   */
  threads?: number;
  /** @internal multiply-adds of a layer from which on a pass is cut */
  least?: number;
}

/** A result as it arrives: models and trainers stay in the worker. */
export type Remoted<T> = T extends Engine
  ? RemoteEngine
  : T extends Model<infer Logits>
    ? RemoteModel<Logits>
    : T extends Trace<infer Logits>
      ? RemoteTrace<Logits>
      : T extends Trainer
        ? RemoteTrainer
        : T extends (...args: infer A) => infer R
          ? (...args: A) => Promise<R>
          : T extends { model: Model }
            ? { [K in keyof T]: Remoted<T[K]> }
            : T;

/** An option that calls may take besides their own. */
export interface Abort {
  /** ends the call */
  signal?: Signal;
}

/** Arguments that may also hold a signal. */
export type Abortable<A extends unknown[]> = { [I in keyof A]: A[I] extends object | undefined ? A[I] & Abort : A[I] };

/** An object in the worker: its methods return promises, its properties are kept as they were after the last call. */
export type Remote<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (...args: Abortable<A>) => Promise<Remoted<Awaited<R>>>
    : T[K];
};

/** An engine in a worker. When that ends by itself (an exception, too little memory), calls reject as after `terminate`. */
export type RemoteEngine = Remote<Omit<Engine, 'createModel' | 'loadModel'>> & {
  /** As in `glassformer`. */
  createModel<H extends Config['head'] = 'none'>(config?: Settings & { head?: H }): Promise<RemoteModel<LogitsOf<H>>>;
  /** As in `glassformer`. */
  loadModel<F extends Parameters<Engine['loadModel']>[0]>(
    file: F,
    options?: Parameters<Engine['loadModel']>[1],
  ): Promise<Remoted<Opened<F>>>;
  /** Ends the worker with all its models, even within a call; calls that wait, and later ones, reject: `freed`. */
  terminate(): void;
};

/** Methods of a model whose overloads and type parameters a mapped type would lose. */
type Overloaded = 'forward' | 'tensor' | 'clone' | 'generate' | 'save' | 'trainer';

/** A model in a worker: the methods of a model, which return promises, and its properties. It has no `view`. */
export interface RemoteModel<Logits extends Tensor | undefined = Tensor | undefined> extends Remote<
  Omit<Model<Logits>, Overloaded | 'view' | 'generateSync'>
> {
  /** One pass over a batch. */
  forward(options: ForwardOptions & Abort): Promise<{ output: Tensor; logits: Logits; values?: Tensor }>;
  /** A copy of one tensor, or of one head's matrix in it, or of a row. */
  tensor<const S extends Selector>(selector: S): Promise<TensorOf<S>>;
  /** Another model of the same configuration and weights, but for the changes. */
  clone(changes?: Partial<Omit<Config, 'head'>>): Promise<RemoteModel<Logits>>;
  clone(changes: Partial<Config>): Promise<RemoteModel>;
  clone(changes: (ClassesOptions | SpansOptions) & Partial<Omit<Config, 'head'>>): Promise<RemoteModel>;
  /** Continues a sequence token by token. */
  generate<I extends Prompt>(input: I, options?: GenerateOptions): Promise<GeneratedOf<I>> & AsyncIterable<Token>;
  /** The model as a safetensors file. */
  save(options: { format: 'huggingface' } & SaveCheckpointOptions): Promise<SavedCheckpoint>;
  save(options: { format: 'onnx' } & OnnxOptions): Promise<Uint8Array<ArrayBuffer>>;
  save(options?: SaveOptions & Rounding & { format?: 'glassformer' }): Promise<Uint8Array>;
  /** A trainer; that worker starts no others, so that it computes shards itself. */
  trainer(options?: TrainerOptions & Frozen & Shards): Promise<RemoteTrainer>;
  trainer(options: TrainerOptions & { adapters: Adapters }): Promise<RemoteTrainer>;
  trainer(
    options: Omit<TrainerOptions, 'loss'> & Frozen & { loss: 'spans' },
  ): Promise<Remote<Omit<TrainerOfSpans, 'train'>> & Pick<Trainer, 'train'>>;
}

/** The results of a pass, in a worker. */
export interface RemoteTrace<Logits extends Tensor | undefined = Tensor | undefined> extends Remote<
  Omit<Trace<Logits>, 'tensor' | 'decided'>
> {
  /** A copy of a tensor of the pass, or of a part of it. */
  tensor<const S extends Selector>(selector: S): Promise<TensorOf<S>>;
  /** Finds causes of the answer at a token. */
  decided: Trace['decided'];
}

/** A trainer in a worker. */
export type RemoteTrainer = Remote<Omit<Trainer, 'train'>> & Pick<Trainer, 'train'>;
