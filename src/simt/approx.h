// The approximate functions of the GPU, bit by bit: rcp, rsqrt, sqrt, lg2, ex2, sin, cos (.approx), and what
// ptxas builds from them. Arguments and results are bit patterns, of f32 unless named otherwise; `ftz` is the
// instruction's suffix.
#ifndef SIMT_APPROX_H
#define SIMT_APPROX_H
#include <stdbool.h>
#include <stdint.h>

uint32_t approx_rcp(uint32_t x, bool ftz);
uint32_t approx_rsqrt(uint32_t x, bool ftz);
uint32_t approx_sqrt(uint32_t x, bool ftz);
uint32_t approx_lg2(uint32_t x, bool ftz);
uint32_t approx_ex2(uint32_t x, bool ftz);
uint32_t approx_sin(uint32_t x, bool ftz);
uint32_t approx_cos(uint32_t x, bool ftz);
uint32_t approx_tanh(uint32_t x, bool ftz);
uint32_t approx_div(uint32_t a, uint32_t b, bool ftz);  // div.approx
uint32_t approx_full(uint32_t a, uint32_t b, bool ftz); // div.full
uint32_t approx_ex2_f16(uint32_t x);
uint32_t approx_ex2_bf16(uint32_t x);
uint32_t approx_tanh_f16(uint32_t x);
uint32_t approx_tanh_bf16(uint32_t x);

// Machine code: sine and cosine of a number of turns (x / 2π), without reduction. The unit's other functions are those
// above with ftz.
uint32_t mufu_sin(uint32_t turns, bool ftz);
uint32_t mufu_cos(uint32_t turns, bool ftz);

// Of f64 only the upper word is read and given: rcp.approx.ftz.f64, rsqrt.approx.ftz.f64.
uint64_t approx_rcp_f64(uint64_t x);
uint64_t approx_rsqrt_f64(uint64_t x);
double approx_rsqrt_double(double x); // rsqrt.approx.f64
#endif
