#include "dims.h"

#include "../kernel/half.h"

size_t slice_begin(size_t rows, size_t unit, slice s, size_t index) {
    size_t all = unit * (s.others + 1), begin = (rows * index + all - 1) / all * unit;
    return begin < rows ? begin : rows;
}

size_t dims_begin(const model_dims *n, share what, size_t index) {
    size_t unit = HALF_PANEL;
    while (what == SHARE_HEADS && unit > 1 && unit / 2 * n->D % HALF_PANEL == 0) {
        unit /= 2;
    }
    return slice_begin(n->shared[what], unit, n->slice, index);
}

void dims_slice(model_dims *n, slice s) {
    n->slice = s;
    for (share what = 0; what < SHARE_INPUT; what++) {
        size_t from = dims_begin(n, what, s.index);
        n->own[what] = (span){from, dims_begin(n, what, s.index + 1) - from};
    }
    n->G = n->own[SHARE_HEADS].count;
    n->H = n->G * n->group;
    n->A = n->H * n->D;
    n->E = n->G * n->D;
    n->VO = n->own[SHARE_WORDS].count;
}

model_dims dims_of(const model_config *c, request ask) {
    bool encoder = config_has_encoder(c), decoder = config_has_decoder(c);
    bool attention = c->kind == KIND_ATTENTION;
    model_dims n = {
        .c = c,
        .B = ask.B,
        .T = ask.T,
        .S = ask.S,
        .K = attention && ask.S > 0 ? ask.S : ask.T,
        .C = (size_t)c->d_model,
        .D = config_head_width(c),
        .turned = config_rope_width(c),
        .shared = {config_key_value_heads(c), (size_t)c->d_model, (size_t)c->d_ff,
                   (size_t)config_output_vocabulary(c), 1},
        .group = c->heads > 0 ? (size_t)c->heads / config_key_value_heads(c) : 0,
        .W = (size_t)c->heads * config_head_width(c),
        .F = (size_t)c->d_ff,
        .V = (size_t)c->vocabulary,
        .I = (size_t)(c->input_width > 0 ? c->input_width : c->d_model),
        .P = (size_t)c->max_length,
        .TO = encoder && !decoder ? ask.S : ask.T,
        .encoder = encoder,
        .decoder = decoder,
        .both = encoder && decoder,
        .alone = !encoder && !decoder,
        .has_padding = ask.encoder_padding,
        .has_memory_padding = encoder && decoder && ask.memory_padding,
        .has_mask = ask.mask && c->kind != KIND_FEED_FORWARD,
        .capture = ask.capture,
        .cache = ask.capacity > 0,
        .train = ask.train,
        .vector_targets = ask.train && ask.vector_targets,
        .has_loss_mask = ask.train && ask.loss_mask,
        .longest = ask.S > ask.T ? ask.S : ask.T,
        .O = (size_t)(c->output_width > 0 ? c->output_width : c->d_model),
        .ask = ask,
    };
    dims_slice(&n, ask.slice);
    n.in_A = n.A;
    n.in_E = n.E;
    n.rotates = config_rotates(c) && !(attention && ask.S > 0);
    n.relates = c->relative_buckets > 0 && !(attention && ask.S > 0);
    n.both_ways = !c->causal;
    n.BL = ask.one_row ? 1 : n.B;
    n.TL = ask.one_row ? 1 : n.TO;
    n.mask_columns = attention ? n.K : n.TO; /* of the decoder, if there is one */
    n.keys = n.K > ask.S ? n.K : ask.S;
    n.keys = n.keys > ask.capacity ? n.keys : ask.capacity;
    return n;
}

model_dims dims_reserved(const model_config *c, request ask) {
    ask.T = ask.reserved > 0 ? ask.reserved : ask.T;
    return dims_of(c, ask);
}

model_dims dims_encoder(model_dims n) {
    n.T = n.K = n.S;
    n.L = (size_t)n.c->layers;
    n.types = (size_t)n.c->types;
    n.has_types = n.ask.types && n.c->types > 0;
    n.has_padding = n.ask.encoder_padding;
    n.both_ways = n.both || n.both_ways;
    n.cache = false;
    return n;
}

model_dims dims_decoder(model_dims n) {
    n.K = n.cache ? n.ask.capacity : n.T;
    n.L = (size_t)(n.both ? n.c->decoder_layers : n.c->layers);
    n.V = n.both ? (size_t)config_target_vocabulary(n.c) : n.V;
    n.cross = n.both;
    n.tied = n.both && n.c->tied_embeddings;
    n.has_padding = n.ask.decoder_padding;
    return n;
}

