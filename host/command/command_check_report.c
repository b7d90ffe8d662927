/* command_check_report.c -- see command_check.h. */
#include "host/command/command_check.h"

#include "host/base/fail.h"
#include "host/model/model_fem.h"
#include "host/results/certificate.h"
#include "host/results/check_record.h"
#include "host/results/result.h"

#include <math.h>

piola_status pio_check_report(pio_session *s, const pio_taylor_row *rows, size_t n, double equilibrium,
                              piola_error *error)
{
    static const char *const files[] = {"check.json", NULL};
    pio_json json;
    size_t passed = 0, failed = 0;
    char message[200], undecided[60] = "";
    for (size_t i = 0; i < n; i++) {
        passed += rows[i].verdict == PIO_TAYLOR_PASSED;
        failed += rows[i].verdict == PIO_TAYLOR_FAILED;
    }
    const piola_status verdict = passed == n ? PIOLA_OK : PIOLA_NO;
    if (n > passed + failed) snprintf(undecided, sizeof undecided, ", %zu undecided", n - passed - failed);
    snprintf(message, sizeof message, "%zu of %zu directions passed at tolerance %g, %zu failed%s", passed, n,
             s->scene->gradient.check_tolerance, failed, undecided);
    const double loose =
        s->model->fem ? fmax(s->model->fem->desc.newton_tolerance, s->model->fem->desc.adjoint_tolerance) : 0;
    if (verdict && loose > 2 * pio_fem_tolerance(false))
        pio_log_message(
            s->call.log, PIO_WARNING,
            "solver.tolerance or solver.adjoint_tolerance is %g: differences cannot be better; a check needs about %g",
            loose, pio_fem_tolerance(false));
    piola_status rc = pio_check_record_write(s, (int64_t)n, (int64_t)passed, error);
    if (rc) return rc;
    pio_result_begin(s, &json, verdict, message, NULL);
    pio_result_evaluation(s, &json, s->model->z0, true, NULL);
    pio_json_begin_object(&json, "check");
    pio_json_bool(&json, "passed", verdict == PIOLA_OK);
    pio_json_string(&json, "verdict", passed == n ? "passed" : failed ? "FAILED" : "undecided");
    pio_json_integer(&json, "failed", (int64_t)failed);
    pio_json_integer(&json, "undecided", (int64_t)(n - passed - failed));
    pio_json_double(&json, "tolerance", s->scene->gradient.check_tolerance);
    if (equilibrium > 0) pio_json_double(&json, "equilibrium_tolerance", equilibrium);
    pio_check_rows_json(rows, n, &json, "rows");
    pio_json_end_object(&json);
    pio_certificate_json(s, rows, n, &json, "certificate");
    rc = pio_result_end(s, &json, files, error);
    if (rc) return rc;
    pio_log_message(s->call.log,
                    failed    ? PIO_ERROR
                    : verdict ? PIO_WARNING
                              : PIO_INFO,
                    "check %s: %s",
                    failed    ? "FAILED"
                    : verdict ? "undecided"
                              : "passed",
                    message);
    if (failed)
        pio_fail(error, verdict, "the gradient is not the derivative: %s", message);
    else if (verdict)
        pio_fail(
            error, verdict,
            "undecided, which is not a pass: %s; nothing speaks against the gradient, and each such direction says "
            "what would decide it",
            message);
    return verdict;
}
