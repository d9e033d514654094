// A mechanism in plain numbers, as Rotule writes it for other codes, and Pinocchio's model of it.
//
// The file has a line with the numbers of coordinates and speeds and gravity, then a line for each elementary joint with
// the body that it moves, parents before children and branch after branch, as `crba` needs it.
#pragma once
#include <pinocchio/multibody.hpp>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

// The kinds of joint that occur here. Pinocchio has more than twice as many, which every algorithm would be compiled for.
template <class S, int O> struct Few {
    typedef S Scalar;
    static constexpr int Options = O;
#define ROTULE_JOINTS(What) \
    pinocchio::Joint##What##RevoluteTpl<S, O, 0>, pinocchio::Joint##What##RevoluteTpl<S, O, 1>, \
    pinocchio::Joint##What##RevoluteTpl<S, O, 2>, pinocchio::Joint##What##FreeFlyerTpl<S, O>, \
    pinocchio::Joint##What##RevoluteUnalignedTpl<S, O>, pinocchio::Joint##What##SphericalTpl<S, O>, \
    pinocchio::Joint##What##PrismaticTpl<S, O, 0>, pinocchio::Joint##What##PrismaticTpl<S, O, 1>, \
    pinocchio::Joint##What##PrismaticTpl<S, O, 2>, pinocchio::Joint##What##PrismaticUnalignedTpl<S, O>, \
    pinocchio::Joint##What##HelicalUnalignedTpl<S, O>
    typedef boost::variant<ROTULE_JOINTS(Model)> JointModelVariant;
    typedef boost::variant<ROTULE_JOINTS(Data)> JointDataVariant;
    typedef pinocchio::JointModelCompositeTpl<S, O, Few> JointModelComposite;
    typedef pinocchio::JointModelMimicTpl<S, O, Few> JointModelMimic;
    typedef pinocchio::JointDataCompositeTpl<S, O, Few> JointDataComposite;
    typedef pinocchio::JointDataMimicTpl<S, O, Few> JointDataMimic;
};

template <class S> using ModelOf = pinocchio::ModelTpl<S, 0, Few>;
template <class S> using DataOf = pinocchio::DataTpl<S, 0, Few>;

struct Plain {
    typedef pinocchio::JointModelTpl<double, 0, Few> JointModel;

    enum Kind { Turn, Spherical, Free };
    struct Place { Kind kind; int own, rotule; };

    int nq = 0, nv = 0;
    ModelOf<double> model;
    std::vector<Place> joints;  // where the coordinates of each are here and in Rotule
    std::vector<int> v;         // Rotule's place of each of Pinocchio's speeds

    explicit Plain(const char *path)
    {
        std::ifstream file(path);
        double g[3];
        if (!(file >> nq >> nv >> g[0] >> g[1] >> g[2]))
            throw std::runtime_error("the model cannot be read");
        model.gravity.linear() << g[0], g[1], g[2];
        v.resize(nv);
        Eigen::VectorXd drives = Eigen::VectorXd::Zero(nv);
        int parent, q, speed;
        std::string kind;
        while (file >> parent >> kind) {
            double axis[3], pitch, drive, at[12], mass, com[3], moment[6];
            read(file, axis, 3);
            file >> pitch >> q >> speed >> drive;
            read(file, at, 12);
            file >> mass;
            read(file, com, 3);
            if (!read(file, moment, 6))
                throw std::runtime_error("the model has a short line");
            pinocchio::SE3 placement;
            placement.translation() << at[0], at[1], at[2];
            placement.rotation() << at[3], at[4], at[5], at[6], at[7], at[8], at[9], at[10], at[11];
            const auto joint = model.addJoint(parent, joint_model(kind, axis, pitch), placement, "j" + std::to_string(joints.size()));
            Eigen::Matrix3d inertia;
            inertia << moment[0], moment[1], moment[2], moment[1], moment[3], moment[4], moment[2], moment[4], moment[5];
            model.appendBodyToJoint(joint, pinocchio::Inertia(mass, Eigen::Vector3d(com[0], com[1], com[2]), inertia), pinocchio::SE3::Identity());
            joints.push_back({kind == "free" ? Free : kind == "spherical" ? Spherical : Turn, model.idx_qs[joint], q});
            for (int i = 0; i < model.nvs[joint]; i++) {
                v.at(model.idx_vs[joint] + i) = speed + i;
                drives[model.idx_vs[joint] + i] = drive;
            }
        }
        if (model.nv != nv || model.nq != nq)
            throw std::runtime_error("the model has other numbers of coordinates");
        model.armature = drives;
    }

    // Coordinates in Pinocchio's order; its quaternions end with the real part.
    template <class From, class To> void coordinates(const From &from, To &to) const
    {
        for (const Place &joint : joints) {
            const int a = joint.own, b = joint.rotule;
            const int turn = joint.kind == Free ? 3 : 0;
            if (joint.kind == Turn) {
                to[a] = from[b];
                continue;
            }
            for (int i = 0; i < turn; i++)
                to[a + i] = from[b + i];
            for (int i = 0; i < 3; i++)
                to[a + turn + i] = from[b + turn + 1 + i];
            to[a + turn + 3] = from[b + turn];
        }
    }

    template <class From, class To> void speeds(const From &from, To &to) const
    {
        for (int i = 0; i < nv; i++)
            to[i] = from[v[i]];
    }

private:
    static bool read(std::ifstream &file, double *numbers, int count)
    {
        for (int i = 0; i < count; i++)
            file >> numbers[i];
        return bool(file);
    }

    static JointModel joint_model(const std::string &kind, const double *axis, double pitch)
    {
        const Eigen::Vector3d a(axis[0], axis[1], axis[2]);
        const bool x = a == Eigen::Vector3d::UnitX(), y = a == Eigen::Vector3d::UnitY(), z = a == Eigen::Vector3d::UnitZ();
        // Joints along axes of the frame have code of their own, which is faster.
        if (kind == "revolute")
            return x ? JointModel(pinocchio::JointModelRX()) : y ? JointModel(pinocchio::JointModelRY()) : z ? JointModel(pinocchio::JointModelRZ()) : JointModel(pinocchio::JointModelRevoluteUnaligned(a));
        if (kind == "prismatic")
            return x ? JointModel(pinocchio::JointModelPX()) : y ? JointModel(pinocchio::JointModelPY()) : z ? JointModel(pinocchio::JointModelPZ()) : JointModel(pinocchio::JointModelPrismaticUnaligned(a));
        if (kind == "helical")
            return JointModel(pinocchio::JointModelHelicalUnaligned(a, pitch));
        if (kind == "spherical")
            return JointModel(pinocchio::JointModelSpherical());
        if (kind == "free")
            return JointModel(pinocchio::JointModelFreeFlyer());
        throw std::runtime_error("there is no joint " + kind);
    }
};
