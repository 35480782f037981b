#include "dims.h"

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
        .H = (size_t)c->heads,
        .D = (size_t)(c->heads > 0 ? c->d_model / c->heads : 0),
        .F = (size_t)c->d_ff,
        .V = (size_t)c->vocabulary,
        .P = (size_t)c->max_length,
        .TO = encoder && !decoder ? ask.S : ask.T,
        .VO = (size_t)config_output_vocabulary(c),
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
        .longest = ask.S > ask.T ? ask.S : ask.T,
        .O = (size_t)c->d_model,
        .ask = ask,
    };
    n.BL = ask.one_row ? 1 : n.B;
    n.TL = ask.one_row ? 1 : n.TO;
    n.mask_columns = attention ? n.K : n.TO; /* of the decoder, if there is one */
    n.keys = n.K > ask.S ? n.K : ask.S;
    n.keys = n.keys > ask.capacity ? n.keys : ask.capacity;
    return n;
}

model_dims dims_roomy(const model_config *c, request ask) {
    ask.T = ask.room > 0 ? ask.room : ask.T;
    return dims_of(c, ask);
}

model_dims dims_encoder(model_dims n) {
    n.T = n.K = n.S;
    n.L = (size_t)n.c->layers;
    n.types = (size_t)n.c->types;
    n.has_types = n.ask.types && n.c->types > 0;
    n.has_padding = n.ask.encoder_padding;
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
    n.capture = n.capture && !(n.ask.omit >> index & 1);
    return n;
}

model_dims dims_cross(model_dims n) {
    n.K = n.S;
    return n;
}

model_dims dims_output(model_dims n) {
    n.B = n.BL;
    n.T = n.TL;
    return n;
}

/* Two projections of what asks and two of what is asked, then scores and weighted sums. */
static double attention_operations(const model_config *c, double queries, double keys) {
    double C = c->d_model;
    return c->heads == 0 ? 0 : 2 * C * (C * (queries + keys) + queries * keys);
}

double dims_operations(const model_config *c, double B, double S, double T) {
    bool encoder = config_has_encoder(c), decoder = config_has_decoder(c);
    double C = c->d_model, ffn = 2 * C * c->d_ff, sum = 0;
    if (c->kind == KIND_FEED_FORWARD) {
        sum = ffn * T;
    } else if (c->kind == KIND_ATTENTION) {
        sum = attention_operations(c, T, S > 0 ? S : T);
    }
    if (encoder) {
        sum += c->layers * (attention_operations(c, S, S) + ffn * S);
    }
    if (decoder) {
        double cross = encoder ? attention_operations(c, T, S) : 0;
        sum += (encoder ? c->decoder_layers : c->layers) *
               (attention_operations(c, T, T) + cross + ffn * T);
    }
    if (c->head != HEAD_NONE) {
        sum += C * (config_output_vocabulary(c) + (c->head_transform ? C : 0)) * (decoder ? T : S);
    }
    return B * sum;
}
