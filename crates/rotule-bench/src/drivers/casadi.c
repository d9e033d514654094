/* C that CasADi wrote as a contender. FUNCTION is its name, INPUTS how many it has, THIRD what the third is; PLACES is
 * the header that says where results belong. With PACK it is C++ with several states in each number. */
#include "contender.h"
#include <stdlib.h>
#ifdef PACK
#include "pack.hpp"
typedef Pack number;
#define LANES PACK
static inline void put(number *to, int lane, double value) { to->lanes[lane] = value; }
static inline double get(const number *from, int lane) { return from->lanes[lane]; }
#else
typedef double number;
#define LANES 1
static inline void put(number *to, int lane, double value) { (void)lane; *to = value; }
static inline double get(const number *from, int lane) { (void)lane; return *from; }
#endif
#include PLACES

#ifdef __cplusplus
extern "C" {
#endif
int FUNCTION(const number **arg, number **res, long long *iw, number *w, int mem);
int WORK(long long *arg, long long *res, long long *iw, long long *w);
#ifdef __cplusplus
}
#endif

static number *inputs;
static number results[ENTRIES + 1];
static const number **args;
static number **outs;
static long long *whole;
static number *real;
static int stride, starts[3], nq, nv, count;

static void *room(size_t size)
{
    void *found = 0;
    return posix_memalign(&found, 64, size + 64) ? 0 : found;
}

CONTENDER int contender_open(const char *function, const char *model, const struct states *all, const char **why)
{
    (void)function, (void)model;
    long long sizes[4] = {0, 0, 0, 0};
    WORK(&sizes[0], &sizes[1], &sizes[2], &sizes[3]);
    nq = all->nq, nv = all->nv, count = all->count / LANES * LANES;
    stride = nq + 2 * nv;
    starts[0] = 0, starts[1] = nq, starts[2] = nq + nv;
    inputs = (number *)room(sizeof(number) * (size_t)(stride * (count / LANES)));
    args = (const number **)room(sizeof *args * (size_t)(sizes[0] + 4));
    outs = (number **)room(sizeof *outs * (size_t)(sizes[1] + 1));
    whole = (long long *)room(sizeof *whole * (size_t)(sizes[2] + 1));
    real = (number *)room(sizeof(number) * (size_t)(sizes[3] + 1));
    *why = "there is too little memory";
    if (!inputs || !args || !outs || !whole || !real)
        return 0;
    for (int at = 0; at < count; at++) {
        number *own = inputs + (long)(at / LANES) * stride;
        for (int i = 0; i < nq; i++)
            put(own + i, at % LANES, states_q(all, at)[i]);
        for (int i = 0; i < nv; i++) {
            put(own + starts[1] + i, at % LANES, states_qd(all, at)[i]);
            put(own + starts[2] + i, at % LANES, THIRD(all, at)[i]);
        }
    }
    return LANES;
}

CONTENDER void contender_run(int pack)
{
    const number *own = inputs + (long)pack * stride;
    for (int i = 0; i < INPUTS; i++)
        args[i] = own + starts[i];
    outs[0] = results;
    FUNCTION(args, outs, whole, real, 0);
}

CONTENDER void contender_read(int pack, int lane, double *out)
{
    (void)pack;
    for (int at = 0; at < ENTRIES; at++)
        out[places[at][0]] = out[places[at][1]] = get(&results[at], lane);
}
