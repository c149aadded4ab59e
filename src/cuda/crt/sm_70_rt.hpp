// clang's intrinsics header reads a file of this name for the typed forms of match; they are in warpglass/intrinsics.h.
