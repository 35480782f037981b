#include "roles.h"

#include <stddef.h>

static const role_facts roles[ROLE_COUNT] = {
#define ROW(id, name, node, initialization, patchable) {name, node, initialization, patchable},
    ROLES(ROW)
#undef ROW
};

#define NAME(id, name) name,
static const char *const dtypes[DTYPE_COUNT] = {DTYPES(NAME)};
static const char *const regions[REGION_COUNT] = {REGIONS(NAME)};
static const char *const nodes[NODE_KIND_COUNT] = {NODE_KINDS(NAME)};
static const char *const stacks[STACK_COUNT] = {STACKS(NAME)};
static const char *const attentions[ATTENTION_KIND_COUNT] = {ATTENTION_KINDS(NAME)};

const role_facts *role_describe(tensor_role r) { return &roles[r]; }

bool role_is_matrix(tensor_role r) {
    init_rule drawn = roles[r].initialization;
    return drawn == XAVIER || drawn == XAVIER_STACKED || r == ROLE_EMBEDDING_TABLE;
}

const char *role_name(name_list of, int32_t value) {
    static const struct {
        const char *const *names;
        int32_t count;
    } lists[] = {
        [NAMES_OF_DTYPES] = {dtypes, DTYPE_COUNT},
        [NAMES_OF_REGIONS] = {regions, REGION_COUNT},
        [NAMES_OF_ROLES] = {NULL, ROLE_COUNT},
        [NAMES_OF_NODES] = {nodes, NODE_KIND_COUNT},
        [NAMES_OF_STACKS] = {stacks, STACK_COUNT},
        [NAMES_OF_ATTENTIONS] = {attentions, ATTENTION_KIND_COUNT},
    };
    if ((size_t)of >= sizeof lists / sizeof *lists || value < 0 || value >= lists[of].count) {
        return NULL;
    }
    return of == NAMES_OF_ROLES ? roles[value].name : lists[of].names[value];
}
