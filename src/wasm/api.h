/* api.h: the manual of Glassformer's WebAssembly module.
 *
 * Everything here can be used from any WebAssembly host, without the JavaScript of this project:
 * instantiate simd.wasm (or relaxed.wasm, where relaxed SIMD validates) with the single import
 *   env.emscripten_notify_memory_growth: (i32) -> ()      called after the memory has grown
 * call the export `_initialize` once, then the functions below. They are the only exports beside
 * `memory`. No export takes or returns a 64-bit integer.
 *
 * Types     A pointer or size is an i32 offset into `memory`; float is f32. Tensors are dense
 *           row-major unless strides are named. Alignment: 4 bytes for floats and ints.
 * Results   0 or a positive number is success. A negative number is one of GF_ERROR_* below and
 *           the call has changed nothing.
 * Memory    The host allocates with gf_alloc, writes through `memory`, reads results, gf_frees.
 *           Any call that may allocate (gf_alloc, gf_model_create, gf_model_prepare,
 *           gf_trainer_start, gf_trainer_data) can grow the memory: rebuild typed views afterwards. No other call
 *           allocates.
 * Trust     Handles, indices, flags and token ids are checked, and so are the sizes of models. The
 *           operations on arrays take the host's word for pointers and sizes (each size >= 1): a
 *           wrong one reads or writes elsewhere inside `memory`, or traps; it never leaves it.
 * Letters   B batch, T target or query length, S source or key length, C = d_model, H heads,
 *           D = C/H, F = d_ff, V vocabulary.
 */
#ifndef GLASSFORMER_WASM_API_H
#define GLASSFORMER_WASM_API_H

#include <stddef.h>
#include <stdint.h>

#include "../model/config.h"
#include "../model/graph.h"
#include "../model/tensors.h"
#include "../train/trainer.h"

#define GF_ERROR_MEMORY (-1)    /* not enough memory, or a size beyond what memory can address */
#define GF_ERROR_HANDLE (-2)    /* not a live model */
#define GF_ERROR_ARGUMENT (-3)  /* a size, index or flag out of range */
#define GF_ERROR_TOKEN (-4)     /* a token, type or position id outside its table */
#define GF_ERROR_STATE (-5)     /* called too early: no gf_model_prepare yet, or no such cache */
#define GF_ERROR_NUMBER (-6)    /* a loss or gradient is not finite */
#define GF_ERROR_CONFIG (-1000) /* GF_ERROR_CONFIG - i: field i of the configuration is invalid */

/* gf_version: 1000000 * major + 1000 * minor + patch. */
int32_t gf_version(void);

/* gf_alloc: bytes of memory, 64-byte aligned, not cleared; 0 when there is not enough.
 * gf_refused: bytes that did not fit since the last call, 0 if all did.
 * gf_free: gives back what gf_alloc gave; 0 is allowed. */
void *gf_alloc(size_t bytes);
size_t gf_refused(void);
void gf_free(void *pointer);

/* gf_tile: rows of the register tile of matrix products from now on; no result depends on it.
 * rows  4: four, unrolled (at the beginning); 6: six, which relaxed.wasm unrolls; 0: the tallest
 *       unrolled one, which is 6 in relaxed.wasm and 4 in simd.wasm
 * Returns the rows. src/kernel/tile.c has measurements, src/js/engine/tile.js what suits which engine. */
int32_t gf_tile(int32_t rows);

/* ---- operations on arrays ---------------------------------------------------------------- */

/* gf_matmul: y[n] = op(a[n]) op(b[n]) for n < batch.
 * out  y (batch,M,N)
 * in   a (batch,M,K), or (batch,K,M) with trans_a;  b (batch,K,N), or (batch,N,K) with trans_b
 * y must not overlap a or b. Any M, K, N >= 1. */
int32_t gf_matmul(float *y, const float *a, const float *b, size_t batch, size_t M, size_t K,
                  size_t N, int32_t trans_a, int32_t trans_b);

