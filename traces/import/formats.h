/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: traces. Which format a profiler's trace has, found in the file itself, and its reader (traces/import/importers.def). */
#ifndef GSIM_TRACES_FORMATS_H
#define GSIM_TRACES_FORMATS_H

#include "traces/import/import.h"

struct gsim_importer {
    const char *name, *help;
    enum gsim_status (*read)(const char *path, const struct gsim_import_options *options, struct gsim_program *program,
                             struct gsim_import_notes *notes, struct gsim_error *error);
};

/* All of them; ends with a zeroed one. */
extern const struct gsim_importer gsim_importers[];

/* NULL for none of that name. */
const struct gsim_importer *gsim_importer_named(const char *name);
/* By the first bytes of the file and, of a database, its tables. NULL and an error that says what the file is and what to do. */
const struct gsim_importer *gsim_importer_of(const char *path, struct gsim_error *error);

/* The name of the GPU as the file gives it, without reading all of it; "" where it does not. */
void gsim_importer_gpu(const struct gsim_importer *importer, const char *path, char gpu[64]);

#endif
