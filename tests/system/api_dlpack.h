/* api_dlpack.h -- what the tests of piola_dlpack.h share: scenes of both methods in both dimensions and precisions, the
 * names of all fields, and whether a tensor is what its header says. */
#ifndef PIOLA_API_DLPACK_H
#define PIOLA_API_DLPACK_H

#include "piola_dlpack.h"
#include "tests/system/api_case.h"

namespace api
{

struct scene {
    std::string name, text;
};

inline std::string replaced(std::string text, const std::string &from, const std::string &to)
{
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

/* Particles in a box of 3D. */
inline std::string particles_3d()
{
    return "version: 1\n"
           "name: particles\n"
           "method: {type: mpm, dimension: 3, precision: f64, grid: {spacing: 0.1, min: [0, 0, 0], max: [1, 1, 1]}}\n"
           "time: {dt: 0.5 ms, duration: 2 ms}\n"
           "materials: [{name: soft, model: neo_hookean, E: 20 kPa, nu: 0.3, density: 1000}]\n"
           "geometry: [{name: box, type: box, min: [0.3, 0.3, 0.3], max: [0.6, 0.6, 0.6]}]\n"
           "bodies: [{name: one, geometry: box, material: soft, velocity: [1, 0, 0], angular_velocity: [0, 3, 4]}]\n"
           "observe: [{name: centre, type: mean_position, body: one}]\n"
           "design: [{name: E, target: materials.soft.E, transform: log}]\n"
           "objective: [{type: target, of: centre.x, value: 0.5}]\n";
}

/* A clamped block of 3D under its weight. */
inline std::string mesh_3d()
{
    return "version: 1\n"
           "name: mesh\n"
           "method: {type: fem, dimension: 3, precision: f64}\n"
           "geometry: [{name: box, type: box, min: [0, 0, 0], max: [1, 1, 1], element: hex8, elements: [3, 2, 2]}]\n"
           "materials: [{name: rubber, model: neo_hookean, E: 1 MPa, nu: 0.3}]\n"
           "bodies: [{name: block, geometry: box, material: rubber}]\n"
           "boundary: [{name: floor, body: block, on: {group: bottom}, type: fixed}]\n"
           "loads: [{name: pull, body: block, on: {group: top}, type: traction, value: [20 kPa, 10 kPa, 0]}]\n"
           "observe: [{name: edge, type: displacement, body: block, on: {min: [1, 1, 0], max: [1, 1, 1]}}]\n"
           "design: [{name: modulus, target: materials.rubber.E, per: element}]\n"
           "objective: [{type: minimize, of: edge.x}]\n";
}

/* With fields of stress at every kind of place. */
inline std::string with_stress(const std::string &text)
{
    return text + "output:\n"
                  "  states: {fields: [reaction, cauchy_stress, green_strain, von_mises, J, energy_density],\n"
                  "           per: [element, node, point]}\n";
}

/* Scenes of this dimension, 2 or 3, in this precision. */
inline std::vector<scene> scenes_of(int dimension, const std::string &precision)
{
    std::string p = dimension == 2 ? particles(8, "2 ms") : particles_3d(), m = dimension == 2 ? mesh(3) : mesh_3d();
    m = replaced(m, "dimension: 2, plane", "dimension: 2, precision: f64, plane");
    const std::string label = " " + std::to_string(dimension) + "D " + precision;
    std::vector<scene> all = {{"particles" + label, p}, {"mesh" + label, with_stress(m)}};
    for (scene &s : all) s.text = replaced(s.text, "precision: f64", "precision: " + precision);
    return all;
}

/* The names of all fields, from the message of one that is not there. */
inline std::vector<std::string> fields_of(piola_problem *p)
{
    piola_error error = {};
    std::vector<std::string> names;
    if (piola_read(p, "no such field", nullptr, 0, &error) != PIOLA_USAGE) return names;
    const std::string message = error.message, before = "; there are: ";
    size_t at = message.find(before);
    if (at == std::string::npos) return names;
    for (at += before.size(); at < message.size();) {
        const size_t end = std::min(message.find(", ", at), message.size());
        names.push_back(message.substr(at, end - at));
        at = end + 2;
    }
    return names;
}

/* Whether a tensor has the shape of the field, doubles row by row, and this kind of device, number 0. */
inline bool is_tensor_of(const DLTensor &t, const piola_problem *p, const char *field, DLDeviceType device)
{
    const int64_t items = int64_t(piola_items(p, field)), components = int64_t(piola_components(p, field));
    int32_t kind = 0, number = -1;
    piola_dlpack_device(p, &kind, &number);
    return kind == device && number == 0 && t.data && t.ndim == 2 && t.shape[0] == items && t.shape[1] == components &&
           t.strides[0] == components && t.strides[1] == 1 && t.byte_offset == 0 && t.dtype.code == kDLFloat &&
           t.dtype.bits == 64 && t.dtype.lanes == 1 && t.device.device_type == device && t.device.device_id == 0 &&
           uintptr_t(t.data) % 256 == 0;
}

/* The number of values. */
inline size_t size_of(const DLTensor &t)
{
    return size_t(t.shape[0] * t.shape[1]);
}

/* Evaluates with the gradient at the start. */
inline bool evaluate(piola_problem *p)
{
    piola_error error = {};
    vector gradient(piola_variables(p));
    double J = 0;
    return worked(piola_evaluate(p, nullptr, &J, gradient.data(), gradient.size(), &error), error);
}

} // namespace api

#endif
