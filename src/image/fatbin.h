// What the readers of images share. Private to image/.
#ifndef IMAGE_FATBIN_H
#define IMAGE_FATBIN_H
#include "image/image.h"

enum { FATBIN_HEADER_BYTES = 16 };

// Containers, raw PTX texts and the zeros between them, as they fill a section. `path` may be "".
bool fatbin_scan_all(const char *path, const uint8_t *bytes, size_t n, bool is_relocatable,
                     struct image_list *out, struct err *err);

bool fatbin_is(const uint8_t *bytes, size_t n);   // starts like a container
bool ptx_text_is(const uint8_t *bytes, size_t n); // starts like PTX: blanks, a comment or .version

// A raw text, of which the first `n` bytes may be read; ends at a NUL.
void ptx_text_scan(const uint8_t *text, size_t n, bool is_relocatable, struct image_list *out);

// A cubin on its own.
bool cubin_scan(const char *path, const uint8_t *bytes, size_t n, struct image_list *out, struct err *err);
#endif
