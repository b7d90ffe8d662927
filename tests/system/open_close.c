/* open_close.c -- a program that opens a scene by piola.h and closes it, for test_open.py.
 *
 *   open_close SCENE [STATUS] [FAULT]
 *
 * It ends with 0 if piola_open returned STATUS (0), otherwise with what it returned. FAULT is what the program does
 * between the two calls, which the test must find: print, complain, write, delete, touch, or temporary, which makes a
 * folder and removes it; or gradient, which evaluates the scene. */
#include "piola.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Evaluates the scene with its gradient. Returns 0 if that worked. */
static int evaluate(piola_problem *problem)
{
    const size_t n = piola_variables(problem);
    double J = 0, *gradient = calloc(n + 1, sizeof *gradient);
    const int code = !gradient || piola_evaluate(problem, NULL, &J, gradient, n, NULL);
    free(gradient);
    return code;
}

/* Plants a fault in the current folder, which has a file "kept". Returns 0 if that worked. */
static int plant(piola_problem *problem, const char *fault)
{
    if (!strcmp(fault, "gradient")) return evaluate(problem);
    if (!strcmp(fault, "print")) return puts("planted") < 0;
    if (!strcmp(fault, "complain")) return fputs("planted\n", stderr) < 0;
    if (!strcmp(fault, "delete")) return unlink("kept");
    if (!strcmp(fault, "touch")) return utimensat(AT_FDCWD, "kept", NULL, 0);
    if (!strcmp(fault, "write")) return mkdir("planted", 0777);
    if (!strcmp(fault, "temporary")) return mkdir("planted", 0777) || rmdir("planted");
    return 1;
}

int main(int argc, char **argv)
{
    piola_problem *problem = NULL;
    piola_options options = piola_options_default();
    if (argc < 2) return 2;
    options.scene = argv[1];
    options.device = "cpu";
    const int wanted = argc > 2 ? atoi(argv[2]) : 0;
    const int status = (int)piola_open(&problem, &options, NULL);
    if (argc > 3 && plant(problem, argv[3])) return 3;
    piola_close(problem);
    return status == wanted ? 0 : status ? status : 1;
}