/* gf_linear: y = x w^T + bias + residual, then with relu its positive part; some rows of a layer's
 * weight give the same bits as all of them.
 * out  y (R,out), y_row floats from one row to the next
 * in   x (R,in); weight (out,in) of a type (see gf_half_get; 0: float32): packed, whole panels of 16
 *      rows; bias (out) or 0; residual as y, or 0
 * GF_ERROR_ARGUMENT for an unknown type or y_row < out. */
int32_t gf_linear(float *y, size_t y_row, const float *x, const void *weight, int32_t type,
                  const float *bias, const float *residual, int32_t relu, size_t R, size_t in,
                  size_t out);

/* gf_softmax: y[r,:] = softmax(x[r,:]), (R,N). -Infinity is a masked entry and gives 0; a row of
 * nothing but -Infinity gives zeros. y may equal x. */
int32_t gf_softmax(float *y, const float *x, size_t R, size_t N);

/* gf_log_softmax: y[r,i] = x[r,i] - log sum_j exp(x[r,j]), (R,N), in nats; -Infinity is a masked
 * entry and stays. y may equal x. Error half an ulp and (N + 10) 2^-53 (1 + |log sum exp|). */
int32_t gf_log_softmax(float *y, const float *x, size_t R, size_t N);

/* gf_kl_divergence: y[r] = sum_i P_i (log P_i - log Q_i) in nats, P = softmax(p[r,:]),
 * Q = softmax(q[r,:]); y (R), p and q (R,N) logits. Infinity where Q is 0 and P is not; NaN for a
 * row of nothing but -Infinity. Computed in double. Kullback and Leibler 1951, equation 2.4. */
int32_t gf_kl_divergence(float *y, const float *p, const float *q, size_t R, size_t N);

/* gf_row_dot: y[r] = sum_c a[r,c] b[r,c].  gf_row_norm: y[r] = sqrt(sum_c x[r,c]^2).
 * out  y (R);  in  a, b, x (R,C). Summed in double: error half an ulp and C 2^-53 sum |a b|. */
int32_t gf_row_dot(float *y, const float *a, const float *b, size_t R, size_t C);
int32_t gf_row_norm(float *y, const float *x, size_t R, size_t C);

/* gf_layer_norm: y = (x - mean) / sqrt(variance + epsilon) * weight + bias over the last axis.
 * out  y (R,C), mean (R) or 0, variance (R, biased: divided by C) or 0
 * in   x (R,C), weight (C) or 0 for ones, bias (C) or 0 for zeros
 * y may equal x. Ba et al. 2016, section 3. */
int32_t gf_layer_norm(float *y, float *mean, float *variance, const float *x, const float *weight,
                      const float *bias, float epsilon, size_t R, size_t C);

/* gf_rms_norm: y = x / sqrt(mean(x^2) + epsilon) * weight over the last axis.
 * out  y (R,C), mean_square (R) or 0
 * in   x (R,C), weight (C) or 0 for ones
 * y may equal x. Zhang and Sennrich 2019, equation 4. */
int32_t gf_rms_norm(float *y, float *mean_square, const float *x, const float *weight,
                    float epsilon, size_t R, size_t C);

/* gf_activation: y[i] = f(x[i]), i < n; kind as in enum activation (kernel/activation.h) but
 * ACTIVATION_TOP_K, else GF_ERROR_ARGUMENT. y may equal x.
 * gf_top_k: y[r,i] = x[r,i] where that is above 0 and one of the k largest of its row, else 0; of equal ones the first
 * is the larger. y, x (rows,width); k of 0 is GF_ERROR_ARGUMENT. y may equal x. Gao et al. 2024, section 2.3. */
int32_t gf_activation(float *y, const float *x, size_t n, int32_t kind);
int32_t gf_top_k(float *y, const float *x, size_t rows, size_t width, size_t k);

/* gf_embedding: y[i,:] = table[ids[i],:] * scale; y (n,C), ids (n), table (V,C).
 * GF_ERROR_TOKEN when an id is outside 0..V-1; y is then untouched. */
int32_t gf_embedding(float *y, const int32_t *ids, const float *table, float scale, size_t n,
                     size_t V, size_t C);

