// Flags of gf_model_prepare (src/wasm/api.h). Each its own constant, which bundlers write as the number.

export const CAPTURE = 1;
export const CACHE = 2;
export const TYPES = 4;
export const ENCODER_PADDING = 8;
export const DECODER_PADDING = 16;
export const MEMORY_PADDING = 32;
export const MASK = 64;
export const TRAIN = 128;
export const VECTOR_TARGETS = 256;
export const ONE_ROW = 512;
export const LOSS_MASK = 1024;
