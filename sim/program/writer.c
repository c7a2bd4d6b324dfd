/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes program files, a line for each buffer, kernel and op. Kernels of one name are written once, with the work of
 * the first as far as ops can override it; ops with another kernel override the fields that differ. Numbers read back
 * exactly.
 */
#include "sim/program/guess.h"
#include "sim/program/kernel.h"

#include "sim/base/names.h"
#include "sim/base/output.h"

struct writer {
    struct gsim_output output;
    const struct gsim_program *program;
    struct gsim_names names;   /* of kernels, to their first index */
    struct gsim_kernel *bases; /* by first index: what is written under "kernels" */
};

/* Pipes, tile_order and cluster, where they differ from BASE's. */
static void put_pipes(struct writer *w, const struct gsim_kernel *k, const struct gsim_kernel *base)
{
    bool is_known = base->pipes_given && memcmp(k->pipes, base->pipes, sizeof k->pipes) == 0;
    const char *separator = "";
    if (k->pipes_given && !is_known) {
        gsim_output_put(&w->output, ", 'pipes': {");
        for (int i = 0; i < GSIM_PIPE_COUNT; i++) {
            if (k->pipes[i] == 0) continue;
            gsim_output_put(&w->output, "%s'%s': %e", separator, gsim_pipe_names[i], k->pipes[i]);
            separator = ", ";
        }
        gsim_output_put(&w->output, "}");
    }
    if (k->tile_order != base->tile_order)
        gsim_output_put(&w->output, ", 'tile_order': '%s'", gsim_tile_order_names[k->tile_order]);
    if (k->cluster.x &&
        (k->cluster.x != base->cluster.x || k->cluster.y != base->cluster.y || k->cluster.z != base->cluster.z))
        gsim_output_put(&w->output, ", 'cluster': [%u, %u, %u]", k->cluster.x, k->cluster.y, k->cluster.z);
}

/* Whether an override gives a field that is as in BASE: 0 is not the same as not given, and solo_us drops the base's
 * slice_us. */
static bool is_new(int field, const struct gsim_kernel *k, const struct gsim_kernel *base)
{
    if (field == GSIM_KERNEL_slice_us) return k->slice_us > 0 && k->solo_us != base->solo_us;
    return (field == GSIM_KERNEL_flops || field == GSIM_KERNEL_dram_bytes) && k->demand_given && !base->demand_given;
}