/* gf_positions: sinusoidal positional encoding of the given positions, (n,C):
 *   y[i,2j] = sin(positions[i] / 10000^(2j/C)),  y[i,2j+1] = cos(the same)
 * angles in double. positions 0..CONFIG_MAX_SIZE. Vaswani et al. 2017, section 3.5. */
int32_t gf_positions(float *y, const int32_t *positions, size_t n, size_t C);

/* gf_rotation: cosines and sines of rotary positions, (n,D): D/2 cosines, then D/2 sines, of
 *   positions[i] * theta^(-2j/D), scaled as enum rotation_scaling (op/position.h) says
 * positions 0..CONFIG_MAX_SIZE; D even; theta, factor >= 1; low < high. Angles in double.
 * gf_rotate: each pair (a,b) of the first N numbers of each head of x (T,H,D), j and j + N/2, or interleaved 2j
 *   and 2j + 1, becomes (a cos - b sin, b cos + a sin) by its row of the table (T,N); the others stay. back: turned
 *   back, which is its gradient too. N even, at most D. y may equal x. Su et al. 2021, equation 34. */
int32_t gf_rotation(float *y, const int32_t *positions, size_t n, size_t D, double theta,
                    int32_t scaling, double factor, double low, double high, double original);
int32_t gf_rotate(float *y, const float *x, const float *table, size_t T, size_t H, size_t D,
                  size_t N, int32_t interleaved, int32_t back);

/* gf_attention: scaled dot-product attention of H heads.
 *   scores = q k^T * scale,  weights = softmax(scores + masks),  output = weights v
 * out  output (B,T,H*E);  scores (B,H,T,S) scaled, before masks;  weights (B,H,T,S)
 * in   query (B,T,H*D), key (B,S,H*D): head h is columns h*D..(h+1)*D-1; value (B,S,H*E) likewise
 *      key_padding (B,S) bytes, 1 hides that key, or 0 for none
 *      mask (T,S) added to the scaled scores, -Infinity hides, or 0 for none
 *      causal 1: query t sees keys s <= t only
 * A row whose keys are all hidden has weights 0 and output 0. Vaswani et al. 2017, 3.2.1. */
int32_t gf_attention(float *output, float *scores, float *weights, const float *query,
                     const float *key, const float *value, const uint8_t *key_padding,
                     const float *mask, float scale, int32_t causal, size_t B, size_t T, size_t S,
                     size_t H, size_t D, size_t E);

/* gf_cross_entropy: loss and log-probabilities of R rows of logits.
 *   log_probability = logits - logsumexp(logits);  a row's loss is
 *   -(1-smoothing) * log_probability[target] - smoothing/V * sum_v log_probability[v]
 * out  loss (1): the mean over the rows counted (reduction 0; NaN when there is none, as in
 *      PyTorch), or their sum (reduction 1);  log_probability (R,V)
 * in   logits (R,V); targets (R), each 0..V-1 or ignore_index, whose row is not counted
 * GF_ERROR_TOKEN on any other target; nothing is then written. Returns the rows counted. */
int32_t gf_cross_entropy(float *loss, float *log_probability, const float *logits,
                         const int32_t *targets, size_t R, size_t V, int32_t ignore_index,
                         float smoothing, int32_t reduction);

/* gf_sample: draws one token from a row of V logits.
 *   temperature 0: the largest logit (the first of equals); else from softmax(logits/temperature)
 *   top_k 1..V: only the k largest logits stay (the first of equals); 0: all
 * state (4 words): the generator, seeded by gf_seed; moved on by one draw unless temperature is 0.
 * scratch (V floats). Returns the token; GF_ERROR_ARGUMENT for a temperature that is
 * negative or not finite,
 * top_k > V, or logits that hold NaN. */
int32_t gf_sample(const float *logits, size_t V, float temperature, size_t top_k, uint32_t *state,
                  float *scratch);
void gf_seed(uint32_t *state, uint32_t seed);

/* ---- models ------------------------------------------------------------------------------ */

/* gf_config_count, gf_config_field: the settings of a model, in the order of the words that
 * gf_model_create takes; see config.h for the struct and the meaning. Strings end in a 0 byte.
 * out (40 bytes): 0 name, 4 choices (pointers), 8 type, 16 fallback, 24 low, 32 high (f64). */
