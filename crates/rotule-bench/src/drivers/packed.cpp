// C that CasADi wrote, with packs in place of its numbers; SOURCE is that C.
#include "pack.hpp"
#define casadi_real Pack
#define casadi_int long long
#include SOURCE