/* The work fields in which K differs from BASE. */
static void put_work(struct writer *w, const struct gsim_kernel *k, const struct gsim_kernel *base)
{
#define REAL(name, ...)                                                     \
    if (k->name != base->name || is_new(GSIM_KERNEL_##name, k, base))       \
        gsim_output_put(&w->output, ", '" #name "': %e", k->name);
#define COUNT(name, ...) if (k->name != base->name) gsim_output_put(&w->output, ", '" #name "': %u", k->name);
#define FLAG(name)       if (k->name != base->name) gsim_output_put(&w->output, ", '" #name "': %b", k->name);
    GSIM_KERNEL_FIELDS(REAL, COUNT, FLAG, GSIM_KERNEL_FIELD_NONE)
    put_pipes(w, k, base);
    bool is_same = k->solo_device && base->solo_device && strcmp(k->solo_device, base->solo_device) == 0;
    if (k->solo_device && !is_same) gsim_output_put(&w->output, ", 'solo_device': %q", k->solo_device);
}

static void put_buffers(struct writer *w)
{
    static const char *const inits[] = {"none", "host", "device"}; /* enum gsim_buffer_init */
    gsim_output_put(&w->output, " 'buffers': [");
    for (uint32_t i = 0; i < w->program->buffer_count; i++) {
        const struct gsim_buffer *buffer = &w->program->buffers[i];
        gsim_output_put(&w->output, "%s\n  {'name': %q, 'bytes': %z, 'init': '%s'%s}", i ? "," : "", buffer->name,
                        buffer->bytes, inits[buffer->init], buffer->is_read_mostly ? ", \"read_mostly\": true" : "");
    }
    gsim_output_put(&w->output, "],\n");
}

/* One base per name: its first kernel, less what an override cannot take back: an override can give a demand or
 * a device, but not say that there is none. */
static enum gsim_status find_bases(struct writer *w, struct gsim_error *error)
{
    uint32_t count = w->program->kernel_count;
    w->bases = gsim_alloc(sizeof(*w->bases) * ((size_t)count + 1));
    if (!w->bases) return gsim_no_memory(error);
    for (uint32_t i = 0; i < count; i++) {
        const struct gsim_kernel *kernel = &w->program->kernels[i];
        uint32_t first = gsim_names_find(&w->names, kernel->name);
        if (first == GSIM_NAME_NONE) {
            enum gsim_status status = gsim_names_add(&w->names, kernel->name, i, error);
            if (status != GSIM_OK) return status;
            w->bases[i] = *kernel;
            continue;
        }
        struct gsim_kernel *base = &w->bases[first];
        if (!kernel->solo_device) base->solo_device = NULL;
        if (!kernel->demand_given) {
            base->demand_given = false;
            base->flops = base->dram_bytes = 0;
        }
        if (!kernel->pipes_given) base->pipes_given = false;
        if (!kernel->cluster.x) base->cluster = (struct gsim_dim3){0};
    }
    return GSIM_OK;
}

static void put_kernels(struct writer *w)
{
    static const struct gsim_kernel nothing;
    bool is_first = true;
    gsim_output_put(&w->output, " 'kernels': [");
    for (uint32_t i = 0; i < w->program->kernel_count; i++) {
        const struct gsim_kernel *kernel = &w->bases[i];
        if (!kernel->name || kernel->collective) continue; /* not the first of its name, or no kernel of the file */
        gsim_output_put(&w->output, "%s\n  {'name': %q", is_first ? "" : ",", kernel->name);
        put_work(w, kernel, &nothing);
        gsim_output_put(&w->output, "}");
        is_first = false;
    }
    gsim_output_put(&w->output, "],\n");
}

enum listed { LIST_READS, LIST_WRITES, LIST_ARGS, LIST_NON_CONST };

static bool is_listed(const struct gsim_arg *arg, enum listed list)
{
    if (list == LIST_READS) return arg->reads;
    if (list == LIST_WRITES) return arg->writes;
    return list == LIST_ARGS || (arg->reads && !arg->writes && !arg->declared_const);
}

/* The segments of an argument that are in LIST; false: there are none. */
static bool put_segments(struct writer *w, const char *name, const struct gsim_op *op, uint32_t arg, enum listed list,
                         uint32_t *count)
{
    bool has_any = false;
    if (list != LIST_READS && list != LIST_WRITES) return false;
    for (uint32_t s = 0; s < op->segment_count; s++) {
        const struct gsim_segment *segment = &op->segments[s];
        if (segment->arg != arg || !(list == LIST_READS ? segment->reads : segment->writes)) continue;
        gsim_output_put(&w->output, (*count)++ ? ", " : ", '%s': [", name);
        gsim_output_put(&w->output, "{'buffer': %q, 'offset': %z, 'bytes': %z}",
                        w->program->buffers[op->args[arg].buffer_index].name, segment->offset, segment->bytes);
        has_any = true;
    }
    return has_any;
}

static void put_list(struct writer *w, const char *name, const struct gsim_op *op, enum listed list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < op->arg_count; i++) {
        if (!is_listed(&op->args[i], list) || put_segments(w, name, op, i, list, &count)) continue;
        gsim_output_put(&w->output, count++ ? ", " : ", '%s': [", name);
        gsim_output_json_string(&w->output, w->program->buffers[op->args[i].buffer_index].name);
    }
    if (count) gsim_output_put(&w->output, "]");
}

/* Whether the arguments stand in the order that a reader assumes: what is read, then what is only written. */
static bool is_usual_order(const struct gsim_op *op)
{
    for (uint32_t i = 1; i < op->arg_count; i++)
        if (op->args[i].reads && !op->args[i - 1].reads) return false;
    return true;
}

static void put_launch(struct writer *w, const struct gsim_op *op)
{
    const struct gsim_kernel *kernel = &w->program->kernels[op->kernel_index];
    const struct gsim_dim3 *g = &kernel->grid, *b = &kernel->block;
    gsim_output_put(&w->output, ", 'kernel': %q, 'grid': [%u, %u, %u], 'block': [%u, %u, %u]", kernel->name, g->x, g->y,
                    g->z, b->x, b->y, b->z);
    put_list(w, "reads", op, LIST_READS);
    put_list(w, "writes", op, LIST_WRITES);
    if (!is_usual_order(op)) put_list(w, "args", op, LIST_ARGS);
    put_list(w, "non_const", op, LIST_NON_CONST);
    if (op->is_unknown) gsim_output_put(&w->output, ", 'unknown': true");
    put_work(w, kernel, &w->bases[gsim_names_find(&w->names, kernel->name)]);
}

static void put_collective(struct writer *w, const struct gsim_op *op, const struct gsim_collective *c)
{
    gsim_output_put(&w->output, ", 'kind': '%s', 'bytes': %z", gsim_collective_names[c->kind], c->bytes);
    for (uint32_t i = 0; i < c->group_count; i++)
        gsim_output_put(&w->output, i ? ", %u" : ", 'group': [%u", c->group[i]);
    if (c->group_count) gsim_output_put(&w->output, "]");
    if (c->channels) gsim_output_put(&w->output, ", 'channels': %u", c->channels);
    if (c->communicator) gsim_output_put(&w->output, ", 'communicator': %u", c->communicator);
    if (c->algorithm) gsim_output_put(&w->output, ", 'algorithm': '%s'", gsim_algorithm_names[c->algorithm]);
    if (c->protocol) gsim_output_put(&w->output, ", 'protocol': '%s'", gsim_protocol_names[c->protocol]);
    put_list(w, "reads", op, LIST_READS);
    put_list(w, "writes", op, LIST_WRITES);
}

static void put_op(struct writer *w, const struct gsim_op *op)
{
    static const char *const kinds[] = {"kernel", "copy", "prefetch", "host_write", "host_read", "host_compute"};
    static const char *const copies[] = {"h2d", "d2h", "d2d", "p2p"};
    const struct gsim_collective *collective =
        op->kind == GSIM_OP_KERNEL ? w->program->kernels[op->kernel_index].collective : NULL;
    gsim_output_put(&w->output, "%s\n  {'op': '%s'", op->index ? "," : "", collective ? "collective" : kinds[op->kind]);
    if (op->kind == GSIM_OP_COPY) gsim_output_put(&w->output, ", 'kind': '%s'", copies[op->copy_kind]);
    if (collective) {
        put_collective(w, op, collective);
    } else if (op->kind == GSIM_OP_KERNEL) {
        put_launch(w, op);
    } else if (op->kind == GSIM_OP_HOST_COMPUTE) {
        gsim_output_put(&w->output, ", 'us': %e", op->host_us);
        if (op->overhead) gsim_output_put(&w->output, ", 'overhead': true");
        if (op->needed) gsim_output_put(&w->output, ", 'needed': true");
        if (op->what) gsim_output_put(&w->output, ", 'what': %q", op->what);
    } else {
        gsim_output_put(&w->output, ", 'buffer': %q, 'bytes': %z", w->program->buffers[op->args[0].buffer_index].name,
                        op->bytes);
        if (op->copy_memory != GSIM_COPY_MEMORY_OF_RUN)
            gsim_output_put(&w->output, ", 'memory': '%s'",
                            op->copy_memory == GSIM_COPY_MEMORY_PINNED ? "pinned" : "pageable");
        if (op->copy_us > 0) gsim_output_put(&w->output, ", 'us': %e", op->copy_us);
    }
    if (op->programmatic) gsim_output_put(&w->output, ", 'programmatic': true");
    if (op->untimed) gsim_output_put(&w->output, ", 'untimed': true");
    if (op->device) gsim_output_put(&w->output, ", 'device': %u", op->device);
    if (op->kind == GSIM_OP_COPY && op->copy_kind == GSIM_COPY_P2P)
        gsim_output_put(&w->output, ", 'to': %u", op->to_device);
    if (op->stream >= 0) gsim_output_put(&w->output, ", 'stream': %d", op->stream);
    if (op->priority != 0) gsim_output_put(&w->output, ", 'priority': %d", op->priority);
    /* Without buffers no list is the stream's last op. */
    bool has_list = op->after_count || (!w->program->buffer_count && op->stream >= 0 && op->index);
    for (uint32_t i = 0; i < op->after_count; i++)
        gsim_output_put(&w->output, i ? ", %u" : ", 'after': [%u", op->after[i]);
    gsim_output_put(&w->output, op->after_count ? "]}" : has_list ? ", 'after': []}" : "}");
}

enum gsim_status gsim_program_write(const struct gsim_program *program, const char *path, struct gsim_error *error)
{
    struct writer w = {.program = program};
    enum gsim_status status = gsim_output_open(&w.output, path, error);
    if (status != GSIM_OK) return status;
    status = find_bases(&w, error);
    if (status == GSIM_OK) {
        gsim_output_put(&w.output, "{'schema': 'gpusim-program/1', 'name': %q,\n", program->name);
        put_buffers(&w);
        put_kernels(&w);
        gsim_output_put(&w.output, " \"ops\": [");
        for (uint32_t i = 0; i < program->op_count; i++) put_op(&w, &program->ops[i]);
        gsim_output_put(&w.output, "],\n \"iterations\": %u", program->iterations);
        char line[GSIM_LIMIT_NAME + 1];
        const char *before = ",\n \"guesses\": [";
        for (const char *at = program->guesses; gsim_guess_next(&at, line); before = ", ")
            gsim_output_put(&w.output, "%s%q", before, line);
        gsim_output_put(&w.output, program->guesses ? "]}\n" : "}\n");
        status = gsim_output_commit(&w.output, error);
    } else {
        gsim_error_prefix(error, "cannot write '%s'", path);
    }
    gsim_output_release(&w.output);
    gsim_free(w.bases);
    gsim_names_release(&w.names);
    return status;
}
