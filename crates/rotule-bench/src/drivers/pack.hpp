// Several states in one number: what makes scalar C of another code compute a batch. Functions are those of glibc's vector
// library, which is what a user of that code would take.
#pragma once
#include <math.h>

typedef double Lanes __attribute__((vector_size(8 * PACK)));

extern "C" {
#if PACK == 8
Lanes _ZGVeN8v_sin(Lanes);
Lanes _ZGVeN8v_cos(Lanes);
#define VECTOR(name) _ZGVeN8v_##name
#else
Lanes _ZGVdN4v_sin(Lanes);
Lanes _ZGVdN4v_cos(Lanes);
#define VECTOR(name) _ZGVdN4v_##name
#endif
}

struct Pack {
    Lanes lanes;
    Pack() = default;
    Pack(const Lanes &from) : lanes(from) {}
    Pack(double from) : lanes(Lanes{} + from) {}
};

static inline Pack operator+(const Pack &a, const Pack &b) { return Pack(a.lanes + b.lanes); }
static inline Pack operator-(const Pack &a, const Pack &b) { return Pack(a.lanes - b.lanes); }
static inline Pack operator*(const Pack &a, const Pack &b) { return Pack(a.lanes * b.lanes); }
static inline Pack operator/(const Pack &a, const Pack &b) { return Pack(a.lanes / b.lanes); }
static inline Pack operator-(const Pack &a) { return Pack(-a.lanes); }
static inline Pack sin(const Pack &a) { return Pack(VECTOR(sin)(a.lanes)); }
static inline Pack cos(const Pack &a) { return Pack(VECTOR(cos)(a.lanes)); }
static inline Pack sqrt(const Pack &a)
{
    Pack out;
    for (int i = 0; i < PACK; i++)
        out.lanes[i] = __builtin_sqrt(a.lanes[i]);
    return out;
}
