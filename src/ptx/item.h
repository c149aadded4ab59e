// The statements of a module or a body in their order: all that ptx_print needs beside the tree. Private to
// ptx/.
#ifndef PTX_ITEM_H
#define PTX_ITEM_H
#include "ptx/ast.h"

enum ptx_item_kind {
    ITEM_OPEN,  // {
    ITEM_CLOSE, // }
    ITEM_TEXT,  // text: a statement that is kept as text in its printed form (.loc, .file, .pragma, .reg …)
    ITEM_SECTION,   // text: "\t.section …" to its closing brace
    ITEM_VARIABLE,  // variable, with its initial values
    ITEM_PROTOTYPE, // prototype
    ITEM_INSN,      // index into function.insns
    ITEM_LABEL,     // index into function.labels
    ITEM_FUNCTION   // index into module.functions
};

struct ptx_item {
    enum ptx_item_kind kind;
    uint32_t index;
    union {
        const char *text;
        const struct ptx_variable *variable;
        const struct ptx_prototype *prototype;
    };
};
#endif
