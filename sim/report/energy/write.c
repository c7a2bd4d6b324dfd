/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See sim/report/energy/write.h. */
#include "sim/report/energy/write.h"

#include "sim/base/text.h"

static void put_list(struct gsim_output *output, const char *name, const double *values, size_t count)
{
    gsim_output_printf(output, "\"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        if (i) gsim_output_text(output, ", ");
        gsim_output_real(output, values[i]);
    }
    gsim_output_text(output, "]");
}

void gsim_energy_json(const struct gsim_energy *e, struct gsim_output *output)
{
    gsim_output_text(output, ",\n \"energy\": {");
    put_list(output, "iteration_mj", e->iteration_mj, e->iteration_count);
    gsim_output_put(output, ", 'total_mj': %r, 'mean_w': %r, 'peak_w': %r, 'base_idle_mj': %r, 'base_busy_mj': %r, "
                            "'kernels_mj': %r, 'copies_mj': %r, 'estimated': %b, 'interval_mj': [%r, %r],\n  ",
                    e->total_mj, e->mean_w, e->peak_w, e->base_idle_mj, e->base_busy_mj, e->kernels_mj, e->copies_mj,
                    e->estimated, e->low_mj, e->high_mj);
    put_list(output, "task_mj", e->task_mj, e->task_count);
    gsim_output_text(output, ", ");
    put_list(output, "gpu_mj", e->gpu_mj, e->gpu_count);
    gsim_output_text(output, "}");
}

void gsim_energy_print(const struct gsim_energy *e, struct gsim_output *output)
{
    char a[GSIM_TEXT_SIZE], b[GSIM_TEXT_SIZE], c[GSIM_TEXT_SIZE];
    double all = e->total_mj > 0 ? e->total_mj : 1;
    gsim_output_printf(output, "%.4g mJ: base %s, kernels %s, copies %s; %.0f W on average, %.0f W at most",
                       e->total_mj, gsim_text_percent(a, (e->base_idle_mj + e->base_busy_mj) / all),
                       gsim_text_percent(b, e->kernels_mj / all), gsim_text_percent(c, e->copies_mj / all), e->mean_w,
                       e->peak_w);
    if (e->estimated) gsim_output_printf(output, "; partly estimated: %.4g to %.4g mJ", e->low_mj, e->high_mj);
    gsim_output_text(output, "\n");
}
