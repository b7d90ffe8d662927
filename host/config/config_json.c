/* config_json.c -- files of JSON, which YAML 1.2 contains, read as trees. */
#include "host/base/decimal.h"
#include "host/base/fail.h"
#include "host/base/file.h"
#include "host/config/config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 30 }; /* of a file */

piola_status pio_cfg_json(cfg_doc *doc, const char *path, const char *what, cfg_node **root, piola_error *error)
{
    char *text = NULL;
    size_t size = 0;
    memset(doc, 0, sizeof *doc);
    *root = NULL;
    const piola_status rc = pio_file_read(path, MOST_BYTES, &text, &size, error);
    if (rc) return rc;
    const cfg_file *file = pio_cfg_file(doc, path, text, size);
    *root = file ? pio_cfg_parse(doc, file, file->text, file->size, 0) : NULL;
    free(text);
    if (doc->no_memory) return pio_fail_memory(error, size, "a result");
    if (doc->stopped) return pio_fail(error, doc->stopped, "%s", doc->why.message);
    if (*root && (*root)->kind == CFG_PAIRS) return PIOLA_OK;
    *root = NULL;
    return pio_fail(error, PIOLA_BAD_DATA, "%.1000s: it is not %s", path, what);
}

double pio_cfg_number_of(const cfg_node *node)
{
    double value = 0;
    if (!node || node->kind != CFG_SCALAR || !node->plain || pio_decimal(node->text, &value) == 0) return (double)NAN;
    return value;
}
