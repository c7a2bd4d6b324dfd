/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See traces/import/records/operands.h. */
#include "traces/import/records/operands.h"

#include <stdlib.h>
#include <string.h>

#include "gpusim/order.h"

GSIM_ORDER(compare_operators, struct gsim_operator, GSIM_UP(external))

enum gsim_status gsim_operands_init(struct gsim_operands *operands, const struct gsim_records *records,
                                    struct gsim_builder *builder)
{
    *operands = (struct gsim_operands){.records = records, .builder = builder};
    if (!records->flow) return GSIM_OK;
    size_t count = records->flow->buffer_count;
    operands->operators = gsim_alloc(sizeof *operands->operators * ((size_t)records->operator_count + 1));
    operands->buffers = gsim_alloc(sizeof *operands->buffers * (count + 1));
    operands->args = gsim_alloc(sizeof *operands->args * (count + 1));
    if (!operands->operators || !operands->buffers || !operands->args) return gsim_no_memory(records->error);
    memset(operands->buffers, 0xff, sizeof *operands->buffers * (count + 1));
    if (records->operator_count) {
        memcpy(operands->operators, records->operators, sizeof *operands->operators * records->operator_count);
        qsort(operands->operators, records->operator_count, sizeof *operands->operators, compare_operators);
    }
    return GSIM_OK;
}

void gsim_operands_release(struct gsim_operands *operands)
{
    gsim_free(operands->operators);
    gsim_free(operands->buffers);
    gsim_free(operands->args);
}

static uint32_t buffer_of(struct gsim_operands *operands, uint32_t index)
{
    const struct gsim_dataflow_buffer *buffer = &operands->records->flow->buffers[index];
    if (operands->buffers[index] != UINT32_MAX) return operands->buffers[index];
    char name[32];
    snprintf(name, sizeof name, "tensor %u", index);
    return operands->buffers[index] = gsim_builder_buffer(operands->builder, name, buffer->bytes ? buffer->bytes : 1,
                                                          buffer->is_made ? GSIM_INIT_NONE : GSIM_INIT_DEVICE);
}

bool gsim_operands_of(struct gsim_operands *operands, const struct gsim_activity *work, const struct gsim_arg **args,
                      uint32_t *count)
{
    bool is_upload = work->kind == GSIM_ACTIVITY_COPY && work->copy_kind == GSIM_COPY_H2D;
    if (!operands->operators || (work->kind == GSIM_ACTIVITY_COPY && !is_upload) || !work->external ||
        !operands->records->operator_count)
        return false;
    const struct gsim_operator wanted = {work->external, 0},
                               *found = bsearch(&wanted, operands->operators, operands->records->operator_count,
                                                sizeof wanted, compare_operators);
    const struct gsim_dataflow_op *op =
        found ? gsim_dataflow_find(operands->records->flow, found->record_function) : NULL;
    if (!op || !op->write_count) return false;
    *count = 0;
    for (uint32_t i = 0; i < op->write_count; i++) {
        bool reads = false;
        for (uint32_t j = 0; j < op->read_count; j++) reads |= op->reads[j] == op->writes[i];
        operands->args[(*count)++] = (struct gsim_arg){buffer_of(operands, op->writes[i]), reads, true, false};
    }
    for (uint32_t i = 0; i < op->read_count; i++) {
        bool writes = false;
        for (uint32_t j = 0; j < op->write_count; j++) writes |= op->writes[j] == op->reads[i];
        if (!writes)
            operands->args[(*count)++] = (struct gsim_arg){buffer_of(operands, op->reads[i]), true, false, true};
    }
    for (uint32_t i = 0; i < *count; i++)
        if (operands->args[i].buffer_index == UINT32_MAX) return false;
    *args = operands->args;
    return true;
}
