/* What every library that is timed offers. The driver knows nothing else of it.
 *
 * States come as one block of numbers, for each state: t, q, qd, states and inputs of the model, qdd, effort. Results are
 * given in Rotule's order and conventions, dense by rows, so that all libraries can be compared with each other.
 */
#ifndef CONTENDER_H
#define CONTENDER_H

#ifdef __cplusplus
#define CONTENDER extern "C" __attribute__((visibility("default")))
#else
#define CONTENDER __attribute__((visibility("default")))
#endif

struct states {
    int count, nq, nv, ns;
    const double *numbers;
};

static inline int states_stride(const struct states *all)
{
    return 1 + all->nq + all->ns + 3 * all->nv;
}

static inline const double *states_t(const struct states *all, int at)
{
    return all->numbers + (long)at * states_stride(all);
}

static inline const double *states_q(const struct states *all, int at) { return states_t(all, at) + 1; }
static inline const double *states_qd(const struct states *all, int at) { return states_q(all, at) + all->nq; }
static inline const double *states_own(const struct states *all, int at) { return states_qd(all, at) + all->nv; }
static inline const double *states_qdd(const struct states *all, int at) { return states_own(all, at) + all->ns; }
static inline const double *states_effort(const struct states *all, int at) { return states_qdd(all, at) + all->nv; }

/* Makes a function ready and keeps what it needs of the states. Gives the number of states that one run treats, or
 * zero if it cannot be done; then `why` says the reason. */
CONTENDER int contender_open(const char *function, const char *model, const struct states *all, const char **why);

/* What is timed: the states of one pack, whose results stay where the library keeps them. */
CONTENDER void contender_run(int pack);

/* The results of the last run, for one of its states. */
CONTENDER void contender_read(int pack, int lane, double *results);

#endif
