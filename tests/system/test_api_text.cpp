/* test_api_text.cpp -- a scene in memory: the bits of the same scene in a file, its name in messages, paths that begin
 * in its folder, and commands that refuse it.
 *
 *     test_api_text [FOLDER]    (a writable folder for the files it makes) */
#include "tests/system/api_case.h"

#include <filesystem>
#include <fstream>

using namespace api;

namespace fs = std::filesystem;

namespace
{

/* The scene of particles with a misfit to a table beside it. */
std::string with_table()
{
    std::string text = particles(20);
    const std::string term = "  - {type: minimize, of: energy, weight: 1e-3}\n";
    text.replace(text.find(term), term.size(),
                 "  - {type: misfit, of: centre, data: {file: places.csv, time: t, columns: [x, y]}, sigma: 1 mm}\n");
    return text;
}

vector evaluated(const piola_options &options)
{
    piola_problem *p = nullptr;
    piola_error error = {};
    double J = 0;
    if (!worked(piola_open(&p, &options, &error), error)) return {};
    vector all(piola_variables(p)), y;
    if (!worked(piola_evaluate(p, nullptr, &J, all.data(), all.size(), &error), error) || !observations_of(p, y))
        all.clear();
    all.push_back(J);
    all.insert(all.end(), y.begin(), y.end());
    piola_close(p);
    return all;
}

void check_same(const fs::path &folder)
{
    const std::string text = with_table(), file = (folder / "scene.yaml").string(),
                      none = (folder / "none.yaml").string();
    std::ofstream(folder / "places.csv") << "t,x,y\n0.005,0.46,0.45\n0.01,0.47,0.45\n";
    std::ofstream(file) << text;
    piola_options options = piola_options_default();
    options.device = "cpu";
    options.scene = file.c_str();
    const vector of_file = evaluated(options);
    std::ofstream(file) << "not: this\n";
    options.text = text.c_str();
    const vector of_text = evaluated(options);
    options.scene = none.c_str();
    const vector of_none = evaluated(options);
    expect("a scene in memory has the bits of one in a file, which is not read",
           of_file.size() > 4 && same_bits(of_file, of_text), double(of_file.size()), 4);
    expect("its file need not exist, and paths begin in its folder", same_bits(of_file, of_none) && !fs::exists(none),
           0, 0);
    const char *sets[] = {"materials.soft.nu=0.2"};
    options.sets = sets;
    options.n_sets = 1;
    const vector of_set = evaluated(options);
    expect("overrides apply to it", of_set.size() == of_text.size() && !same_bits(of_set, of_text), 0, 0);
    fs::rename(folder / "places.csv", folder / "elsewhere.csv");
    piola_problem *p = nullptr;
    piola_error error = {};
    const piola_status rc = piola_open(&p, &options, &error);
    std::printf("    %s\n", error.message);
    expect("without the file that it names it is PIOLA_NO_INPUT", rc == PIOLA_NO_INPUT && !p, rc, PIOLA_NO_INPUT);
}

void check_messages(const fs::path &folder)
{
    const std::string name = (folder / "made.yaml").string();
    std::string text = particles(20);
    text.replace(text.find("E: 20 kPa"), 9, "E: 20 kg ");
    piola_problem *p = nullptr;
    piola_error error = {};
    piola_options options = piola_options_default();
    options.scene = name.c_str();
    options.text = text.c_str();
    piola_status rc = piola_open(&p, &options, &error);
    std::printf("    %s\n", error.message);
    expect("a fault has the name of the scene, its line and its key",
           rc == PIOLA_BAD_DATA && !p && std::strstr(error.message, (name + ":6:").c_str()) &&
               std::strstr(error.message, "materials[0].E"),
           rc, PIOLA_BAD_DATA);
    options.text = "";
    rc = piola_open(&p, &options, &error);
    std::printf("    %s\n", error.message);
    expect("an empty text is no scene", rc == PIOLA_BAD_DATA && !p, rc, PIOLA_BAD_DATA);
    options.text = "version: 1\n";
    options.scene = nullptr;
    rc = piola_open(&p, &options, &error);
    expect("nor is one without a name", rc == PIOLA_USAGE && !p, rc, PIOLA_USAGE);
}

void check_commands(const fs::path &folder)
{
    const std::string text = particles(20), file = (folder / "scene.yaml").string(), out = (folder / "out").string();
    std::ofstream(file) << text;
    piola_options options = piola_options_default();
    const piola_sweep_options sweep = piola_sweep_options_default();
    piola_error error = {};
    options.scene = file.c_str();
    options.directory = out.c_str();
    options.text = text.c_str();
    options.quiet = 9;
    int refused = 0;
    for (const auto command : {piola_run, piola_grad, piola_check, piola_optimize, piola_validate, piola_params}) {
        error = {};
        refused += command(&options, &error) == PIOLA_USAGE && std::strstr(error.message, "options->text");
    }
    refused += piola_sweep(&options, &sweep, &error) == PIOLA_USAGE && std::strstr(error.message, "options->text");
    expect("seven commands refuse a scene in memory and write nothing", refused == 7 && !fs::exists(out), refused, 7);
}

} // namespace

int main(int argc, char **argv)
{
    const fs::path folder = fs::path(argc > 1 ? argv[1] : ".") / "test_api_text_folder";
    fs::remove_all(folder);
    fs::create_directories(folder);
    check_same(folder);
    check_messages(folder);
    check_commands(folder);
    fs::remove_all(folder);
    std::printf("%d faults (threshold 0)\n", faults);
    return faults != 0;
}
