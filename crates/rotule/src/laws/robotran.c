/* Entry points of ROBOTRAN's user functions: arguments become its structure, and what a function
 * writes there becomes results. `rotule_load` and the constants stand in front of this text.
 *
 *   state    t, q, qd, ux, parameters
 *   given    what is particular to a call: the number of a joint, a link or a force, ... */

static _Thread_local MbsData rotule_data;
static _Thread_local UserModel rotule_model;

/* The structure at a state; gives the number of its arguments. */
static MbsData *rotule_state(const double *state)
{
    MbsData *s = &rotule_data;
    memset(s, 0, sizeof *s);
    s->njoint = s->nbody = NJOINT;
    s->npt = NPT;
    s->Nlink = NLINK;
    s->Nxfrc = NXFRC;
    s->Nux = NUX;
    s->Nuserc = NUSERC;
    s->process = 3;
    s->tsim = state[0];
    s->user_model = &rotule_model;
    memcpy(s->q + 1, state + 1, NJOINT * sizeof(double));
    memcpy(s->qd + 1, state + 1 + NJOINT, NJOINT * sizeof(double));
    memcpy(s->ux + 1, state + 1 + 2 * NJOINT, NUX * sizeof(double));
    for (int i = 1; i <= NXFRC; i++)
        s->SWr[i] = s->swr[i];
    /* Accelerations follow from what these functions give. */
    for (int i = 1; i <= NJOINT; i++)
        s->qdd[i] = NAN;
    rotule_load(s, &rotule_model, state + 1 + 2 * NJOINT + NUX);
    return s;
}

/* A number of a joint, a link or a force. */
static int rotule_number(double given, int most)
{
    return given >= 1 && given <= most ? (int)(given + 0.5) : 1;
}

#ifdef HAS_user_JointForces
void rotule_user_JointForces(const double *x, double *y)
{
    MbsData *s = rotule_state(x);
    double *found = user_JointForces(s, s->tsim);
    memcpy(y, (found ? found : s->Qq) + 1, NJOINT * sizeof(double));
}
#endif

#ifdef HAS_user_LinkForces
void rotule_user_LinkForces(const double *x, double *y)
{
    MbsData *s = rotule_state(x + 3);
    int number = rotule_number(x[2], NLINK);
    s->Z[number] = x[0];
    s->Zd[number] = x[1];
    y[0] = user_LinkForces(x[0], x[1], s, s->tsim, number);
}
#endif

#ifdef HAS_user_ExtForces
/* position, velocity, angular velocity, rotation of the body by rows, number */
void rotule_user_ExtForces(const double *x, double *y)
{
    MbsData *s = rotule_state(x + 19);
    int number = rotule_number(x[18], NXFRC), point = s->xfidpt[number];
    double P[4], V[4], OM[4], R[4][4], unknown[4] = { NAN, NAN, NAN, NAN }, d[3], arm[3];
    for (int i = 1; i <= 3; i++) {
        P[i] = x[i - 1];
        V[i] = x[i + 2];
        OM[i] = x[i + 5];
        for (int j = 1; j <= 3; j++)
            R[j][i] = x[9 + 3 * (i - 1) + j - 1]; /* ROBOTRAN's goes from the base to the body */
    }
    for (int i = 1; i <= 3; i++)
        s->swr[number][6 + i] = s->dpt[i][point];
    const double *w = user_ExtForces(P, R, V, OM, unknown, unknown, s, s->tsim, number);
    if (!w)
        w = s->SWr[number];
    for (int i = 0; i < 3; i++)
        d[i] = w[7 + i] - s->dpt[1 + i][point];
    for (int i = 0; i < 3; i++)
        arm[i] = R[1][i + 1] * d[0] + R[2][i + 1] * d[1] + R[3][i + 1] * d[2];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        y[i] = w[1 + i];
        y[3 + i] = w[4 + i] + arm[j] * w[1 + k] - arm[k] * w[1 + j];
    }
}
#endif

#ifdef HAS_user_DrivenJoints
void rotule_user_DrivenJoints(const double *x, double *y)
{
    /* Only the time and parameters are known here. */
    double state[1 + 2 * NJOINT + NUX + NPARAMETER + 1];
    int number = rotule_number(x[0], NJOINT);
    state[0] = x[1];
    for (int i = 0; i < 2 * NJOINT + NUX; i++)
        state[1 + i] = NAN;
    memcpy(state + 1 + 2 * NJOINT + NUX, x + 2, NPARAMETER * sizeof(double));
    MbsData *s = rotule_state(state);
    user_DrivenJoints(s, s->tsim);
    y[0] = s->q[number];
    y[1] = s->qd[number];
    y[2] = s->qdd[number];
}
#endif

#ifdef HAS_user_Derivative
void rotule_user_Derivative(const double *x, double *y)
{
    MbsData *s = rotule_state(x);
    user_Derivative(s);
    memcpy(y, s->uxd + 1, NUX * sizeof(double));
}
#endif

#ifdef HAS_user_cons_hJ
static void rotule_constraints(const double *x, double *h, double Jac[NUSERC + 1][NJOINT + 1])
{
    MbsData *s = rotule_state(x);
    double *rows[NUSERC + 1];
    for (int i = 0; i <= NUSERC; i++) {
        rows[i] = Jac[i];
        h[i] = 0;
        for (int j = 0; j <= NJOINT; j++)
            Jac[i][j] = 0;
    }
    user_cons_hJ(h, rows, s, s->tsim);
}

void rotule_user_cons_hJ(const double *x, double *y)
{
    double h[NUSERC + 1], Jac[NUSERC + 1][NJOINT + 1];
    rotule_constraints(x, h, Jac);
    memcpy(y, h + 1, NUSERC * sizeof(double));
}

/* Along coordinates by the user's Jacobian, along the time by differences. */
void rotule_user_cons_hJ_derivative(const double *x, double *y)
{
    enum { COUNT = 1 + 2 * NJOINT + NUX + NPARAMETER };
    double h[NUSERC + 1], before[NUSERC + 1], Jac[NUSERC + 1][NJOINT + 1], moved[COUNT + 1];
    const double *dx = x + COUNT;
    rotule_constraints(x, h, Jac);
    for (int i = 1; i <= NUSERC; i++) {
        y[i - 1] = 0;
        for (int j = 1; j <= NJOINT; j++)
            y[i - 1] += Jac[i][j] * dx[j];
    }
    if (dx[0] != 0) {
        double step = 1e-5 * (1 + fabs(x[0]));
        memcpy(moved, x, COUNT * sizeof(double));
        moved[0] = x[0] - step;
        rotule_constraints(moved, before, Jac);
        moved[0] = x[0] + step;
        rotule_constraints(moved, h, Jac);
        for (int i = 1; i <= NUSERC; i++)
            y[i - 1] += (h[i] - before[i]) / (2 * step) * dx[0];
    }
}
#endif
