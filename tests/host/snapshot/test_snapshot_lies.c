/* test_snapshot_lies.c -- files with false values are rejected, and the value is named. */
#include "tests/host/snapshot/snapshot_spoiled.h"

#include <hdf5.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void set_int(hid_t file, const char *object, const char *key, int64_t value)
{
    hid_t id = H5Oopen(file, object, H5P_DEFAULT), attr = H5Aopen(id, key, H5P_DEFAULT);
    assert_true(attr >= 0);
    assert_true(H5Awrite(attr, H5T_NATIVE_INT64, &value) >= 0);
    H5Aclose(attr);
    H5Oclose(id);
}

/* One entry of a list, the others as they were. It has no checksum then: a forger would have computed the right one. */
static void set_entry(hid_t file, const char *dataset, int64_t at, int64_t value)
{
    int64_t values[200];
    hid_t id = H5Dopen2(file, dataset, H5P_DEFAULT);
    assert_true(id >= 0 && H5Dread(id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    values[at] = value;
    assert_true(H5Dwrite(id, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    if (H5Aexists(id, "crc32c") > 0) assert_true(H5Adelete(id, "crc32c") >= 0);
    H5Dclose(id);
}

static void replace(hid_t file, const char *name, hid_t type, int rank, const hsize_t *dims, hid_t plist)
{
    assert_true(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    hid_t space = H5Screate_simple(rank, dims, NULL),
          id = H5Dcreate2(file, name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    assert_true(id >= 0);
    H5Dclose(id);
    H5Sclose(space);
}

static void many_points(hid_t file)
{
    set_int(file, "piola", "n_points", (int64_t)1 << 40);
}
static void many_frames(hid_t file)
{
    set_int(file, "VTKHDF/Steps", "NSteps", (int64_t)1 << 60);
}
static void negative_frames(hid_t file)
{
    set_int(file, "VTKHDF/Steps", "NSteps", -1);
}
static void one_frame_more(hid_t file)
{
    set_int(file, "VTKHDF/Steps", "NSteps", 4);
}
static void odd_dimension(hid_t file)
{
    set_int(file, "piola", "dimension", 4);
}
static void many_components(hid_t file)
{
    set_int(file, "VTKHDF/PointData/F", "components", 10);
}
static void many_iterations(hid_t file)
{
    set_int(file, "piola/gradient/gravity", "iterations", 1 << 20);
}
static void far_offset(hid_t file)
{
    set_entry(file, "VTKHDF/Steps/PointOffsets", 0, INT64_MAX - 5);
}
static void negative_offset(hid_t file)
{
    set_entry(file, "VTKHDF/Steps/PointDataOffsets/F", 0, -1);
}

static void text_for_numbers(hid_t file)
{
    const hsize_t dims[1] = {36};
    replace(file, "VTKHDF/PointData/J", H5T_C_S1, 1, dims, H5P_DEFAULT);
}

/* 2^36 points that only a fill value stands for. */
static void false_count(hid_t file)
{
    const hsize_t dims[2] = {(hsize_t)1 << 36, 3};
    replace(file, "VTKHDF/Points", H5T_IEEE_F64LE, 2, dims, H5P_DEFAULT);
}

static void soft_link(hid_t file)
{
    assert_true(H5Ldelete(file, "VTKHDF/PointData", H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_soft("/VTKHDF/PointData", file, "VTKHDF/PointData", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

static void other_file(hid_t file)
{
    assert_true(H5Ldelete(file, "piola/gradient/gravity", H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external("good.vtkhdf", "piola/gradient/gravity", file, "piola/gradient/gravity", H5P_DEFAULT,
                                   H5P_DEFAULT) >= 0);
}

/* The scene's text would be the content of another file. */
static void outside_text(hid_t file)
{
    const hsize_t dims[1] = {1};
    hid_t type = H5Tcopy(H5T_C_S1), plist = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Tset_size(type, 32) >= 0 && H5Pset_external(plist, "/etc/hostname", 0, 32) >= 0);
    replace(file, "piola/scene/verbatim", type, 1, dims, plist);
    H5Pclose(plist);
    H5Tclose(type);
}

/* A group within itself. */
static void cycle(hid_t file)
{
    assert_true(H5Lcreate_hard(file, "piola", file, "piola/gradient/again", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

/* A text of variable length, which lies in the heap that has no checksum. */
static void long_text(hid_t file)
{
    const char *text = "m/s";
    hid_t id = H5Oopen(file, "VTKHDF/PointData/velocity", H5P_DEFAULT), type = H5Tcopy(H5T_C_S1),
          space = H5Screate(H5S_SCALAR);
    assert_true(H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Adelete(id, "units") >= 0);
    hid_t attr = H5Acreate2(id, "units", type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(attr >= 0 && H5Awrite(attr, type, &text) >= 0);
    H5Aclose(attr);
    H5Sclose(space);
    H5Tclose(type);
    H5Oclose(id);
}

static void many_cells(hid_t file)
{
    set_int(file, "piola", "n_cells", (int64_t)1 << 40);
}
static void fewer_cells(hid_t file)
{
    set_int(file, "piola", "n_cells", 9);
}
static void fewer_nodes(hid_t file)
{
    set_entry(file, "VTKHDF/NumberOfConnectivityIds", 0, 40);
}
static void far_node(hid_t file)
{
    set_entry(file, "VTKHDF/Connectivity", 11, 30);
}
static void negative_node(hid_t file)
{
    set_entry(file, "VTKHDF/Connectivity", 11, -1);
}
static void odd_type(hid_t file)
{
    set_entry(file, "VTKHDF/Types", 2, 1);
}
static void solid_type(hid_t file)
{
    set_entry(file, "VTKHDF/Types", 3, PIO_CELL_TET4);
}
static void other_type(hid_t file)
{
    set_entry(file, "VTKHDF/Types", 3, PIO_CELL_TRI3);
}
static void late_offset(hid_t file)
{
    set_entry(file, "VTKHDF/Offsets", 0, 1);
}
static void falling_offset(hid_t file)
{
    set_entry(file, "VTKHDF/Offsets", 5, 0);
}
static void huge_offset(hid_t file)
{
    set_entry(file, "VTKHDF/Offsets", 5, INT64_MAX);
}
static void far_cell_offset(hid_t file)
{
    set_entry(file, "VTKHDF/Steps/CellDataOffsets/energy", 1, INT64_MAX - 4);
}

static void real_nodes(hid_t file)
{
    const hsize_t dims[1] = {55};
    replace(file, "VTKHDF/Connectivity", H5T_IEEE_F64LE, 1, dims, H5P_DEFAULT);
}

/* Fields of cells with as many rows as a mesh of half the cells has. */
static void short_cell_data(hid_t file)
{
    const hsize_t dims[1] = {15};
    hid_t from = H5Dopen2(file, "VTKHDF/CellData/energy", H5P_DEFAULT), to = H5Oopen(file, "VTKHDF/CellData", 0);
    static const char *const texts[] = {"units", "meaning", "when"};
    char text[3][32] = {"", "", ""};
    const int64_t one = 1;
    for (int i = 0; i < 3; i++) {
        hid_t a = H5Aopen(from, texts[i], H5P_DEFAULT), type = H5Aget_type(a);
        assert_true(H5Aread(a, type, text[i]) >= 0);
        H5Tclose(type);
        H5Aclose(a);
    }
    H5Dclose(from);
    replace(file, "VTKHDF/CellData/energy", H5T_IEEE_F64LE, 1, dims, H5P_DEFAULT);
    from = H5Dopen2(file, "VTKHDF/CellData/energy", H5P_DEFAULT);
    hid_t space = H5Screate(H5S_SCALAR), type = H5Tcopy(H5T_C_S1);
    assert_true(H5Tset_size(type, sizeof text[0]) >= 0);
    for (int i = 0; i < 4; i++) {
        hid_t kind = i < 3 ? type : H5T_NATIVE_INT64;
        hid_t a = H5Acreate2(from, i < 3 ? texts[i] : "components", kind, space, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Awrite(a, kind, i < 3 ? (const void *)text[i] : &one) >= 0);
        H5Aclose(a);
    }
    H5Tclose(type);
    H5Sclose(space);
    H5Dclose(from);
    H5Oclose(to);
}

/* The same name at points and at cells. */
static void twin_fields(hid_t file)
{
    assert_true(H5Lcreate_hard(file, "VTKHDF/PointData/mass", file, "VTKHDF/CellData/mass", 0, 0) >= 0);
}

/* Opens, and reads all; the message of the first refusal. */
static piola_status first_refusal(piola_error *error)
{
    pio_snapshot_file *f = NULL;
    double out[30 * 9];
    uint8_t types[10];
    int64_t offsets[11], connectivity[200];
    char *text = NULL;
    piola_status status = pio_snapshot_open(&f, bad_path, false, error);
    const bool mesh = status == PIOLA_OK && pio_snapshot_describe(f)->n_cells;
    for (int64_t k = 0; k < 3 && status == PIOLA_OK; k++) status = pio_snapshot_read_points(f, k, out, error);
    for (int64_t k = 0; k < 3 && status == PIOLA_OK; k++)
        status = pio_snapshot_read_field(f, mesh ? "energy" : "F", k, out, error);
    if (status == PIOLA_OK && mesh) status = pio_snapshot_read_mesh(f, types, offsets, connectivity, error);
    if (status == PIOLA_OK) status = pio_snapshot_read_document(f, PIO_SNAPSHOT_SCENE, &text, error);
    free(text);
    pio_snapshot_close(f);
    return status;
}

typedef struct {
    void (*lie)(hid_t file);
    const char *named;
} lie_case;

static void send_false_values(const lie_case *lies, size_t n)
{
    piola_error error;
    assert_true(put(good, good_size));
    assert_int_equal(first_refusal(&error), PIOLA_OK); /* the truth is accepted */
    for (size_t i = 0; i < n; i++) {
        assert_true(put(good, good_size));
        hid_t file = H5Fopen(bad_path, H5F_ACC_RDWR, H5P_DEFAULT);
        assert_true(file >= 0);
        lies[i].lie(file);
        assert_true(H5Fclose(file) >= 0);
        if (first_refusal(&error) != PIOLA_BAD_DATA || !strstr(error.message + strlen(bad_path), lies[i].named))
            fail_msg("lie %zu (%s): '%s'", i, lies[i].named, error.message);
        print_message("%s\n", error.message + strlen(folder) + 1);
    }
}

static void a_file_that_lies_is_refused_with_the_lie_named(void **state)
{
    (void)state;
    static const lie_case lies[] = {{many_points, "n_points"},       {many_frames, "NSteps"},
                                    {negative_frames, "NSteps"},     {one_frame_more, "Values"},
                                    {odd_dimension, "dimension"},    {many_components, "components"},
                                    {many_iterations, "iterations"}, {far_offset, "Points"},
                                    {negative_offset, "F"},          {text_for_numbers, "J"},
                                    {false_count, "Points"},         {soft_link, "PointData"},
                                    {other_file, "gravity"},         {outside_text, "verbatim"},
                                    {cycle, "iterations"},           {long_text, "units"}};
    take(false);
    send_false_values(lies, sizeof lies / sizeof *lies);
}

static void a_mesh_that_lies_is_refused_with_the_lie_named(void **state)
{
    (void)state;
    static const lie_case lies[] = {
        {many_cells, "n_cells"},          {fewer_cells, "n_cells"},          {fewer_nodes, "Connectivity"},
        {far_node, "entry 11 is 30"},     {negative_node, "entry 11 is -1"}, {odd_type, "cell 2, of type 1"},
        {solid_type, "three dimensions"}, {other_type, "number of nodes"},   {late_offset, "begins with 1"},
        {falling_offset, "cell 4"},       {huge_offset, "cell 4"},           {far_cell_offset, "energy"},
        {real_nodes, "Connectivity"},     {short_cell_data, "energy"},       {twin_fields, "two fields"},
        {many_points, "n_points"},        {one_frame_more, "Values"}};
    take(true);
    send_false_values(lies, sizeof lies / sizeof *lies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_lies_is_refused_with_the_lie_named),
        cmocka_unit_test(a_mesh_that_lies_is_refused_with_the_lie_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
