#include "mbs_data.h"
#include "user_all_id.h"
void user_cons_hJ(double *h, double **Jac, MbsData *mbs_data, double tsim)
{
    h[1] = mbs_data->q[T1_cart_id] - 0.3 * sin(mbs_data->q[R2_arm_id]) - 0.01 * tsim;
    Jac[1][T1_cart_id] = 1.0;
    Jac[1][R2_arm_id] = -0.3 * cos(mbs_data->q[R2_arm_id]);
}
