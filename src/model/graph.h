/* graph.h: the model graph: the nodes of a model in the order in which a pass computes them. */
#ifndef GLASSFORMER_MODEL_GRAPH_H
#define GLASSFORMER_MODEL_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "model.h"

/* graph_node: one node as the ABI hands it out. Indexes of tensors are those of tensors_get, -1
 * where there is none or where it cannot be read now (without capture most cannot).
 *
 * Nodes of a stack: tokens (ids, or vectors where the model has no vocabulary), embedding,
 * positions, the norm of the embedding, the layers, the final norm. Nodes of a sublayer, in the
 * order of c->norm:
 *   post  attention or ffn, add, norm      pre  norm, attention or ffn, add
 *   none  attention or ffn, add            without residual there is no add
 * Then logits and probabilities, which stand in the last stack. A layer on its own is the node of
 * that layer, behind one of tokens for its input and one for its memory. */
typedef struct graph_node {
    int32_t kind;      /* node_kind */
    graph_place place; /* of logits and probabilities, embedding and positions: layer -1 */
    int32_t tensor;    /* index of its output */
    int32_t weight;    /* index of what it looks up or multiplies by: the table of an embedding, of
                          learned positions and of the logits (tied: that of the embedding), the
                          gain of a norm; else -1 */
    int32_t inputs[2]; /* indexes of the nodes that it reads, -1 for none: of an add the stream and
                          the sublayer's output, of cross-attention that of the queries and the
                          encoder's last */
    int32_t stream;    /* 1: its output is a state of the residual stream: what the next sublayer
                          starts from */
    int32_t residual;  /* 1: a residual connection leads around its sublayer */
    int32_t window; /* of self-attention, and of an attention on its own, which may be either: how
                          many positions a query sees to each side, its own included; else 0: all */
} graph_node;

/* graph_count: the nodes of a model. graph_get: node number index < count. Neither needs a layout;
 * before one, kind attention is taken for self-attention, and tensors of its inputs and outputs are
 * -1. */
size_t graph_count(model *m);
void graph_get(graph_node *out, model *m, size_t index);

#endif
