/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files of docs/schemas against what they describe: every example and recording of the tree, the JSON in documents,
 * and what the program writes. What the program refuses, the schemas refuse too.
 */
#include <glob.h>
#include <stdlib.h>

#include "gpusim/memory.h"
#include "gpusim/session.h"
#include "sim/base/gz.h"
#include "sim/program/readops.h"
#include "tests/contract/schema.h"
#include "tests/test.h"

enum { PROGRAM, DEVICE, REPORT, RUNS, SWEEP, EXPLAIN, WHATIF, ARCH, NODE, SCHEDULE, KERNELS, PAPER, ANSWER,
       SCHEMA_COUNT };
static const char *const names[SCHEMA_COUNT] = {"program", "device", "report", "runs",     "sweep",  "explain",
                                                "whatif",  "arch",   "node",   "schedule", "kernels", "paper",
                                                "answer"};

static cJSON *read_json(const char *path)
{
    size_t length;
    struct gsim_error error = {0};
    char *text = gsim_file_read(path, &length, &error);
    cJSON *json = text ? cJSON_ParseWithLength(text, length) : NULL;
    CHECK_MSG(json, "%s: %s", path, text ? "no JSON" : error.message);
    gsim_free(text);
    return json;
}

static cJSON *read_schema(int which)
{
    char path[256];
    snprintf(path, sizeof path, "%s/docs/schemas/%s.json", GPUSIM_SOURCE_DIR, names[which]);
    return read_json(path);
}

/* The schema that a value names, SCHEMA_COUNT for another or none. */
static int schema_of(const cJSON *json)
{
    char named[64];
    const char *schema = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "schema"));
    for (int i = 0; i < SCHEMA_COUNT; i++) {
        snprintf(named, sizeof named, "gpusim-%s/1", names[i]);
        if (schema && strcmp(schema, named) == 0) return i;
    }
    return SCHEMA_COUNT;
}

static void check_value(int which, const cJSON *json, const char *what)
{
    cJSON *schema = read_schema(which);
    struct schema_check check = {.root = schema};
    CHECK_MSG(schema && schema_holds(&check, schema, json), "%s: %s: %s", what, check.place, check.message);
    cJSON_Delete(schema);
}

/* How many of the files that match the pattern have the schema; all of those keep to it. */
static int check_files(int which, const char *pattern)
{
    glob_t found;
    int count = 0;
    if (glob(pattern, 0, NULL, &found) != 0) return 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        cJSON *json = read_json(found.gl_pathv[i]);
        if (schema_of(json) == which) {
            check_value(which, json, found.gl_pathv[i]);
            count++;
        }
        cJSON_Delete(json);
    }
    globfree(&found);
    return count;
}

static void test_files(void)
{
    CHECK(check_files(DEVICE, GPUSIM_SOURCE_DIR "/models/*.json") >= 10);
    CHECK(check_files(ARCH, GPUSIM_SOURCE_DIR "/models/arch/*.json") >= 11);
    CHECK(check_files(NODE, GPUSIM_SOURCE_DIR "/models/nodes/*.json") >= 9);
    CHECK(check_files(PROGRAM, GPUSIM_SOURCE_DIR "/workloads/examples/*.json") >= 2);
    CHECK(check_files(SWEEP, GPUSIM_SOURCE_DIR "/plots/specs/*.json") >= 4);
    CHECK(check_files(PAPER, GPUSIM_SOURCE_DIR "/trust/published/*.json") >= 3);
    CHECK(check_files(RUNS, GPUSIM_SOURCE_DIR "/traces/h200/runs-*.json.gz") >= 2);
    CHECK(check_files(RUNS, GPUSIM_SOURCE_DIR "/traces/h100/runs-*.json.gz") >= 1);
}

/* Blocks of JSON in documents; those that leave something out ("...") are no JSON. */
static void test_documents(void)
{
    static const char *const patterns[] = {"/*.md", "/*/*.md", "/*/*/*.md"};
    int seen[SCHEMA_COUNT + 1] = {0};
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        char pattern[256];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s%s", GPUSIM_SOURCE_DIR, patterns[p]);
        if (glob(pattern, 0, NULL, &found) != 0) continue;
        for (size_t i = 0; i < found.gl_pathc; i++) {
            size_t length;
            struct gsim_error error = {0};
            char *text = gsim_file_read(found.gl_pathv[i], &length, &error);
            for (const char *at = text; at && (at = strstr(at, "```json\n")) != NULL; at += 8) {
                cJSON *json = cJSON_ParseWithOpts(at + 8, NULL, false);
                int which = schema_of(json);
                seen[which]++;
                if (which < SCHEMA_COUNT) check_value(which, json, found.gl_pathv[i]);
                cJSON_Delete(json);
            }
            gsim_free(text);
        }
        globfree(&found);
    }
    CHECK_MSG(seen[DEVICE] + seen[RUNS] + seen[SWEEP] > 0, "no examples in documents");
}

