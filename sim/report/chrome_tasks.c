/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Of a trace of several tasks: a process for each, with its requests and its kernels (sim/report/chrome.h). */
#include "sim/report/report.h"

#define FIRST_PID 2000 /* above those of GPUs and SMs */

static void put_event(struct gsim_output *output, uint32_t task, uint32_t thread, const char *name, gsim_time start,
                      gsim_time end)
{
    gsim_output_put(output, ",\n{'ph':'X','cat':'task','pid':%u,'tid':%u,'name':%q,'ts':%t,'dur':%t}", FIRST_PID + task,
                    thread, name, start, end - start);
}

static void put_label(struct gsim_output *output, const char *what, uint32_t task, const char *name)
{
    gsim_output_put(output, ",\n{'ph':'M','pid':%u,'tid':0,'name':'%s','ts':0,'args':{'name':%q}}", FIRST_PID + task,
                    what, name);
}

void gsim_chrome_write_tasks(const struct gsim_result *result, struct gsim_output *output)
{
    const struct gsim_timeline *t = result->timeline;
    const struct gsim_task_set *set = result->simulation->tasks;
    for (uint32_t i = 0; i < set->count; i++) {
        put_label(output, "process_name", i, set->tasks[i].name);
        put_label(output, "thread_name", i, "requests");
    }
    for (size_t i = 0; i < t->request_count; i++) {
        char name[32];
        if (!gsim_result_shows(result, t->requests[i].start, t->requests[i].end)) continue;
        snprintf(name, sizeof name, "request %u", t->requests[i].request);
        put_event(output, t->requests[i].task, 0, name, t->requests[i].start, t->requests[i].end);
    }
    for (size_t i = 0; i < t->kernel_count; i++)
        if (gsim_result_shows(result, t->kernels[i].start, t->kernels[i].end))
            put_event(output, t->kernels[i].task, 1 + t->kernels[i].stream,
                      t->program->kernels[t->kernels[i].kernel_index].name, t->kernels[i].start, t->kernels[i].end);
}
