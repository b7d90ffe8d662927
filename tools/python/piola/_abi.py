"""Structs, enums and functions of the headers of Piola, for ctypes; written by tools/python/make_abi.py."""
from ctypes import (POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p)
from enum import IntEnum
from typing import Any

VERSION = "0.1.0"


class piola_status(IntEnum):
    PIOLA_OK = 0
    PIOLA_NO = 1
    PIOLA_USAGE = 2
    PIOLA_BAD_DATA = 65
    PIOLA_NO_INPUT = 66
    PIOLA_UNAVAILABLE = 69
    PIOLA_INTERNAL = 70
    PIOLA_NO_MEMORY = 71
    PIOLA_CANNOT_CREATE = 73
    PIOLA_IO = 74
    PIOLA_INTERRUPTED = 75
    PIOLA_NUMERICAL = 76
    PIOLA_REFUSED = 77
    PIOLA_MEMBERS_FAILED = 78
    PIOLA_NO_PROGRESS = 79


class piola_failure_kind(IntEnum):
    PIOLA_FAILED_NOT = 0
    PIOLA_FAILED_CONSTANTS = 1
    PIOLA_FAILED_TIME_STEP = 2
    PIOLA_FAILED_NOT_FINITE = 3
    PIOLA_FAILED_INVERTED = 4
    PIOLA_FAILED_REST_SHAPE = 5
    PIOLA_FAILED_RIGID_MOTION = 6
    PIOLA_FAILED_LINE_SEARCH = 7
    PIOLA_FAILED_NEWTON = 8
    PIOLA_FAILED_ADJOINT = 9
    PIOLA_FAILED_EIGENVALUES = 10
    PIOLA_FAILED_REPEATED = 11
    PIOLA_FAILED_LINEAR_LIMIT = 12
    PIOLA_FAILED_STAGNATION = 13
    PIOLA_FAILED_NEGATIVE_CURVATURE = 14
    PIOLA_FAILED_SINGULAR = 15
    PIOLA_FAILED_PRECONDITIONER = 16
    PIOLA_FAILED_START_OUTSIDE = 17
    PIOLA_FAILED_LEFT_GRID = 18
    PIOLA_FAILED_CFL = 19
    PIOLA_FAILED_OBJECTIVE = 20
    PIOLA_FAILED_GRADIENT = 21
    PIOLA_FAILED_REVERSAL = 22
    PIOLA_FAILED_CONTACT = 23
    PIOLA_FAILURES = 24


class piola_failed_item(IntEnum):
    PIOLA_FAILED_NOWHERE = 0
    PIOLA_FAILED_ELEMENT = 1
    PIOLA_FAILED_NODE = 2
    PIOLA_FAILED_PARTICLE = 3


class piola_failure(Structure):
    _fields_ = [("kind", c_int), ("cause", c_int), ("of", c_int), ("item", c_int64), ("step", c_int64),
        ("residual", c_double)]


class piola_error(Structure):
    _fields_ = [("status", c_int), ("message", c_char * 2048), ("failure", piola_failure)]


class piola_options(Structure):
    _fields_ = [("scene", c_char_p), ("text", c_char_p), ("directory", c_char_p), ("sets", POINTER(c_char_p)),
        ("n_sets", c_size_t), ("allow", POINTER(c_char_p)), ("n_allow", c_size_t), ("device", c_char_p),
        ("isa", c_char_p), ("precision", c_char_p), ("threads", c_int), ("jobs", c_int), ("memory", c_double),
        ("resume", c_bool), ("accept_machine", c_bool), ("dry_run", c_bool), ("json", c_bool), ("quiet", c_int),
        ("verbose", c_int), ("log_json", c_char_p), ("max_walltime", c_double), ("require_progress", c_bool),
        ("command_line", c_char_p)]


class piola_sweep_options(Structure):
    _fields_ = [("over", POINTER(c_char_p)), ("n_over", c_size_t), ("samples", c_int64), ("sampling", c_char_p),
        ("seed", c_int64), ("starts", c_int64), ("what", c_char_p), ("jobs", c_int), ("members", c_char_p),
        ("collect", c_bool), ("slurm", c_bool), ("chunk", c_int64), ("sbatch", POINTER(c_char_p)),
        ("n_sbatch", c_size_t), ("program", c_char_p)]


class piola_bench_options(Structure):
    _fields_ = [("particles", c_int64), ("per_cell", c_int), ("dimension", c_int), ("steps", c_int),
        ("device", c_char_p), ("isa", c_char_p), ("precision", c_char_p), ("law", c_char_p), ("plasticity", c_char_p),
        ("viscosity", c_double), ("fibres", c_bool), ("box", c_char_p), ("start", c_char_p), ("sizes", c_bool),
        ("compare", c_char_p), ("threads", c_int), ("json", c_bool)]


