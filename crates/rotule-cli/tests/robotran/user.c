#include "math.h"
#include "mbs_data.h"
#include "user_all_id.h"
#include "user_model.h"

double *user_JointForces(MbsData *mbs_data, double tsim)
{
    UserModel *um = mbs_data->user_model;
    mbs_data->Qq[T1_cart_id] = 4.0 * mbs_data->ux[um->Motor.current[1]] - 2.0 * mbs_data->q[R2_arm_id];
    mbs_data->Qq[R2_arm_id] = -um->Spring.c[2] * mbs_data->qd[T1_cart_id] + sin(tsim);
    return mbs_data->Qq;
}

double user_LinkForces(double Z, double Zd, MbsData *mbs_data, double tsim, int ilnk)
{
    UserModel *um = mbs_data->user_model;
    double Flnk = 0.0;
    switch (ilnk) {
    case Spring_id:
        Flnk = um->Spring.k * (Z - 1.5) + um->Spring.c[1] * Zd;
        break;
    }
    return Flnk;
}

double *user_ExtForces(double PxF[4], double RxF[4][4], double VxF[4], double OMxF[4],
                       double AxF[4], double OMPxF[4], MbsData *mbs_data, double tsim, int ixF)
{
    double *SWr = mbs_data->SWr[ixF];
    int idpt = mbs_data->xfidpt[ixF];
    SWr[1] = -0.5 * VxF[1] + 0.1 * RxF[1][3];
    SWr[2] = 0;
    SWr[3] = 0.2 * PxF[3];
    SWr[4] = 0;
    SWr[5] = 0.3 * OMxF[2];
    SWr[6] = 0;
    SWr[7] = mbs_data->dpt[1][idpt] + 0.1;
    SWr[8] = mbs_data->dpt[2][idpt];
    SWr[9] = mbs_data->dpt[3][idpt] - 0.2;
    return SWr;
}

void user_DrivenJoints(MbsData *mbs_data, double tsim)
{
    mbs_data->q[R2_crank_id] = 0.3 + 0.2 * sin(2 * tsim);
    mbs_data->qd[R2_crank_id] = 0.4 * cos(2 * tsim);
    mbs_data->qdd[R2_crank_id] = -0.8 * sin(2 * tsim);
}

void user_Derivative(MbsData *mbs_data)
{
    mbs_data->uxd[1] = -mbs_data->ux[1] + mbs_data->q[T1_cart_id];
    mbs_data->uxd[2] = mbs_data->qd[R2_arm_id] - mbs_data->ux[2] * mbs_data->q[R2_crank_id];
}