/* --- the fields that are read ----------------------------------------------------------------------------------- */
/* Whether one of the alternatives of an op, named KIND, has the field. */
static bool op_has(const cJSON *schema, const char *kind, const char *field)
{
    const cJSON *defs = cJSON_GetObjectItemCaseSensitive(schema, "$defs"),
                *op = cJSON_GetObjectItemCaseSensitive(defs, "op"), *one;
    cJSON_ArrayForEach(one, cJSON_GetObjectItemCaseSensitive(op, "oneOf"))
    {
        const cJSON *members = cJSON_GetObjectItemCaseSensitive(one, "properties");
        const cJSON *name = cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItemCaseSensitive(members, "op"), "const");
        if (strcmp(cJSON_GetStringValue(name), kind) == 0 && cJSON_GetObjectItemCaseSensitive(members, field))
            return true;
    }
    return false;
}

/* The reader of programs and the schema have the same fields: those of the table X(OP_ID, "name", "KINDS") in
 * sim/program/readops.c, each with the kinds of op that may have it, and those of a kernel's demand. */
static void test_fields(void)
{
    static const char *const demand[] = {GSIM_KERNEL_FIELDS_AS(GSIM_KERNEL_FIELD_NAME) NULL};
    static const char *const kinds[] = {"kernel",    "copy",         "prefetch",  "host_write",
                                        "host_read", "host_compute", "collective"};
    static const char letters[] = "KCPWRHL";
    size_t length, count = 0;
    struct gsim_error error = {0};
    char *source = gsim_file_read(GPUSIM_SOURCE_DIR "/sim/program/readops.c", &length, &error), name[32], of[12];
    cJSON *schema = read_schema(PROGRAM);
    for (size_t i = 0; demand[i]; i++) CHECK_MSG(op_has(schema, "kernel", demand[i]), "no %s", demand[i]);
    for (const char *at = source; at && (at = strstr(at, "X(OP_")) != NULL; at++) {
        if (sscanf(at, "X(OP_%*[A-Z_0-9], \"%31[a-z_0-9]\", \"%11[A-Z]\")", name, of) != 2) continue;
        for (size_t k = 0; letters[k]; k++)
            CHECK_MSG(op_has(schema, kinds[k], name) == (strchr(of, letters[k]) != NULL), "%s of %s", name, kinds[k]);
        count++;
    }
    CHECK_MSG(count >= 15, "%zu fields", count);
    cJSON_Delete(schema);
    gsim_free(source);
}

/* --- what the program writes --------------------------------------------------------------------------------- */
static void check_written(int which, const char *arguments, const char *file)
{
    char command[1024], path[] = "/tmp/gpusim-schemas-XXXXXX", out[64];
    CHECK(mkdtemp(path) != NULL);
    snprintf(out, sizeof out, "%s/%s", path, file);
    snprintf(command, sizeof command, "cd %s && %s %s %s >/dev/null 2>log", path, GPUSIM_BINARY, arguments, file);
    CHECK_MSG(system(command) == 0, "%s", command);
    cJSON *json = read_json(out);
    CHECK_MSG(schema_of(json) == which, "%s: another schema", command);
    check_value(which, json, command);
    cJSON_Delete(json);
    snprintf(command, sizeof command, "rm -r %s", path);
    CHECK(system(command) == 0);
}

