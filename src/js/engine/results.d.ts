// Types of results that a setting, a name or a file decides.
import type { Head } from '../../../dist/generated/settings.js';
import type { Tensor } from '../arrays/tensor.js';
import type { CheckpointFiles } from '../files/checkpoint-source.js';
import type { Checkpoint } from '../files/load-checkpoint.js';
import type { ModelFile } from '../files/model-file.js';
import type { Tokenizer } from '../text/tokenizer.js';

/** The type of `forward`'s logits, by the setting `head`. */
export type LogitsOf<H extends Head> = H extends 'none' ? undefined : Tensor;

/** The tensor that is selected, by its name: ids are whole numbers, padding is bytes, all else floats. */
export type TensorOf<S> = S extends { readonly name: infer N extends string }
  ? NamedTensor<N>
  : S extends string
    ? NamedTensor<S>
    : Tensor;

/** The tensor of that name. */
export type NamedTensor<N extends string> = string extends N
  ? Tensor<Float32Array | Int32Array | Uint8Array>
  : N extends `${string}padding`
    ? Tensor<Uint8Array>
    : N extends 'targets' | `${string}.ids` | `${string}.types`
      ? Tensor<Int32Array>
      : Tensor;

/** The result of `loadModel`, by its argument. */
export type Opened<F> = F extends { config: unknown; tokenizer: unknown }
  ? Checkpoint & { tokenizer: Tokenizer }
  : F extends CheckpointFiles | readonly any[] | `hub:${string}` | `${string}/`
    ? Checkpoint
    : ModelFile & Partial<Checkpoint>;