class piola_bench_fem_options(Structure):
    _fields_ = [("element", c_char_p), ("cells", c_int), ("dimension", c_int), ("device", c_char_p), ("isa", c_char_p),
        ("precision", c_char_p), ("law", c_char_p), ("tolerance", c_double), ("preconditioner", c_char_p),
        ("compare", c_char_p), ("threads", c_int), ("json", c_bool)]


class piola_bench_memory_options(Structure):
    _fields_ = [("particles", c_int64), ("steps", c_int), ("device", c_char_p), ("isa", c_char_p),
        ("precision", c_char_p), ("threads", c_int), ("json", c_bool)]


class piola_bench_snapshot_options(Structure):
    _fields_ = [("particles", c_int64), ("dimension", c_int), ("frames", c_int), ("precision", c_char_p),
        ("folder", c_char_p), ("json", c_bool)]


class piola_info_options(Structure):
    _fields_ = [("file", c_char_p), ("json", c_bool), ("no_verify", c_bool)]


class piola_render_options(Structure):
    _fields_ = [("file", c_char_p), ("output", c_char_p), ("field", c_char_p), ("frame", c_int64), ("width", c_int),
        ("height", c_int), ("lo", c_double), ("hi", c_double), ("azimuth", c_double), ("elevation", c_double),
        ("zoom", c_double), ("deformation", c_double), ("hide_below", c_char_p), ("surface", c_char_p),
        ("opacity", c_char_p), ("fit", c_bool), ("hold", c_bool), ("targets", c_bool), ("paths", c_bool),
        ("threads", c_int), ("no_verify", c_bool)]


class piola_film_options(Structure):
    _fields_ = [("picture", piola_render_options), ("fps", c_double), ("every", c_int64)]


class piola_report_options(Structure):
    _fields_ = [("folder", c_char_p), ("output", c_char_p), ("threads", c_int)]


class piola_plot_options(Structure):
    _fields_ = [("folder", c_char_p), ("output", c_char_p), ("curves", POINTER(c_char_p)),
        ("history", POINTER(c_char_p)), ("responses", POINTER(c_char_p)), ("n_curves", c_size_t),
        ("n_history", c_size_t), ("n_responses", c_size_t), ("over", c_char_p), ("scale", c_char_p),
        ("title", c_char_p), ("width", c_int), ("height", c_int)]


class piola_export_options(Structure):
    _fields_ = [("file", c_char_p), ("to", c_char_p), ("output", c_char_p), ("frame", c_int64), ("no_verify", c_bool)]


class piola_design_info(Structure):
    _fields_ = [("name", c_char * 120), ("path", c_char * 240), ("unit", c_char * 32), ("per", c_char * 32),
        ("first", c_size_t), ("groups", c_size_t), ("components", c_size_t), ("filtered", c_int),
        ("logarithmic", c_int), ("tied", c_int)]


class piola_observation_info(Structure):
    _fields_ = [("name", c_char * 120), ("unit", c_char * 32), ("samples", c_size_t), ("components", c_size_t)]


class piola_cotangents(Structure):
    _fields_ = [("J", c_double), ("samples", POINTER(c_double)), ("n_samples", c_size_t)]


class piola_field_info(Structure):
    _fields_ = [("name", c_char * 64), ("unit", c_char * 40), ("items", c_size_t), ("components", c_size_t)]


