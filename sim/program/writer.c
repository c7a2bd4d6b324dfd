/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Program files, one line per buffer, kernel and op. Kernels of one name are written once, with the work of the
 * first as far as overrides can take it back; ops whose kernel differs override the fields that do. Numbers are
 * written so that they read back exactly.
 */
#include "sim/program/kernel.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "sim/base/names.h"
#include "sim/base/output.h"

struct writer {
    struct gsim_output output;
    const struct gsim_program *program;
    struct gsim_names names;   /* of kernels, to their first index */
    struct gsim_kernel *bases; /* by first index: what is written under "kernels" */
};

static void put(struct writer *w, const char *format, ...) GSIM_PRINTF(2, 3);

static void put(struct writer *w, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    GSIM_INVARIANT(length >= 0 && (size_t)length < sizeof(text));
    gsim_output_bytes(&w->output, text, (size_t)length);
}

static void put_name(struct writer *w, const char *name)
{
    put(w, "\"");
    for (; *name; name++) {
        if (*name == '"' || *name == '\\')
            put(w, "\\%c", *name);
        else if ((unsigned char)*name < 0x20)
            put(w, "\\u%04x", (unsigned char)*name);
        else
            put(w, "%c", *name);
    }
    put(w, "\"");
}

static void put_number(struct writer *w, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    put(w, "%s", text);
}

/* Pipes and cluster, where they differ from BASE's. */
static void put_pipes(struct writer *w, const struct gsim_kernel *k, const struct gsim_kernel *base)
{
    bool is_known = base->pipes_given && memcmp(k->pipes, base->pipes, sizeof k->pipes) == 0;
    const char *separator = "";
    if (k->pipes_given && !is_known) {
        put(w, ", \"pipes\": {");
        for (int i = 0; i < GSIM_PIPE_COUNT; i++) {
            if (k->pipes[i] == 0) continue;
            put(w, "%s\"%s\": ", separator, gsim_pipe_names[i]);
            put_number(w, k->pipes[i]);
            separator = ", ";
        }
        put(w, "}");
    }
    if (k->cluster.x &&
        (k->cluster.x != base->cluster.x || k->cluster.y != base->cluster.y || k->cluster.z != base->cluster.z))
        put(w, ", \"cluster\": [%u, %u, %u]", k->cluster.x, k->cluster.y, k->cluster.z);
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
    if (k->name != base->name || is_new(GSIM_KERNEL_##name, k, base)) {     \
        put(w, ", \"%s\": ", #name);                                        \
        put_number(w, k->name);                                             \
    }
#define COUNT(name, ...) if (k->name != base->name) put(w, ", \"%s\": %u", #name, k->name);
#define FLAG(name)       if (k->name != base->name) put(w, ", \"%s\": %s", #name, k->name ? "true" : "false");
    GSIM_KERNEL_FIELDS(REAL, COUNT, FLAG, GSIM_KERNEL_FIELD_NONE)
    put_pipes(w, k, base);
    bool is_same = k->solo_device && base->solo_device && strcmp(k->solo_device, base->solo_device) == 0;
    if (k->solo_device && !is_same) {
        put(w, ", \"solo_device\": ");
        put_name(w, k->solo_device);
    }
}

static void put_buffers(struct writer *w)
{
    static const char *const inits[] = {"none", "host", "device"}; /* enum gsim_buffer_init */
    put(w, " \"buffers\": [");
    for (uint32_t i = 0; i < w->program->buffer_count; i++) {
        const struct gsim_buffer *buffer = &w->program->buffers[i];
        put(w, "%s\n  {\"name\": ", i ? "," : "");
        put_name(w, buffer->name);
        put(w, ", \"bytes\": %" PRIu64 ", \"init\": \"%s\"%s}", buffer->bytes, inits[buffer->init],
            buffer->is_read_mostly ? ", \"read_mostly\": true" : "");
    }
    put(w, "],\n");
}

/* One base per name: its first kernel, less what an override cannot take back: an override can give a demand or
 * a device, but not say that there is none. */
static enum gsim_status find_bases(struct writer *w, struct gsim_error *error)
{
    uint32_t count = w->program->kernel_count;
    w->bases = gsim_alloc(sizeof(*w->bases) * ((size_t)count + 1));
    if (!w->bases) return gsim_error_set(error, GSIM_NOMEM, "out of memory");
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
    put(w, " \"kernels\": [");
    for (uint32_t i = 0; i < w->program->kernel_count; i++) {
        const struct gsim_kernel *kernel = &w->bases[i];
        if (!kernel->name || kernel->collective) continue; /* not the first of its name, or no kernel of the file */
        put(w, "%s\n  {\"name\": ", is_first ? "" : ",");
        put_name(w, kernel->name);
        put_work(w, kernel, &nothing);
        put(w, "}");
        is_first = false;
    }
    put(w, "],\n");
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
        put(w, (*count)++ ? ", {\"buffer\": " : ", \"%s\": [{\"buffer\": ", name);
        put_name(w, w->program->buffers[op->args[arg].buffer_index].name);
        put(w, ", \"offset\": %" PRIu64 ", \"bytes\": %" PRIu64 "}", segment->offset, segment->bytes);
        has_any = true;
    }
    return has_any;
}

static void put_list(struct writer *w, const char *name, const struct gsim_op *op, enum listed list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < op->arg_count; i++) {
        if (!is_listed(&op->args[i], list) || put_segments(w, name, op, i, list, &count)) continue;
        put(w, count++ ? ", " : ", \"%s\": [", name);
        put_name(w, w->program->buffers[op->args[i].buffer_index].name);
    }
    if (count) put(w, "]");
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
    put(w, ", \"kernel\": ");
    put_name(w, kernel->name);
    put(w, ", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u]", g->x, g->y, g->z, b->x, b->y, b->z);
    put_list(w, "reads", op, LIST_READS);
    put_list(w, "writes", op, LIST_WRITES);
    if (!is_usual_order(op)) put_list(w, "args", op, LIST_ARGS);
    put_list(w, "non_const", op, LIST_NON_CONST);
    if (op->is_unknown) put(w, ", \"unknown\": true");
    put_work(w, kernel, &w->bases[gsim_names_find(&w->names, kernel->name)]);
}

