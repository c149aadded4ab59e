// CUDA C++ for Debian's clang without any NVIDIA software: what `warpglass cc` and `warpglass launch FILE.cu` put in
// front of a source, and what its #include <cuda_runtime.h> finds. Host side: the runtime interface and its templates;
// device side (under clang's CUDA mode): clang's own headers where they serve, and what they leave to NVIDIA's.
#ifndef WARPGLASS_CUDA_RUNTIME_H
#define WARPGLASS_CUDA_RUNTIME_H
#define __WARPGLASS__ 1
#include "cuda_runtime_api.h"
#include "vector_functions.h"
#if defined(__CUDA__) && defined(__clang__)
#include "warpglass/device.h"
#endif
#ifdef __cplusplus
#include "channel_descriptor.h"
#include "warpglass/host_templates.h"
#endif
#endif
