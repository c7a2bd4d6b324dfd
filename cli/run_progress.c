/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layer: cli (program). See cli/run_progress.h. */
#include "cli/run_progress.h"

#define EVERY 256 /* kernels: the clock is asked this seldom */

static void on_kernel(void *data, const struct gsim_kernel_record *record)
{
    struct gsim_run_progress *p = data;
    if (p->inner && p->inner->on_kernel) p->inner->on_kernel(p->inner->data, record);
    p->progress.done++;
    if (p->progress.total && p->progress.done > p->progress.total) p->progress.total = p->progress.done;
    if (++p->seen % EVERY == 0) gsim_progress_show(&p->progress);
}

static void on_copy(void *data, const struct gsim_copy_record *record)
{
    struct gsim_run_progress *p = data;
    if (p->inner && p->inner->on_copy) p->inner->on_copy(p->inner->data, record);
    if (++p->seen % EVERY == 0) gsim_progress_show(&p->progress);
}

static void on_blocks(void *data, const struct gsim_block_record *record)
{
    struct gsim_run_progress *p = data;
    p->inner->on_blocks(p->inner->data, record);
}

static void on_block_change(void *data, gsim_time now)
{
    struct gsim_run_progress *p = data;
    p->inner->on_block_change(p->inner->data, now);
}

/* 0: as many as there will be is not known. */
static uint64_t kernels_of(const struct gsim_simulation *simulation)
{
    const struct gsim_program *program = simulation->program;
    uint64_t kernels = 0, iterations = simulation->iterations ? simulation->iterations : program->iterations;
    if (simulation->tasks || simulation->until_steady) return 0;
    for (uint32_t i = 0; i < program->op_count; i++) kernels += program->ops[i].kind == GSIM_OP_KERNEL;
    return kernels * (iterations ? iterations : 1);
}

void gsim_run_progress_start(struct gsim_run_progress *p, struct gsim_simulation *simulation, FILE *out)
{
    *p = (struct gsim_run_progress){.inner = simulation->observer};
    gsim_progress_start(&p->progress, kernels_of(simulation), out);
    p->progress.unit = "kernels";
    /* Nothing is told to an observer that does not ask, and nothing computed for it. */
    p->observer =
        (struct gsim_observer){.data = p,
                               .on_kernel = on_kernel,
                               .on_copy = on_copy,
                               .on_blocks = p->inner && p->inner->on_blocks ? on_blocks : NULL,
                               .on_block_change = p->inner && p->inner->on_block_change ? on_block_change : NULL};
    simulation->observer = &p->observer;
}

void gsim_run_progress_end(struct gsim_run_progress *p) { gsim_progress_clear(&p->progress); }
