// libcuda.so.1: for each row of api_driver.def a jump to the body in libwarpglass.so. Pure assembly: the arguments stay
// where the caller put them.
#if defined(__x86_64__)
#define JUMP(name, body) \
    __asm__(".globl " #name "\n.type " #name ", @function\n" #name ":\n\tjmp wg_" #body "@PLT\n.size " #name ", .-" #name);
#elif defined(__aarch64__)
#define JUMP(name, body) \
    __asm__(".globl " #name "\n.type " #name ", @function\n" #name ":\n\tb wg_" #body "\n.size " #name ", .-" #name);
#endif

__asm__(".text");
#define DONE(since, symbol, parameters) JUMP(symbol, symbol)
#define CALL(since, symbol, parameters, expression) JUMP(symbol, symbol)
#define SAME(since, symbol, parameters, call) JUMP(symbol, symbol)
#define EARLY(since, symbol, parameters, call) JUMP(symbol, symbol)
#define ALIAS(since, symbol, body) JUMP(symbol, body)
#define IGNORED(since, symbol, reason) JUMP(symbol, symbol)
#define REFUSED(since, symbol, reason) JUMP(symbol, symbol)
#include "rt/api_driver.def"