int32_t gf_config_count(void);
int32_t gf_config_field(config_field *out, int32_t kind, int32_t index);

/* gf_config_tensors: the tensors of a model of that configuration, as gf_model_tensors lists them but
 * with data 0: its weights, or with captured 1 all those of a pass over one token with GF_CAPTURE.
 * There is no model, and nothing is allocated: so a file's header can be compared with its
 * configuration before that takes memory, also one that no memory could hold. GF_ERROR_CONFIG - i
 * names a bad field. */
int32_t gf_config_tensors(tensor_info *out, const model_config *config, int32_t captured,
                          int32_t first, int32_t count);

/* gf_name: address of the name of a value of an enumeration, ending in a 0 byte, or 0 beyond its
 * end: of 0 types of elements, 1 regions, 2 roles, 3 kinds of nodes, 4 stacks, 5 attentions. Two
 * values may share a name; those of roles are unique within a kind of node. */
const char *gf_name(int32_t enumeration, int32_t value);

/* gf_model_create: a model with zeroed weights. config: gf_config_count words (config.h).
 * Returns its handle; GF_ERROR_CONFIG - i names a bad field.
 * gf_model_destroy: gives its memory back; the handle is dead. */
int32_t gf_model_create(const model_config *config);
int32_t gf_model_destroy(int32_t model);

/* gf_model_initialize: fresh weights from a seed. Matrices Xavier uniform (q, k, v each on their
 * own), embeddings normal with deviation 1/sqrt(C), gains 1, biases 0. Each tensor has its own
 * generator, seeded by (seed, name): a switch that adds or removes a tensor leaves the others'
 * bits alone. Arranged matrices are rows again. */
int32_t gf_model_initialize(int32_t model, uint32_t seed);

/* gf_model_arrange: the matrices of a float32 model where they stand as products read them fastest (panels
 * 1; type "panels", which gf_packed_get reads but for the last shape[0] % 8 rows: those stay rows), or
 * as rows again (0). No number changes. Training, and calls that write weights, need rows. GF_ERROR_STATE
 * for weights of another type, a model that trains, d_model no multiple of 8, d_model or d_ff > 8192. */
int32_t gf_model_arrange(int32_t model, int32_t panels);

/* Flags of gf_model_prepare: which optional inputs the coming forward calls read, and whether
 * intermediates are kept. An input that is not announced does not exist. */
enum {
    GF_CAPTURE = 1,          /* keep every intermediate, readable by name */
    GF_CACHE = 2,            /* keep keys and values of earlier calls: gf_model_step */
    GF_TYPES = 4,            /* encoder.types (needs config types > 0) */
    GF_ENCODER_PADDING = 8,  /* encoder.padding (B,S): hides source tokens in self-attention */
    GF_DECODER_PADDING = 16, /* decoder.padding (B,T): likewise for target tokens */
    GF_MEMORY_PADDING = 32,  /* memory.padding (B,S): hides source tokens in cross-attention */
    GF_MASK = 64,            /* mask (queries,keys): added to the scaled scores of the decoder's
                                self-attention; without decoder, of the encoder's; in kind
                                attention, of its only attention. Not with GF_CACHE */
    GF_TRAIN = 128,          /* keep what the backward pass needs, and the input `targets` (B,T) of
                                the last stack; the first time the model gets memory for gradients */
    GF_TRAIN_VECTORS = 256,  /* with GF_TRAIN: `targetVectors` (B,T,C) instead, for the losses
                                mse and linear; of a model with output_width as wide as that */
    GF_ONE_ROW = 512,        /* memory for one row of logits: passes compute none, gf_model_logits
                                does. Not with GF_CACHE and GF_TRAIN, nor without head */
    GF_LOSS_MASK =
        1024 /* with GF_TRAIN: `lossMask` (B,T), bytes: a row with 0 does not count in the
                                loss; its target in `targets` becomes the one to ignore */
};

