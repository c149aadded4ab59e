// Forms: one number for each (instruction, type) that has a handler. The list comes from the instruction
// tables, so the enum, the handler array of simt/handlers.c and the form lookup of ptx/op.c always agree.
//
// FORM_<row>_<type>, for example FORM_ADD_u32; rows without a type are FORM_<row>_none.
#ifndef ISA_FORM_H
#define ISA_FORM_H

enum form {
#define FORM(row, type) FORM_##row##_##type,
#include "isa/forms.inc"
#undef FORM
    N_FORMS
};

const char *form_name(unsigned form); // "ADD_u32"
#endif
