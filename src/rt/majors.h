// IN_<majors>(text): the text where MAJOR (11, 12, 13) belongs to those majors, nothing elsewhere. No include guard: define MAJOR and
// include again.
#undef IN_ALL
#undef IN_BEFORE_12
#undef IN_BEFORE_13
#undef IN_ONLY_12
#undef IN_FROM_12
#undef IN_ONLY_13
#define IN_ALL(...) __VA_ARGS__
#if MAJOR == 11
#define IN_BEFORE_12(...) __VA_ARGS__
#define IN_BEFORE_13(...) __VA_ARGS__
#define IN_ONLY_12(...)
#define IN_FROM_12(...)
#define IN_ONLY_13(...)
#elif MAJOR == 12
#define IN_BEFORE_12(...)
#define IN_BEFORE_13(...) __VA_ARGS__
#define IN_ONLY_12(...) __VA_ARGS__
#define IN_FROM_12(...) __VA_ARGS__
#define IN_ONLY_13(...)
#else
#define IN_BEFORE_12(...)
#define IN_BEFORE_13(...)
#define IN_ONLY_12(...)
#define IN_FROM_12(...) __VA_ARGS__
#define IN_ONLY_13(...) __VA_ARGS__
#endif
