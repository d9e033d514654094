// Pinocchio's own algorithms as a contender: templates of its headers, compiled here.
#include "plain.hpp"
#include "contender.h"
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <cstring>
#include <memory>

namespace {

struct State {
    Eigen::VectorXd q, qd, qdd, effort;
};

std::unique_ptr<Plain> plain;
std::unique_ptr<DataOf<double>> data;
std::vector<State> all;
void (*algorithm)(const State &);
std::string reason;

void inverse(const State &s) { pinocchio::rnea(plain->model, *data, s.q, s.qd, s.qdd); }
void mass(const State &s) { pinocchio::crba(plain->model, *data, s.q, pinocchio::Convention::WORLD); }
void mass_local(const State &s) { pinocchio::crba(plain->model, *data, s.q, pinocchio::Convention::LOCAL); }
void forward(const State &s) { pinocchio::aba(plain->model, *data, s.q, s.qd, s.effort, pinocchio::Convention::LOCAL); }
void forward_world(const State &s) { pinocchio::aba(plain->model, *data, s.q, s.qd, s.effort, pinocchio::Convention::WORLD); }
void inverse_derivatives(const State &s) { pinocchio::computeRNEADerivatives(plain->model, *data, s.q, s.qd, s.qdd); }
void forward_derivatives(const State &s) { pinocchio::computeABADerivatives(plain->model, *data, s.q, s.qd, s.effort); }

const struct { const char *name; void (*algorithm)(const State &); } ALGORITHMS[] = {
    {"inverse", inverse},
    {"mass", mass},
    {"mass_local", mass_local},
    {"forward", forward},
    {"forward_world", forward_world},
    {"inverse_derivatives", inverse_derivatives},
    {"forward_derivatives", forward_derivatives},
};

}

CONTENDER int contender_open(const char *function, const char *model, const struct states *states, const char **why)
{
    algorithm = nullptr;
    for (const auto &one : ALGORITHMS)
        if (!std::strcmp(one.name, function))
            algorithm = one.algorithm;
    *why = "Pinocchio has no such function";
    if (!algorithm)
        return 0;
    try {
        plain = std::make_unique<Plain>(model);
        data = std::make_unique<DataOf<double>>(plain->model);
    } catch (const std::exception &error) {
        reason = error.what();
        *why = reason.c_str();
        return 0;
    }
    for (int at = 0; at < states->count; at++) {
        State s;
        s.q.resize(plain->nq);
        for (Eigen::VectorXd *list : {&s.qd, &s.qdd, &s.effort})
            list->resize(plain->nv);
        plain->coordinates(states_q(states, at), s.q);
        plain->speeds(states_qd(states, at), s.qd);
        plain->speeds(states_qdd(states, at), s.qdd);
        plain->speeds(states_effort(states, at), s.effort);
        all.push_back(s);
    }
    return 1;
}

CONTENDER void contender_run(int pack) { algorithm(all[pack]); }

CONTENDER void contender_read(int, int, double *results)
{
    const int n = plain->nv;
    const auto &v = plain->v;
    const auto vector = [&](const Eigen::VectorXd &from) {
        for (int i = 0; i < n; i++)
            results[v[i]] = from[i];
    };
    const auto matrix = [&](const auto &from, double *to) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                to[v[i] * n + v[j]] = from(i, j);
    };
    if (algorithm == inverse)
        vector(data->tau);
    else if (algorithm == forward || algorithm == forward_world)
        vector(data->ddq);
    else if (algorithm == inverse_derivatives)
        matrix(data->dtau_dq, results), matrix(data->dtau_dv, results + n * n);
    else if (algorithm == forward_derivatives)
        matrix(data->ddq_dq, results), matrix(data->ddq_dv, results + n * n);
    else
        // Only the upper half is computed.
        for (int i = 0; i < n; i++)
            for (int j = i; j < n; j++)
                results[v[i] * n + v[j]] = results[v[j] * n + v[i]] = data->M(i, j);
}
