/* MuJoCo as a contender, by the cheapest of its functions that give each result.
 *
 * Its free joints have their linear velocity in the ground's axes, Rotule's in the body's; states and results are turned
 * accordingly, outside of what is timed. The names of joints say which coordinates and speeds are theirs.
 */
#include "contender.h"
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INVERSE, MASS, DIRECT };

static mjModel *m;
static mjData *d;
static int what, count;
static double *qpos, *qvel, *qacc, *effort, *results, *full, *turn;
static int *q_at, *v_at;
static const struct states *given;
static char complaint[1000];

static int rotates(int joint) { return m->jnt_type[joint] == mjJNT_FREE; }

/* Turns the linear part of a free joint's speeds into the ground's axes, or back. */
static void rotate(const double *quaternion, double *v, int back)
{
    double out[3], inverse[4];
    mju_negQuat(inverse, quaternion);
    mju_rotVecQuat(out, v, back ? inverse : quaternion);
    memcpy(v, out, sizeof out);
}

static void to_mujoco(const double *from, double *to)
{
    for (int j = 0; j < m->njnt; j++) {
        int many = m->jnt_type[j] == mjJNT_FREE ? 6 : m->jnt_type[j] == mjJNT_BALL ? 3 : 1;
        memcpy(to + m->jnt_dofadr[j], from + v_at[j], (size_t)many * sizeof(double));
    }
}

CONTENDER int contender_open(const char *function, const char *model, const struct states *all, const char **why)
{
    *why = complaint;
    what = !strcmp(function, "inverse") ? INVERSE : !strcmp(function, "mass") ? MASS : DIRECT;
    m = mj_loadXML(model, 0, complaint, sizeof complaint);
    if (!m)
        return 0;
    d = mj_makeData(m);
    strcpy(complaint, "MuJoCo counts other coordinates");
    if (!d || m->nq != all->nq || m->nv != all->nv)
        return 0;
    const size_t states = (size_t)all->count, nq = (size_t)m->nq, nv = (size_t)m->nv;
    qpos = calloc(states * nq, sizeof(double));
    qvel = calloc(states * nv, sizeof(double));
    qacc = calloc(states * nv, sizeof(double));
    effort = calloc(states * nv, sizeof(double));
    results = calloc(nv, sizeof(double));
    full = calloc(nv * nv, sizeof(double));
    turn = calloc(nv * nv, sizeof(double));
    q_at = calloc((size_t)m->njnt, sizeof(int));
    v_at = calloc((size_t)m->njnt, sizeof(int));
    strcpy(complaint, "there is too little memory");
    if (!qpos || !qvel || !qacc || !effort || !results || !full || !turn || !q_at || !v_at)
        return 0;
    for (int j = 0; j < m->njnt; j++) {
        int at;
        strcpy(complaint, "a joint has no name");
        if (sscanf(mj_id2name(m, mjOBJ_JOINT, j), "j%d_%d_%d", &at, &q_at[j], &v_at[j]) != 3)
            return 0;
    }
    count = all->count;
    for (int at = 0; at < count; at++) {
        double *q = qpos + (size_t)at * nq, *v = qvel + (size_t)at * nv;
        double *a = qacc + (size_t)at * nv, *f = effort + (size_t)at * nv;
        to_mujoco(states_qd(all, at), v);
        to_mujoco(states_qdd(all, at), a);
        to_mujoco(states_effort(all, at), f);
        for (int j = 0; j < m->njnt; j++) {
            int many = m->jnt_type[j] == mjJNT_FREE ? 7 : m->jnt_type[j] == mjJNT_BALL ? 4 : 1;
            memcpy(q + m->jnt_qposadr[j], states_q(all, at) + q_at[j], (size_t)many * sizeof(double));
            if (rotates(j)) {
                const double *quaternion = q + m->jnt_qposadr[j] + 3;
                const int i = m->jnt_dofadr[j];
                double spin[3];
                /* The derivative of a velocity that turns along. */
                mju_cross(spin, v + i + 3, v + i);
                mju_addTo3(a + i, spin);
                rotate(quaternion, v + i, 0);
                rotate(quaternion, a + i, 0);
                rotate(quaternion, f + i, 0);
            }
        }
    }
    given = all;
    return 1;
}

CONTENDER void contender_run(int pack)
{
    const size_t nq = (size_t)m->nq, nv = (size_t)m->nv, at = (size_t)pack;
    memcpy(d->qpos, qpos + at * nq, nq * sizeof(double));
    memcpy(d->qvel, qvel + at * nv, nv * sizeof(double));
    mj_kinematics(m, d);
    mj_comPos(m, d);
    if (what == INVERSE) {
        memcpy(d->qacc, qacc + at * nv, nv * sizeof(double));
        mj_comVel(m, d);
        mj_rne(m, d, 1, results);
        return;
    }
    mj_makeM(m, d);
    if (what == DIRECT) {
        mj_factorM(m, d);
        mj_comVel(m, d);
        mj_rne(m, d, 0, results);
        const double *f = effort + at * nv;
        for (size_t i = 0; i < nv; i++)
            results[i] = f[i] - results[i];
        mj_solveM(m, d, d->qacc, results, 1);
    }
}

CONTENDER void contender_read(int pack, int lane, double *out)
{
    (void)lane;
    const int nv = m->nv;
    const double *q = qpos + (size_t)pack * (size_t)m->nq, *v = qvel + (size_t)pack * (size_t)nv;
    double *own = turn; /* a row is enough for vectors */
    int place[nv];
    for (int j = 0; j < m->njnt; j++) {
        int many = m->jnt_type[j] == mjJNT_FREE ? 6 : m->jnt_type[j] == mjJNT_BALL ? 3 : 1;
        for (int i = 0; i < many; i++)
            place[m->jnt_dofadr[j] + i] = v_at[j] + i;
    }
    if (what == MASS) {
        mj_fullM(m, d, full);
        /* Rows, then columns, into the body's axes. */
        for (int pass = 0; pass < 2; pass++) {
            for (int row = 0; row < nv; row++)
                for (int j = 0; j < m->njnt; j++)
                    if (rotates(j))
                        rotate(q + m->jnt_qposadr[j] + 3, full + row * nv + m->jnt_dofadr[j], 1);
            mju_transpose(turn, full, nv, nv);
            memcpy(full, turn, (size_t)(nv * nv) * sizeof(double));
        }
        for (int i = 0; i < nv; i++)
            for (int j = 0; j < nv; j++)
                out[place[i] * nv + place[j]] = full[i * nv + j];
        return;
    }
    memcpy(own, what == DIRECT ? d->qacc : results, (size_t)nv * sizeof(double));
    for (int i = 0; what == INVERSE && i < nv; i++)
        own[i] += m->dof_armature[i] * d->qacc[i];
    for (int j = 0; j < m->njnt; j++) {
        if (rotates(j)) {
            const int i = m->jnt_dofadr[j];
            rotate(q + m->jnt_qposadr[j] + 3, own + i, 1);
            if (what == DIRECT) {
                double linear[3], spin[3];
                memcpy(linear, v + i, sizeof linear);
                rotate(q + m->jnt_qposadr[j] + 3, linear, 1);
                mju_cross(spin, v + i + 3, linear);
                mju_subFrom3(own + i, spin);
            }
        }
    }
    for (int i = 0; i < nv; i++)
        out[place[i]] = own[i];
}
