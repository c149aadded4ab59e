// Names of forms, for dumps and messages.
#include "isa/form.h"

const char *form_name(unsigned form)
{
    static const char *const names[N_FORMS] = {
#define FORM(row, type) #row "_" #type,
#include "isa/forms.inc"
#undef FORM
    };
    return form < N_FORMS ? names[form] : "?";
}