/* gf_model_prepare: lays out inputs and activations for batches of B rows of S source tokens
 * (encoder) and T target tokens (decoder); a stack that the model lacks has length 0. kind
 * attention: T queries; S keys from `memory`, or S = 0 for self-attention. kind feed-forward: T.
 * capacity: with GF_CACHE the longest target in all (>= T; B = 1 with GF_CAPTURE), else 0.
 * Returns the bytes of the layout; on failure the former layout stays as it was. Success drops the
 * results of earlier forward calls. */
int32_t gf_model_prepare(int32_t model, size_t B, size_t S, size_t T, size_t capacity,
                         int32_t flags);

/* gf_model_bytes: what gf_model_prepare would return; nothing is laid out. */
int32_t gf_model_bytes(int32_t model, size_t B, size_t S, size_t T, size_t capacity, int32_t flags);

/* gf_model_omit: the layers, numbered within each stack, whose intermediates later layouts with GF_CAPTURE leave out:
 * layer i < 32 is bit i of low, any other bit i - 32 of high; at first none. These share memory as without GF_CAPTURE.
 * Such a layout does not go with GF_TRAIN. */
int32_t gf_model_omit(int32_t model, uint32_t low, uint32_t high);

/* gf_model_resize: T target tokens from now on, where one sequence of a causal decoder is laid out without GF_CACHE and
 * GF_TRAIN, else GF_ERROR_STATE. Results of tokens that remain stay. Returns as gf_model_prepare.
 * capacity: 0, or as with GF_CACHE and without GF_CAPTURE: keys and values alone stay, so that gf_model_step may go on
 * from any of these tokens.
 * gf_model_resume: gf_model_forward that computes only what the first `past` target tokens have not had computed by the
 * last forward call: these and what belongs to them (their padding, their rows and columns of mask), the encoder's
 * inputs and all weights must be what they were then, and that call without changes. past >= 1; where it is T, nothing
 * is computed. Same bits as the full pass. */
int32_t gf_model_resize(int32_t model, size_t T, size_t capacity);
int32_t gf_model_resume(int32_t model, size_t past);

/* gf_model_operations: what a forward pass over such a batch would cost: the multiply-adds of its matrix products,
 * and for all else as many as take as long in a large product; backward is twice as much again. Sizes as in
 * gf_model_prepare, also fractions, as of a mean length. -1 for no live model. */
double gf_model_operations(int32_t model, double B, double S, double T);

/* gf_model_forward: one pass over the inputs, which the host has written into the tensors
 *   encoder.ids, decoder.ids (int32) or, without vocabulary, encoder.vectors, decoder.vectors
 *   (B,T, config input_width or else C);
 *   encoder.types; encoder.padding, decoder.padding, memory.padding (bytes); mask (float);
 *   kinds attention and feed-forward: input (B,T,C), memory (B,S,C), padding (B, keys)
 * GF_ERROR_TOKEN when an id is outside its table; nothing is then computed. */
int32_t gf_model_forward(int32_t model);

/* gf_model_step: with GF_CACHE, the next T target tokens (1..T of prepare) at positions
 * past..past+T-1, past = tokens passed before; the encoder is not run again. The tokens stand at
 * the start of decoder.ids, the logits come at the start of logits. Same bits as the full pass.
 * gf_model_copy: with GF_CACHE, the sequence `to` of the batch gets the keys and values of the self-attention of the
 * sequence `from`: those of all tokens so far. Both have the same source. */
int32_t gf_model_step(int32_t model, size_t past, size_t T);
int32_t gf_model_copy(int32_t model, size_t from, size_t to);

