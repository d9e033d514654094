// Pinocchio's algorithms as C code by way of CasADi: `generate MODEL FOLDER`.
//
// For each function the folder gets NAME.c with the code and NAME.h with the places of its results in Rotule's dense
// order; a line on standard output has the name and the number of operations. Inputs and results are in Rotule's order, for that
// costs nothing here. Results are sparse and of symmetric matrices half, which is the least work.
#include <pinocchio/autodiff/casadi.hpp>
#include "plain.hpp"
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <iostream>
#include <unistd.h>

using casadi::SX;
typedef Eigen::Matrix<SX, Eigen::Dynamic, 1> Vector;
typedef ModelOf<SX> Model;
typedef DataOf<SX> Data;

struct Result {
    SX value;
    int place, mirror;
};

static std::string folder;

static void write(const std::string &name, const std::vector<SX> &inputs, const std::vector<Result> &results)
{
    std::vector<SX> values;
    std::string places;
    for (const Result &one : results) {
        if (one.value.is_zero())
            continue;
        values.push_back(one.value);
        places += "{" + std::to_string(one.place) + "," + std::to_string(one.mirror) + "},\n";
    }
    const SX out = cse(SX::vertcat(values));
    casadi::Function f("casadi_" + name, inputs, {out});
    std::ofstream(folder + "/" + name + ".h") << "#define ENTRIES " << values.size() << "\nstatic const int places[][2] = {\n" << places << "};\n";
    f.generate(name + ".c", casadi::Dict{{"with_header", false}});
    long operations = 0;
    for (casadi_int k = 0; k < f.n_instructions(); k++) {
        const auto what = f.instruction_id(k);
        operations += what != casadi::OP_INPUT && what != casadi::OP_OUTPUT && what != casadi::OP_CONST;
    }
    std::cout << name << " " << operations << std::endl;
}

int main(int words, char **word)
{
    if (words != 3)
        return 2;
    try {
        const Plain plain(word[1]);
        folder = word[2];
        if (chdir(word[2]))
            throw std::runtime_error("the folder cannot be entered");
        const int n = plain.nv;
        const Model model = plain.model.cast<SX>();
        const SX q = SX::sym("q", plain.nq), qd = SX::sym("qd", n), qdd = SX::sym("qdd", n), effort = SX::sym("effort", n);
        // Fresh matrices for each function: what an algorithm leaves behind must not enter another.
        const auto fresh = [&] { return Data(model); };
        const auto list = [](const SX &from) {
            std::vector<SX> out;
            for (int i = 0; i < from.size1(); i++)
                out.push_back(from(i));
            return out;
        };
        Vector pq(plain.nq), pqd(n), pqdd(n), peffort(n);
        plain.coordinates(list(q), pq);
        plain.speeds(list(qd), pqd);
        plain.speeds(list(qdd), pqdd);
        plain.speeds(list(effort), peffort);
        const auto vector = [&](const auto &from) {
            std::vector<Result> out;
            for (int i = 0; i < n; i++)
                out.push_back({from(i), plain.v[i], plain.v[i]});
            return out;
        };
        const auto pair = [&](const auto &a, const auto &b) {
            std::vector<Result> out;
            for (int which = 0; which < 2; which++)
                for (int i = 0; i < n; i++)
                    for (int j = 0; j < n; j++) {
                        const int place = which * n * n + plain.v[i] * n + plain.v[j];
                        out.push_back({SX(which ? b(i, j) : a(i, j)), place, place});
                    }
            return out;
        };
        Data data = fresh();
        pinocchio::rnea(model, data, pq, pqd, pqdd);
        const Vector tau = data.tau;
        write("inverse", {q, qd, qdd}, vector(tau));
        data = fresh();
        pinocchio::crba(model, data, pq, pinocchio::Convention::WORLD);
        const auto half = [&](const Data &from) {
            std::vector<Result> out;
            for (int i = 0; i < n; i++)
                for (int j = i; j < n; j++)
                    out.push_back({from.M(i, j), plain.v[i] * n + plain.v[j], plain.v[j] * n + plain.v[i]});
            return out;
        };
        write("mass", {q}, half(data));
        data = fresh();
        pinocchio::crba(model, data, pq, pinocchio::Convention::LOCAL);
        write("mass_local", {q}, half(data));
        data = fresh();
        pinocchio::aba(model, data, pq, pqd, peffort, pinocchio::Convention::LOCAL);
        const Vector ddq = data.ddq;
        write("forward", {q, qd, effort}, vector(ddq));
        data = fresh();
        pinocchio::computeRNEADerivatives(model, data, pq, pqd, pqdd);
        write("inverse_derivatives", {q, qd, qdd}, pair(data.dtau_dq, data.dtau_dv));
        data = fresh();
        pinocchio::computeABADerivatives(model, data, pq, pqd, peffort);
        write("forward_derivatives", {q, qd, effort}, pair(data.ddq_dq, data.ddq_dv));
        // Where coordinates and speeds are the same, CasADi can differentiate by itself.
        if (plain.nq == n) {
            const auto column = [&](const Vector &from) {
                SX out(n, 1);
                for (int i = 0; i < n; i++)
                    out(plain.v[i]) = from(i);
                return out;
            };
            const auto all = [&](const SX &of) {
                const SX a = SX::jacobian(of, q), b = SX::jacobian(of, qd);
                std::vector<Result> out;
                for (int which = 0; which < 2; which++)
                    for (int i = 0; i < n; i++)
                        for (int j = 0; j < n; j++) {
                            const int place = which * n * n + i * n + j;
                            out.push_back({SX((which ? b : a)(i, j)), place, place});
                        }
                return out;
            };
            write("inverse_ad", {q, qd, qdd}, all(column(tau)));
            write("forward_ad", {q, qd, effort}, all(column(ddq)));
        }
    } catch (const std::exception &error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
    return 0;
}
