// GCC's header writes __noinline__ inside an attribute, where our macro of that name must not stand.
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