/* A pass over a model in slices: threads, each with a module of its own, hold rows of each matrix and compute their
 * columns of each product; between, the hosts exchange columns. The first slice (index 0) is a whole model; `others`:
 * how many other slices there are, 1 .. 63.
 * gf_slice_create: the model of another slice (0 < index <= others), as gf_model_create makes one; panels 1: its
 *   weights come from an arranged model. It has the layouts of gf_model_prepare and gf_model_resize but for
 *   GF_CAPTURE, GF_TRAIN and GF_ONE_ROW; GF_ERROR_STATE for all other passes.
 * gf_slice_rows: which rows of a whole model's weights such a slice holds: of number k of its gf_model_tensors, before
 *   it is laid out. out: 0 index of the weight in the whole model, then up to three pairs of a first row and a number
 *   of rows, which follow each other in the slice. Returns how many pairs; 0 beyond the last weight.
 * gf_slice_begin: begins a pass, in each of the models, laid out alike, with the same padding and mask; the first alone
 *   reads tokens. T tokens (of an encoder alone, of the source) after `past`: with GF_CACHE as gf_model_step, without
 *   as gf_model_resume, all where past is 0. Any other call with this model ends the pass.
 * gf_slice_next: computes on; 0 at the end of the pass, 1 where columns are to be exchanged before the next call.
 * out: 0 an array, 4 floats from one row to the next, 8 rows, 12 first, 16 begin[others + 2]: slice i has computed the
 *   columns from begin[i] up to begin[i+1] and needs all others; first 1: the first slice alone needs them, and the
 *   arrays of the others begin with their own columns. */
typedef struct gf_rows {
    size_t tensor;
    span spans[3];
} gf_rows;
int32_t gf_slice_create(const model_config *config, size_t index, size_t others, int32_t panels);
int32_t gf_slice_rows(gf_rows *out, int32_t model, size_t index, size_t others, size_t k);
int32_t gf_slice_begin(int32_t model, size_t others, size_t past, size_t T);
int32_t gf_slice_next(exchange *out, int32_t model);

/* gf_changes: what a pass changes in the model that it runs. Numbers are put in the place of computed
 * ones, each as soon as its tensor is computed, so that all that comes after sees it; the attention
 * scores of all heads are divided by temperature (> 0; 1 changes nothing); the backward pass adds
 * cotangents to gradients.
 *   0 patches, 4 their count: address of a float of a captured tensor (i32), the value it gets (f32)
 *   8 cotangents, 12 their count: address of the first float of a captured tensor, address of the
 *     floats that are added to its gradient, in its layout in memory, their number (each i32)
 *   16 temperature (f32)
 * A call with such changes (0: none) returns GF_ERROR_STATE for patches or cotangents without
 * GF_CAPTURE, GF_ERROR_ARGUMENT for an address outside of the layout or a temperature that is not
 * positive and finite; nothing is then computed. */
typedef struct gf_changes {
    patches patches;
    float temperature;
} gf_changes;

/* gf_model_forward_patched: gf_model_forward of the model with these changes.
 * gf_model_logits: with GF_ONE_ROW, after a pass, the logits (1,1,V), and captured probabilities, of row `row` of its
 * output, of all rows of the batch one after the other; changes: patches of the head's transform in that row. Same bits
 * as in the full pass.
 * gf_model_vjp: with GF_TRAIN and GF_CAPTURE: the same, then the backward pass from the cotangents
 * alone: the gradients of sum cotangent * tensor over all of them, in the tensors "grad." and name.
 * A patched number's is that of the patch; what it replaced has none. out as of gf_trainer_step:
 * where: the first tensor that is not finite, "" when all are; gradient. Nothing else is set. */
int32_t gf_model_forward_patched(int32_t model, const gf_changes *changes);
int32_t gf_model_logits(int32_t model, size_t row, const gf_changes *changes);
int32_t gf_model_vjp(step_report *out, int32_t model, const gf_changes *changes);

/* gf_model_tensor_count, gf_model_tensors: what can be read now, in a fixed order: weights,
 * inputs, results, with GF_CAPTURE every intermediate, and when training gradients. The list
 * changes with gf_model_prepare only. gf_model_tensors writes at most count of them, from the first
 * on, and returns how many. out (144 bytes each), words of 32 bits but for the name:
 *   0 data (pointer), 4 type, 8 region, 12 rank, 16 shape[4], 32 strides[4] in elements,
 *   48 role, 52 node that computes or owns it, or -1, 56 stack or -1, 60 layer or -1,
 *   64 sublayer, from 1 as PyTorch numbers norms, 0 outside, 68 attention of the sublayer, or -1,
 *   72 patchable, 76 gradient (0 or 1), 80 name
 * see tensors.h, and roles.h for the enumerations, whose names gf_name tells. Maps have as many
 * columns as there is capacity for keys: under GF_CACHE that of the cache.
 * gf_model_find: index of a dotted name, or GF_ERROR_ARGUMENT. */
