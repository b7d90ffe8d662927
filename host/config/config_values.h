/* config_values.h -- private to config.c and config_values.c: numbers, lists of them, expressions and names. */
#ifndef PIOLA_HOST_CONFIG_VALUES_H
#define PIOLA_HOST_CONFIG_VALUES_H

#include "host/config/config.h"

/* An array of a decoded struct. */
typedef struct cfg_array {
    void *v;  /* [n] entries */
    size_t n; /* number of them */
} cfg_array;

/* Returns a copy of a text in the document's pool, or NULL without memory, which the document records. */
char *pio_cfg_own_text(cfg_doc *doc, const char *text, size_t length);
/* Returns whether a text is a name, or a label, of which . and - may be parts. */
bool pio_cfg_is_name(const char *text, size_t length, bool label);
/* Decodes a number, or where the field has texts an expression, whose text it sets, else NULL. Returns false after a
 * fault. */
bool pio_cfg_number(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, double *out, char **text);
/* Decodes exactly `want` numbers (0: 2 or 3) into out[3], and where texts [3] is not NULL expressions into it. Returns
 * false after a fault. */
bool pio_cfg_numbers(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, size_t want, double *out,
                     char **texts);
/* Decode fields of the types CFG_INTEGER, CFG_PAIR and CFG_SPIN into the member `at`. */
void pio_cfg_integer(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *at);
void pio_cfg_pair(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *at); /* Likewise. */
void pio_cfg_spin(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *at); /* Likewise. */
/* Decode fields of the types CFG_NUMBERS and CFG_NAMED into the struct `owner`. */
void pio_cfg_number_list(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f, char *owner);
void pio_cfg_named(cfg_doc *doc, const cfg_node *node, const char *path, const cfg_field *f,
                   char *owner); /* Likewise. */

#endif