model_dims dims_layer(model_dims n, size_t index) {
    n.capture = n.ask.capture && !(n.ask.omit >> index & 1);
    return n;
}

model_dims dims_cross(model_dims n) {
    n.K = n.S;
    n.rotates = false;
    return n;
}

model_dims dims_output(model_dims n) {
    n.B = n.BL;
    n.T = n.TL;
    return n;
}

/* Costs in multiply-adds of a large product that take as long, from times of narrow and wide models
 * (npm run bench -- cost). src/js/engine/cost.js has the first four for operations. */
enum {
    COST_ROW = 300,      /* a row of a product or norm */
    COST_WRITE = 12,     /* a number that a product writes */
    COST_SCORE = 32,     /* softmax of a score */
    COST_HEAD_ROW = 600, /* a query of a head */
    COST_RAMP = 6,       /* a neuron with ReLU or none */
    COST_CURVE = 48,     /* with another activation */
    COST_ADD = 6,        /* an element of a residual sum */
    COST_NORM = 12,      /* of a LayerNorm */
    COST_EMBED = 40,     /* of the input and the output of a stack */
    COST_RESULT = 12,    /* a logit, copied */
    COST_PASS = 100000
};

static double product_operations(double rows, double in, double out) {
    return rows * (in * out + COST_WRITE * out + COST_ROW);
}

/* Two projections of what asks and two of what is asked, then scores, softmax and weighted sums. */
static double attention_operations(const model_config *c, double queries, double keys) {
    double C = c->d_model, H = c->heads, width = (double)config_head_width(c), A = H * width,
           E = (double)config_key_value_heads(c) * width;
    return H == 0 ? 0
                  : product_operations(queries, C, A) + product_operations(queries, A, C) +
                        2 * product_operations(keys, C, E) + 2 * A * queries * keys +
                        H * queries * (COST_SCORE * keys + COST_HEAD_ROW);
}

static double activation_operations(const model_config *c, double count) {
    bool ramp = c->activation == ACTIVATION_RELU || c->activation == ACTIVATION_NONE;
    return count * (ramp ? COST_RAMP : COST_CURVE);
}

static double ffn_operations(const model_config *c, double rows) {
    double C = c->d_model, F = c->d_ff;
    return F == 0 ? 0
                  : (c->ffn_kind == FFN_GATED ? 2 : 1) * product_operations(rows, C, F) +
                        product_operations(rows, F, C) + activation_operations(c, rows * F);
}

static double norm_operations(const model_config *c, double rows) {
    return rows * (COST_NORM * (double)c->d_model + COST_ROW);
}

/* A stack of so many layers over T tokens; S: what its cross-attention reads, 0: none. */
static double stack_operations(const model_config *c, double layers, double T, double S) {
    double C = c->d_model, sublayers = (c->heads > 0) + (c->d_ff > 0) + (S > 0);
    double around =
        (c->residual ? COST_ADD * T * C : 0) + (c->norm == NORM_NONE ? 0 : norm_operations(c, T));
    double cross = S > 0 ? attention_operations(c, T, S) : 0;
    double projection = c->input_width > 0 ? product_operations(T, c->input_width, c->d_model) : 0;
    return projection + T * (COST_EMBED * C + COST_ROW) +
           (c->embedding_norm ? norm_operations(c, T) : 0) +
           (c->final_norm ? norm_operations(c, T) : 0) +
           layers *
               (attention_operations(c, T, T) + cross + ffn_operations(c, T) + sublayers * around);
}

double dims_operations(const model_config *c, double B, double S, double T) {
    bool encoder = config_has_encoder(c), decoder = config_has_decoder(c);
    double C = c->d_model, sum = 0, rows = decoder ? T : S;
    if (c->kind == KIND_FEED_FORWARD) {
        sum = ffn_operations(c, T);
    } else if (c->kind == KIND_ATTENTION) {
        sum = attention_operations(c, T, S > 0 ? S : T);
    }
    if (encoder) {
        sum += stack_operations(c, c->layers, S, 0);
    }
    if (decoder) {
        sum += stack_operations(c, encoder ? c->decoder_layers : c->layers, T, encoder ? S : 0);
    }
    if (config_has_head(c)) {
        double V = config_output_vocabulary(c);
        sum += product_operations(rows, C, V) + COST_RESULT * rows * V;
    }
    if (config_has_transform(c)) {
        sum += product_operations(rows, C, C) + activation_operations(c, rows * C) +
               (c->head_transform ? norm_operations(c, rows) : 0);
    }
    return B * sum + COST_PASS;
}