int32_t gf_model_tensor_count(int32_t model);
int32_t gf_model_tensors(tensor_info *out, int32_t model, int32_t first, int32_t count);
int32_t gf_model_find(int32_t model, const char *name);

/* gf_packed_get, gf_packed_put: n numbers of a weight that the setting `weights` packs (type bfloat16,
 * 1 here, float16, 2, or int8, 3), see packed.h, from element first of row-major order on. packed,
 * columns: its data and the second number of its shape. put rounds to the nearest, in int8 by whole
 * blocks of 32 of a row to 1/127 of the largest; GF_ERROR_NUMBER where one is beyond the type, which is
 * then not written. A pass widens 16 bits exactly; by int8 it multiplies vectors whose blocks of 32 it
 * rounds to 1/32767 of their largest, so that a product w x is off by at most the sum over blocks of
 * max|x| / 65534 times the sum of |w|, beside float32's own rounding. */
int32_t gf_packed_get(float *out, const void *packed, size_t columns, size_t first, size_t n,
                      int32_t type);
int32_t gf_packed_put(void *packed, size_t columns, size_t first, const float *from, size_t n,
                      int32_t type);

/* gf_model_node_count, gf_model_node: the nodes of the model graph in the order in which a pass
 * computes them; see graph.h for which there are, and gf_name for the names. They do not change
 * with gf_model_prepare, but for kind attention (self or cross); the tensors that can be read do.
 * out (48 bytes), words of 32 bits: 0 kind, 4 stack or -1, 8 layer or -1, 12 sublayer or 0,
 * 16 attention or -1, 20 tensor: index of its output for gf_model_tensors, or -1, 24 weight: of its
 * table or gain, or -1, 28 inputs[2]: indexes of nodes, or -1, 36 stream: its output is a state of
 * the residual stream (0 or 1), 40 residual: a residual connection leads around its sublayer,
 * 44 window: positions that a query of self-attention sees to each side, its own included, 0: all. */
int32_t gf_model_node_count(int32_t model);
int32_t gf_model_node(graph_node *out, int32_t model, int32_t index);

/* ---- training ---------------------------------------------------------------------------- */

/* gf_trainer_count, gf_trainer_field: the settings of a trainer, each a double; see settings.h. */
int32_t gf_trainer_count(void);
int32_t gf_trainer_field(config_field *out, int32_t index);

/* gf_trainer_start: gives the model a trainer: gradients and two moments beside its weights, all
 * zero, no step taken; or gives the one it has new settings, its state kept but for a data set. settings:
 * gf_trainer_count doubles. spans (2 * count int32): begin and end, in floats from the start of the
 * weights, of what trains, ascending and apart; 0: all of it. They are copied; GF_ERROR_ARGUMENT
 * when they are not so. GF_ERROR_CONFIG - i names a bad setting. */
int32_t gf_trainer_start(int32_t model, const trainer_settings *settings, const trainer_span *spans,
                         int32_t count);

/* gf_trainer_step: one step on the batch that stands in the inputs and targets (see
 *   gf_model_prepare with GF_TRAIN). GF_ERROR_NUMBER when the loss or a gradient is not finite, or
 *   when a weight that trains, or a moment of it, would not be after the step (gradient 2, where the
 *   weight): nothing but the report has then changed.
 * gf_trainer_gradients: the gradients alone, gf_trainer_loss: the loss alone, without dropout; both
 *   of the model with these changes, or 0.
 * gf_trainer_shard: the gradients of a part of a batch, which alone stands in the inputs: of the loss
 *   that is the mean over count rows (targets that count; of vectors all), those of the other parts
 *   too, after `first` sequences, which decides what dropout drops. count 0: over its own.
 * gf_trainer_apply: the optimiser's step on the gradients that stand in block 1, else as
 *   gf_trainer_step; of out it leaves the loss, which must be finite, and counted. */
