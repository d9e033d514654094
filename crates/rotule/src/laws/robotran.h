/* What ROBOTRAN's user functions use of its structure of a model, with the same names. Arrays begin
 * at one. The constants in capitals stand in front of this text. */

#ifndef ROTULE_ROBOTRAN_H
#define ROTULE_ROBOTRAN_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user_model.h"

typedef struct MbsData {
    int njoint, nbody, npt, Nlink, Nxfrc, Nux, Nuserc, process, flag_stop;
    double tsim, g[4];
    double q[NJOINT + 1], qd[NJOINT + 1], qdd[NJOINT + 1], q0[NJOINT + 1], Qq[NJOINT + 1];
    double ux[NUX + 1], uxd[NUX + 1], ux0[NUX + 1];
    double m[NJOINT + 1], l[4][NJOINT + 1], In[10][NJOINT + 1];
    double dpt[4][NPT + 1];
    double *SWr[NXFRC + 1], swr[NXFRC + 1][10];
    int xfidpt[NXFRC + 1];
    double Z[NLINK + 1], Zd[NLINK + 1], Fl[NLINK + 1];
    UserModel *user_model;
} MbsData;

typedef MbsData MBSdataStruct;

/* Outputs of the user are for ROBOTRAN's result files. */
static inline void set_output(double value, const char *name) { (void)value; (void)name; }
static inline void set_output_value(double value, int at, const char *name)
{ (void)value; (void)at; (void)name; }
static inline void set_output_vector(double *values, const char *name) { (void)values; (void)name; }

double *user_JointForces(MbsData *mbs_data, double tsim);
double user_LinkForces(double Z, double Zd, MbsData *mbs_data, double tsim, int ilnk);
double *user_ExtForces(double PxF[4], double RxF[4][4], double VxF[4], double OMxF[4], double AxF[4],
                       double OMPxF[4], MbsData *mbs_data, double tsim, int ixF);
void user_DrivenJoints(MbsData *mbs_data, double tsim);
void user_Derivative(MbsData *mbs_data);
void user_cons_hJ(double *h, double **Jac, MbsData *mbs_data, double tsim);
void user_cons_jdqd(double *jdqd, MbsData *mbs_data, double tsim);

#endif