# name: (type of the result, types of the arguments)
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "piola_failure_name": (c_char_p, [c_int]),
    "piola_version": (c_char_p, []),
    "piola_memory_refused": (None, [c_size_t]),
    "piola_refused_bytes": (c_size_t, []),
    "piola_disown_result": (None, []),
    "piola_options_default": (piola_options, []),
    "piola_run": (c_int, [POINTER(piola_options), POINTER(piola_error)]),
    "piola_grad": (c_int, [POINTER(piola_options), POINTER(piola_error)]),
    "piola_check": (c_int, [POINTER(piola_options), POINTER(piola_error)]),
    "piola_optimize": (c_int, [POINTER(piola_options), POINTER(piola_error)]),
    "piola_sweep_options_default": (piola_sweep_options, []),
    "piola_sweep": (c_int, [POINTER(piola_options), POINTER(piola_sweep_options), POINTER(piola_error)]),
    "piola_validate": (c_int, [POINTER(piola_options), POINTER(piola_error)]),
    "piola_params": (c_int, [POINTER(piola_options), POINTER(piola_error)]),
    "piola_schema": (c_int, [c_bool, POINTER(piola_error)]),
    "piola_doctor": (c_int, [c_bool, POINTER(piola_error)]),
    "piola_bench_options_default": (piola_bench_options, []),
    "piola_bench_mpm": (c_int, [POINTER(piola_bench_options), POINTER(piola_error)]),
    "piola_bench_fem_options_default": (piola_bench_fem_options, []),
    "piola_bench_fem": (c_int, [POINTER(piola_bench_fem_options), POINTER(piola_error)]),
    "piola_bench_memory_options_default": (piola_bench_memory_options, []),
    "piola_bench_memory": (c_int, [POINTER(piola_bench_memory_options), POINTER(piola_error)]),
    "piola_bench_snapshot_options_default": (piola_bench_snapshot_options, []),
    "piola_bench_snapshot": (c_int, [POINTER(piola_bench_snapshot_options), POINTER(piola_error)]),
    "piola_info": (c_int, [POINTER(piola_info_options), POINTER(piola_error)]),
    "piola_render_options_default": (piola_render_options, []),
    "piola_render": (c_int, [POINTER(piola_render_options), POINTER(piola_error)]),
    "piola_film_options_default": (piola_film_options, []),
    "piola_film": (c_int, [POINTER(piola_film_options), POINTER(piola_error)]),
    "piola_report_options_default": (piola_report_options, []),
    "piola_report": (c_int, [POINTER(piola_report_options), POINTER(piola_error)]),
    "piola_plot_options_default": (piola_plot_options, []),
    "piola_plot": (c_int, [POINTER(piola_plot_options), POINTER(piola_error)]),
    "piola_export_options_default": (piola_export_options, []),
    "piola_export": (c_int, [POINTER(piola_export_options), POINTER(piola_error)]),
    "piola_open": (c_int, [POINTER(c_void_p), POINTER(piola_options), POINTER(piola_error)]),
    "piola_close": (None, [c_void_p]),
    "piola_interrupt": (None, [c_void_p]),
    "piola_variables": (c_size_t, [c_void_p]),
    "piola_variable": (c_int, [c_void_p, c_size_t, c_char_p, c_size_t, POINTER(c_double), POINTER(piola_error)]),
    "piola_designs": (c_size_t, [c_void_p]),
    "piola_design": (c_int, [c_void_p, c_size_t, POINTER(piola_design_info), POINTER(piola_error)]),
    "piola_bounds": (c_int, [c_void_p, POINTER(c_double), POINTER(c_double), c_size_t, POINTER(piola_error)]),
    "piola_has_objective": (c_bool, [c_void_p]),
    "piola_evaluate": (c_int, [c_void_p, POINTER(c_double), POINTER(c_double), POINTER(c_double), c_size_t,
        POINTER(piola_error)]),
    "piola_observations": (c_size_t, [c_void_p]),
    "piola_observation": (c_int, [c_void_p, c_size_t, POINTER(piola_observation_info), POINTER(piola_error)]),
    "piola_samples": (c_size_t, [c_void_p]),
    "piola_read_observation": (c_int, [c_void_p, c_size_t, POINTER(c_double), c_size_t, POINTER(c_double), c_size_t,
        POINTER(piola_error)]),
    "piola_constraints": (c_size_t, [c_void_p]),
    "piola_constraint": (c_int, [c_void_p, c_size_t, c_char_p, c_size_t, POINTER(c_double), POINTER(piola_error)]),
    "piola_constraint_gradient": (c_int, [c_void_p, c_size_t, POINTER(c_double), c_size_t, POINTER(piola_error)]),
    "piola_pullback": (c_int, [c_void_p, POINTER(c_double), POINTER(piola_cotangents), POINTER(c_double), c_size_t,
        POINTER(piola_error)]),
    "piola_jacobian": (c_int, [c_void_p, POINTER(c_double), POINTER(c_double), c_size_t, POINTER(piola_error)]),
    "piola_steps": (c_size_t, [c_void_p]),
    "piola_begin": (c_int, [c_void_p, POINTER(c_double), POINTER(piola_error)]),
    "piola_step": (c_int, [c_void_p, c_size_t, POINTER(piola_error)]),
    "piola_step_number": (c_size_t, [c_void_p]),
    "piola_time": (c_double, [c_void_p]),
    "piola_fields": (c_size_t, [c_void_p]),
    "piola_field": (c_int, [c_void_p, c_size_t, POINTER(piola_field_info), POINTER(piola_error)]),
    "piola_items": (c_size_t, [c_void_p, c_char_p]),
    "piola_components": (c_size_t, [c_void_p, c_char_p]),
    "piola_read": (c_int, [c_void_p, c_char_p, POINTER(c_double), c_size_t, POINTER(piola_error)]),
    "piola_particles": (c_size_t, [c_void_p]),
    "piola_nodes": (c_size_t, [c_void_p]),
    "piola_elements": (c_size_t, [c_void_p]),
}
