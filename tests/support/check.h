// cmocka with the headers that it wants in front of it. Every test includes this instead of <cmocka.h>.
#ifndef SUPPORT_CHECK_H
#define SUPPORT_CHECK_H
// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#define N_ELEMENTS(array) (sizeof(array) / sizeof *(array))
#endif