static void test_outputs(void)
{
    check_written(REPORT, "--workload img --sched kesco --iterations 2 --report", "r.json");
    check_written(REPORT, "--workload ml --sched grsched --memory managed --prefetch off --report", "r.json");
    check_written(REPORT,
                  "--workload moe-decode --opt moe-decode.layers=1 --sched persistent --opt persistent.mode=queue "
                  "--iterations 2 --report",
                  "r.json");
    check_written(REPORT, "--workload vec --sched serial --memory pageable --noise --report", "r.json");
    check_written(REPORT, "--workload hits --sched cudagraph --memory pinned --device h200 --report", "r.json");
    check_written(REPORT, "--workload " GPUSIM_SOURCE_DIR "/workloads/examples/axpy-chain.json --sched async --report",
                  "r.json");
    check_written(REPORT, "--workload img --sched acs-hw --memory pinned --device h200 --report",
                  "r.json"); /* figures of its own */
    check_written(PROGRAM,
                  "--workload llm-decode --opt llm-decode.layers=1 --opt llm-decode.programmatic=on --opt "
                  "llm-decode.prologue=0.1 --opt llm-decode.trigger=0.5 --sched async --write-program",
                  "p.json");
    check_written(PROGRAM, "import kineto " GPUSIM_SOURCE_DIR "/tests/traces/import/cases/00_reference.json -o",
                  "p.json");
    check_written(PROGRAM, "import kineto " GPUSIM_SOURCE_DIR "/tests/traces/import/cases/00_reference.json -o",
                  "p.json.gz");
    check_written(DEVICE, "calibrate " GPUSIM_SOURCE_DIR "/traces/h200/probe.json -o", "mine.json");
    check_written(EXPLAIN, "explain hits --sched async --device h200 --json", "e.json");
    check_written(EXPLAIN,
                  "explain " GPUSIM_SOURCE_DIR
                  "/traces/h100/whatif/kineto_streams_googlenet_b1.json.gz --sched async --json",
                  "e.json");
    check_written(WHATIF, "whatif vec --change nosync,graph,streams=2,device=v100,graph+link=2x --json", "w.json");
    check_written(WHATIF, "whatif " GPUSIM_SOURCE_DIR "/traces/h100/whatif/kineto_encoder_b8.json.gz --json", "w.json");
    check_written(KERNELS, "import ncu " GPUSIM_SOURCE_DIR "/traces/h100/unlike/library_ncu.csv.gz -o", "k.json");
    check_written(KERNELS, "import ncu " GPUSIM_SOURCE_DIR "/traces/h100/unlike/made_ncu.csv.gz -o", "k.json");
    check_written(SCHEDULE,
                  "schedule " GPUSIM_SOURCE_DIR "/tests/cli/schedule/trace.json --execution-trace " GPUSIM_SOURCE_DIR
                  "/tests/cli/schedule/et.json -o",
                  "s.json");
    check_written(SCHEDULE, "schedule hits --device h200 --streams 2 -o", "s.json");
}

/* The table that answers a question is one from the library, too. */
static void test_answers(void)
{
    struct gsim_session *s = gsim_session_create();
    CHECK(gsim_session_set(s, "size", "1e6") == 0 && gsim_session_set(s, "workload", "vec") == 0);
    for (int64_t i = 0; gsim_session_question(i); i++) {
        const char *name = gsim_session_question(i), *words = strcmp(name, "validate") == 0  ? "1ms"
                                                              : strcmp(name, "ablate") == 0 ? "wave_tails"
                                                              : strcmp(name, "spread") == 0 ? "3"
                                                              : strcmp(name, "sensitivity") == 0 ? "launch_us"
                                                                                                 : NULL;
        const char *text = gsim_session_ask(s, name, words);
        CHECK_MSG(text, "%s: %s", name, gsim_session_error(s));
        cJSON *json = cJSON_Parse(text ? text : "");
        check_value(ANSWER, json, name);
        cJSON_Delete(json);
    }
    gsim_session_destroy(s);
    check_written(ANSWER, "sweep --workload vec --sched serial,kesco --size 1e6 --out r.db && " GPUSIM_BINARY
                          " results r.db --json", "a.json");
}