static void put_collective(struct writer *w, const struct gsim_op *op, const struct gsim_collective *c)
{
    put(w, ", \"kind\": \"%s\", \"bytes\": %" PRIu64, gsim_collective_names[c->kind], c->bytes);
    for (uint32_t i = 0; i < c->group_count; i++) put(w, i ? ", %u" : ", \"group\": [%u", c->group[i]);
    if (c->group_count) put(w, "]");
    if (c->channels) put(w, ", \"channels\": %u", c->channels);
    if (c->communicator) put(w, ", \"communicator\": %u", c->communicator);
    if (c->algorithm) put(w, ", \"algorithm\": \"%s\"", gsim_algorithm_names[c->algorithm]);
    if (c->protocol) put(w, ", \"protocol\": \"%s\"", gsim_protocol_names[c->protocol]);
    put_list(w, "reads", op, LIST_READS);
    put_list(w, "writes", op, LIST_WRITES);
}

static void put_op(struct writer *w, const struct gsim_op *op)
{
    static const char *const kinds[] = {"kernel", "copy", "prefetch", "host_write", "host_read", "host_compute"};
    static const char *const copies[] = {"h2d", "d2h", "d2d", "p2p"};
    const struct gsim_collective *collective =
        op->kind == GSIM_OP_KERNEL ? w->program->kernels[op->kernel_index].collective : NULL;
    put(w, "%s\n  {\"op\": \"%s\"", op->index ? "," : "", collective ? "collective" : kinds[op->kind]);
    if (op->kind == GSIM_OP_COPY) put(w, ", \"kind\": \"%s\"", copies[op->copy_kind]);
    if (collective) {
        put_collective(w, op, collective);
    } else if (op->kind == GSIM_OP_KERNEL) {
        put_launch(w, op);
    } else if (op->kind == GSIM_OP_HOST_COMPUTE) {
        put(w, ", \"us\": ");
        put_number(w, op->host_us);
        if (op->overhead) put(w, ", \"overhead\": true");
        if (op->needed) put(w, ", \"needed\": true");
        if (op->what) {
            put(w, ", \"what\": ");
            put_name(w, op->what);
        }
    } else {
        put(w, ", \"buffer\": ");
        put_name(w, w->program->buffers[op->args[0].buffer_index].name);
        put(w, ", \"bytes\": %" PRIu64, op->bytes);
        if (op->copy_memory != GSIM_COPY_MEMORY_OF_RUN)
            put(w, ", \"memory\": \"%s\"", op->copy_memory == GSIM_COPY_MEMORY_PINNED ? "pinned" : "pageable");
        if (op->copy_us > 0) {
            put(w, ", \"us\": ");
            put_number(w, op->copy_us);
        }
    }
    if (op->programmatic) put(w, ", \"programmatic\": true");
    if (op->untimed) put(w, ", \"untimed\": true");
    if (op->device) put(w, ", \"device\": %u", op->device);
    if (op->kind == GSIM_OP_COPY && op->copy_kind == GSIM_COPY_P2P) put(w, ", \"to\": %u", op->to_device);
    if (op->stream >= 0) put(w, ", \"stream\": %d", op->stream);
    if (op->priority != 0) put(w, ", \"priority\": %d", op->priority);
    for (uint32_t i = 0; i < op->after_count; i++) put(w, i ? ", %u" : ", \"after\": [%u", op->after[i]);
    put(w, op->after_count ? "]}" : "}");
}

enum gsim_status gsim_program_write(const struct gsim_program *program, const char *path, struct gsim_error *error)
{
    struct writer w = {.program = program};
    enum gsim_status status = gsim_output_open(&w.output, path, error);
    if (status != GSIM_OK) return status;
    status = find_bases(&w, error);
    if (status == GSIM_OK) {
        put(&w, "{\"schema\": \"gpusim-program/1\", \"name\": ");
        put_name(&w, program->name);
        put(&w, ",\n");
        put_buffers(&w);
        put_kernels(&w);
        put(&w, " \"ops\": [");
        for (uint32_t i = 0; i < program->op_count; i++) put_op(&w, &program->ops[i]);
        put(&w, "],\n \"iterations\": %u}\n", program->iterations);
        status = gsim_output_commit(&w.output, error);
    } else {
        gsim_error_prefix(error, "cannot write '%s'", path);
    }
    gsim_output_release(&w.output);
    gsim_free(w.bases);
    gsim_names_release(&w.names);
    return status;
}
