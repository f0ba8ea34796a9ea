/* The tables of names: types, opcodes, special registers. */
#include "ptx/ir.h"

const ptype_info_t ptype_info[T_COUNT] = {{"", 0, 0},
#define X(text, id, bytes, kind) {text, bytes, kind},
                                          PTX_TYPE_LIST(X)
#undef X
};

const popcode_info_t popcode_info[OP_COUNT] = {
#define OP(name, cls, types, most, groups, min, max) {#name, cls, most, min, max, types, groups},
#include "ptx/opcodes.def"
#undef OP
};

const sreg_info_t sreg_info[SR_COUNT] = {
#define X(text, id, bytes) {text, bytes},
    PTX_SREG_LIST(X)
#undef X
};
