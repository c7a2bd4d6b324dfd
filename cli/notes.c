/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli (program). Notes on a program that is right by its format but hardly what was meant: a kernel whose
 * solo_device looks like a slip of a device's name. A device of the user's own may have any name, so that is no error.
 */
#include "sim/device/search.h"
#include "cli/cli.h"
#include "sim/base/text.h"

static bool is_known(const char *name, const char *const *devices, size_t device_count,
                     const struct gsim_model_file *files, size_t file_count)
{
    for (size_t i = 0; i < device_count; i++)
        if (strcmp(devices[i], name) == 0) return true;
    for (size_t i = 0; i < file_count; i++)
        if (strcmp(files[i].name, name) == 0) return true;
    return gsim_device_is_named(name);
}

void gsim_cli_note_devices(const struct gsim_program *program, const char *const *devices, size_t device_count)
{
    struct gsim_arena arena = {0};
    struct gsim_model_file *files = NULL;
    struct gsim_error ignored = {0};
    size_t file_count = 0;
    const char *told = NULL; /* kernels of one program mostly share a name: it is looked for once */
    if (gsim_model_files(GSIM_MODELS_DEVICES, &arena, &files, &file_count, &ignored) != GSIM_OK) file_count = 0;
    for (uint32_t i = 0; i < program->kernel_count; i++) {
        const struct gsim_kernel *kernel = &program->kernels[i];
        struct gsim_nearest nearest;
        if (kernel->solo_us <= 0 || !kernel->solo_device || (told && strcmp(told, kernel->solo_device) == 0)) continue;
        told = kernel->solo_device;
        if (is_known(told, devices, device_count, files, file_count)) continue;
        gsim_nearest_init(&nearest, kernel->solo_device);
        for (size_t j = 0; j < device_count; j++) gsim_nearest_offer(&nearest, devices[j]);
        for (size_t j = 0; j < file_count; j++) gsim_nearest_offer(&nearest, files[j].name);
        if (!gsim_nearest_text(&nearest)[0]) continue;
        fprintf(stderr,
                "gpusim: note: kernel '%.60s': solo_device: '%.60s' is no known device%s Its solo_us is not used\n",
                kernel->name, told, nearest.text);
    }
    gsim_arena_release(&arena);
}
