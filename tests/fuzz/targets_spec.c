/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets that read one file of a user's: servers, arrivals, kernels' profiles, nodes, ranks. */
#include "ask/scenarios/rank_file.h"
#include "gpusim/platform.h"
#include "serving/spec.h"
#include "tests/fuzz/targets.h"
#include "traces/kernels/profiles.h"

void gsim_fuzz_serving(const uint8_t *data, size_t size)
{
    struct gsim_serving_spec spec = {0};
    struct gsim_error error = {0};
    (void)!gsim_serving_spec_read(gsim_fuzz_file(data, size, ".json"), &spec, &error);
    gsim_serving_spec_release(&spec);
}

void gsim_fuzz_arrivals(const uint8_t *data, size_t size)
{
    struct gsim_arrivals arrivals = {.scale = 1};
    struct gsim_arena arena = {0};
    struct gsim_error error = {0};
    (void)!gsim_arrivals_parse(gsim_fuzz_file(data, size, ".csv"), 1000, &arena, &arrivals, &error);
    gsim_arena_release(&arena);
}

void gsim_fuzz_kernels(const uint8_t *data, size_t size)
{
    struct gsim_profiles profiles = {0};
    struct gsim_error error = {0};
    (void)!gsim_profiles_read(&profiles, gsim_fuzz_file(data, size, size && *data == '{' ? ".json" : ".csv"), &error);
    gsim_profiles_release(&profiles);
}

void gsim_fuzz_node(const uint8_t *data, size_t size)
{
    struct gsim_node *node = NULL;
    struct gsim_error error = {0};
    (void)!gsim_node_load(&node, gsim_fuzz_file(data, size, ".json"), &error);
    gsim_node_release(node);
}

void gsim_fuzz_ranks(const uint8_t *data, size_t size)
{
    struct gsim_rank_file file = {0};
    struct gsim_error error = {0};
    (void)!gsim_rank_file_read(gsim_fuzz_file(data, size, ".json"), &file, &error);
    gsim_rank_file_release(&file);
}