int32_t gf_trainer_step(step_report *out, int32_t model);
int32_t gf_trainer_gradients(step_report *out, int32_t model, const gf_changes *changes);
int32_t gf_trainer_loss(step_report *out, int32_t model, const gf_changes *changes);
int32_t gf_trainer_shard(step_report *out, int32_t model, size_t first, size_t count);
int32_t gf_trainer_apply(step_report *out, int32_t model);

/* gf_trainer_data: memory for a data set of so many rows of d_model floats, in the place of the one before, and where
 *   it is labelled their labels after them, as many; else each row is its own label. The host writes them there.
 *   rows 0: none, and the answer is 0. Of a feed-forward layer alone, else GF_ERROR_ARGUMENT.
 * gf_trainer_draw: fills the inputs and targets with rows drawn from it, by the settings' seed and the number of steps
 *   taken alone. GF_ERROR_STATE where there is none, or the layout has no vectors as targets. */
intptr_t gf_trainer_data(int32_t model, size_t rows, int32_t labelled);
int32_t gf_trainer_draw(int32_t model);

/* gf_trainer_block: address of a block of floats: 0 weights, 1 gradients, 2 and 3 the moments. All
 * have the layout of the weights, so a copy of 0, 2, 3 and the step count is a trainer's whole
 * state. gf_trainer_size: their length in floats. gf_trainer_steps: the step count;
 * gf_trainer_resume sets it, and is to be called after moments were written: finite ones, the second
 * not negative. */
intptr_t gf_trainer_block(int32_t model, int32_t which);
int32_t gf_trainer_size(int32_t model);
int32_t gf_trainer_steps(int32_t model);
int32_t gf_trainer_resume(int32_t model, int32_t steps);

/* gf_softmax_backward .. gf_cross_entropy_backward: gradients of the operations above, given that
 * of their output. dx and the like are written, not added to.
 *   softmax        dx (R,N) from dy, y (R,N)
 *   layer_norm     dx (R,C), dweight (C), dbias (C) from dy, x (R,C), weight (C) or 0
 *   rms_norm       dx (R,C), dweight (C) from dy, x (R,C), weight (C) or 0
 *   activation     dx (n) from dy, x (n)
 *   attention      dquery (B,T,H*D), dkey (B,S,H*D), dvalue (B,S,H*E) from doutput (B,T,H*E) and
 *                  what forward had and gave; scratch (T,S)
 *   cross_entropy  dlogits (R,V) from log_probability; reduction as in gf_cross_entropy */
int32_t gf_softmax_backward(float *dx, const float *dy, const float *y, size_t R, size_t N);
int32_t gf_layer_norm_backward(float *dx, float *dweight, float *dbias, const float *dy,
                               const float *x, const float *weight, float epsilon, size_t R,
                               size_t C);
int32_t gf_rms_norm_backward(float *dx, float *dweight, const float *dy, const float *x,
                             const float *weight, float epsilon, size_t R, size_t C);
int32_t gf_activation_backward(float *dx, const float *dy, const float *x, size_t n, int32_t kind);
int32_t gf_top_k_backward(float *dx, const float *dy, const float *x, size_t rows, size_t width,
                          size_t k);
int32_t gf_attention_backward(float *dquery, float *dkey, float *dvalue, float *scratch,
                              const float *doutput, const float *query, const float *key,
                              const float *value, float *weights, float scale, size_t B, size_t T,
                              size_t S, size_t H, size_t D, size_t E);
int32_t gf_cross_entropy_backward(float *dlogits, const float *log_probability,
                                  const int32_t *targets, size_t R, size_t V, int32_t ignore_index,
                                  float smoothing, int32_t reduction);

/* gf_optimize: one optimiser step, number t (from 1), on n parameters of the host's own; of the
 * settings it reads optimizer to momentum, and learningRate as it stands. moment2 is not used by
 * sgd. */
int32_t gf_optimize(float *parameters, float *moment1, float *moment2, const float *gradients,
                    size_t n, const trainer_settings *settings, int32_t t);

#endif
