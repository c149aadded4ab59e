// Typed growing arrays on the heap. The struct is visible: `v.at[i]`, `v.n`.
//
//     VEC(struct token) tokens = {0};
//     vec_push(&tokens, token);
//     vec_release(&tokens);
#ifndef BASE_VEC_H
#define BASE_VEC_H
#include <stddef.h>

#define VEC(type) struct { type *at; size_t n, capacity; }

// Room for at least `need` elements; exits 71 when the host has no memory left.
void *vec_grow(void *at, size_t *capacity, size_t need, size_t element_bytes);

#define vec_reserve(v, need)                                                                           \
    ((need) <= (v)->capacity ? (void)0                                                                 \
                             : (void)((v)->at = vec_grow((v)->at, &(v)->capacity, (need), sizeof *(v)->at)))
#define vec_push(v, value) (vec_reserve((v), (v)->n + 1), (void)((v)->at[(v)->n++] = (value)))
#define vec_clear(v) ((void)((v)->n = 0))
#define vec_release(v) (vec_free((v)->at), (v)->at = NULL, (v)->n = (v)->capacity = 0)
void vec_free(void *at);
#endif