/* --- what does not keep to them -------------------------------------------------------------------------------- */
static void test_refused(void)
{
    static const struct {
        int which;
        const char *text, *place, *message;
    } cases[] = {
        {PROGRAM, "{\"schema\":\"gpusim-program/2\",\"name\":\"p\",\"ops\":[]}", "/schema", "const: "},
        {PROGRAM, "{\"schema\":\"gpusim-program/1\",\"name\":\"p\",\"ops\":[]}", "/ops", "minItems: 0 against 1"},
        {PROGRAM, "{\"schema\":\"gpusim-program/1\",\"name\":\"p\"}", "", "required: ops"},
        {PROGRAM,
         "{\"schema\":\"gpusim-program/1\",\"name\":\"p\",\"nmae\":1,\"ops\":[{\"op\":\"host_compute\",\"us\":1}]}", "",
         "additionalProperties: nmae"},
        {PROGRAM,
         "{\"schema\":\"gpusim-program/"
         "1\",\"name\":\"p\",\"ops\":[{\"op\":\"kernel\",\"kernel\":\"k\",\"grid\":[0],\"block\":[1]}]}",
         "/ops/0/grid/0", "minimum: 0 against 1"},
        {PROGRAM,
         "{\"schema\":\"gpusim-program/1\",\"name\":\"p\",\"ops\":[{\"op\":\"host_compute\",\"us\":1,\"grid\":[1]}]}",
         "/ops/0", "additionalProperties: grid"},
        {PROGRAM,
         "{\"schema\":\"gpusim-program/"
         "1\",\"name\":\"p\",\"ops\":[{\"op\":\"copy\",\"kind\":\"h2h\",\"buffer\":\"b\"}]}",
         "/ops/0/kind", "enum: h2h"},
        {DEVICE, "{\"schema\":\"gpusim-device/1\",\"name\":\"d\",\"title\":\"D\",\"compute_capability\":\"nine\"}",
         "/compute_capability", "pattern: nine"},
        {DEVICE,
         "{\"schema\":\"gpusim-device/"
         "1\",\"name\":\"d\",\"title\":\"D\",\"compute_capability\":\"9.0\",\"gpu\":{\"sm_count\":132}}",
         "/gpu/sm_count", "type: object"},
        {DEVICE,
         "{\"schema\":\"gpusim-device/"
         "1\",\"name\":\"d\",\"title\":\"D\",\"compute_capability\":\"9.0\",\"gpu\":{\"sm_count\":"
         "{\"value\":132,\"unit\":\"\",\"source\":\"s\",\"kind\":\"guessed\"}}}",
         "/gpu/sm_count/kind", "enum: guessed"},
        {NODE, "{\"schema\":\"gpusim-node/1\",\"name\":\"n\",\"devices\":[{\"count\":0}]}", "/devices/0/count",
         "minimum: 0 against 1"},
        {RUNS,
         "{\"schema\":\"gpusim-runs/"
         "1\",\"runs\":[{\"workload\":\"img\",\"size\":1,\"scheduler\":\"kesco\",\"iteration_us\":[0]}]}",
         "/runs/0/iteration_us/0", "exclusiveMinimum: 0 against 0"},
        {KERNELS, "{\"schema\":\"gpusim-kernels/1\",\"kernels\":[{\"name\":\"k\",\"grid\":[1,1],\"block\":[1,1,1]}]}",
         "/kernels/0/grid", "minItems"},
        {KERNELS,
         "{\"schema\":\"gpusim-kernels/"
         "1\",\"kernels\":[{\"name\":\"k\",\"grid\":[1,1,1],\"block\":[1,1,1],\"solo\":1}]}",
         "/kernels/0", "additionalProperties: solo"},
        {KERNELS,
         "{\"schema\":\"gpusim-kernels/"
         "1\",\"kernels\":[{\"name\":\"k\",\"grid\":[1,1,1],\"block\":[1,1,1],\"pipes\":{\"fp\":1}}]}",
         "/kernels/0/pipes", "additionalProperties: fp"},
        {ANSWER, "{\"schema\":\"gpusim-answer/1\",\"columns\":[{\"name\":\"a\",\"unit\":\"\"}]}", "", "required: rows"},
        {ANSWER,
         "{\"schema\":\"gpusim-answer/1\",\"columns\":[{\"name\":\"a\",\"unit\":\"\"}],\"rows\":[{\"a\":[]}]}",
         "/rows/0/a", "type"},
        {SWEEP, "{\"schema\":\"gpusim-sweep/1\",\"vary\":{\"size\":[]}}", "/vary/size", "minItems"},
        {SWEEP, "{\"schema\":\"gpusim-sweep/1\",\"repeat\":1.5}", "/repeat", "type: integer"},
        {PAPER, "{\"schema\":\"gpusim-paper/1\",\"name\":\"x\",\"title\":\"x\",\"steps\":[]}", "/steps", "minItems"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cJSON *json = cJSON_Parse(cases[i].text), *schema = read_schema(cases[i].which);
        struct schema_check check = {.root = schema};
        CHECK_MSG(json && schema && !schema_holds(&check, schema, json), "accepted: %s", cases[i].text);
        CHECK_STR(check.place, cases[i].place);
        CHECK_HAS(check.message, cases[i].message);
        cJSON_Delete(json);
        cJSON_Delete(schema);
    }
}

/* A keyword that the checker does not know is no keyword that holds. */
static void test_checker(void)
{
    cJSON *schema = cJSON_Parse("{\"multipleOf\": 2}"), *value = cJSON_Parse("4");
    struct schema_check check = {.root = schema};
    CHECK(!schema_holds(&check, schema, value));
    CHECK_HAS(check.message, "multipleOf: this checker does not know the keyword");
    cJSON_Delete(schema);
    cJSON_Delete(value);
}

static const struct test_case cases[] = {
    {"examples and recordings keep to the schemas", test_files},
    {"examples in documents keep to them", test_documents},
    {"programs: the fields that are read", test_fields},
    {"what the program writes keeps to them", test_outputs},
    {"answers keep to theirs", test_answers},
    {"what is wrong does not", test_refused},
    {"no keyword is passed over", test_checker},
};

TEST_MAIN("contract/schemas", cases)
