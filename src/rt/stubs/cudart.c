// One libcudart.so: for each row of api.def a jump to the body in libwarpglass.so. Compiled once per major, with
// -DMAJOR=11, 12 or 13. Pure assembly: the arguments stay where the caller put them.
#if defined(__x86_64__)
#define JUMP(name, body) \
    __asm__(".globl " #name "\n.type " #name ", @function\n" #name ":\n\tjmp wg_" #body "@PLT\n.size " #name ", .-" #name);
#define TELL(name, body)                                                                                      \
    __asm__(".section .rodata\n.Ltext_" #name ": .string \"" #name "\"\n.text\n.globl " #name "\n.type " #name \
            ", @function\n" #name ":\n\tleaq .Ltext_" #name "(%rip), %rdi\n\tjmp wg_" #body "@PLT\n.size " #name ", .-" #name);
#elif defined(__aarch64__)
#define JUMP(name, body) \
    __asm__(".globl " #name "\n.type " #name ", @function\n" #name ":\n\tb wg_" #body "\n.size " #name ", .-" #name);
#define TELL(name, body)                                                                                      \
    __asm__(".section .rodata\n.Ltext_" #name ": .string \"" #name "\"\n.text\n.globl " #name "\n.type " #name \
            ", @function\n" #name ":\n\tadrp x0, .Ltext_" #name "\n\tadd x0, x0, :lo12:.Ltext_" #name           \
            "\n\tb wg_" #body "\n.size " #name ", .-" #name);
#endif

#include "rt/majors.h"

__asm__(".text");
#define DONE(majors, name, parameters) IN_##majors(JUMP(name, name))
#define DONE_AS(majors, name, body, parameters) IN_##majors(JUMP(name, body))
#define ALIAS(majors, name, body) IN_##majors(JUMP(name, body))
#define RETURNS(majors, type, name, parameters) IN_##majors(JUMP(name, name))
#define IGNORED(majors, name, reason) IN_##majors(TELL(name, ignored))
#define REFUSED(majors, name, reason) IN_##majors(TELL(name, refused))
#include "rt/api.def"
