/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A CUDA source into a program: parsed by libclang with the stub header that the build embeds, then its host code
 * executed from main (or --entry) on. What is read and what is not: docs/source.md.
 */
#include "source/read/source.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/output.h"
#include "sim/base/gz.h"
#include "sim/program/guess.h"
#include "source/read/expand.h"
#include "source/read/guard.h"
#include "traces/import/sniff.h"

#define STUB_FILE    "/gpusim-cuda-stub.h"
#define MAX_HEADERS 24

static const unsigned char stub[] = {
#include "source/read/stub.inc"
};
static const unsigned char helper[] = {
#include "source/read/helper.inc"
};

/* --- parsing --- */
static bool is_device_code(struct gsim_cu *s, CXDiagnostic diagnostic);

/* What to do about a header that is not there. */
static const char *advice(const char *text)
{
    static const char *const toolkit[] = {"'thrust/", "'cub/", "'cublas", "'cufft", "'curand", "'cusparse", "'cusolver",
                                          "'cudnn", "'nccl", "'nvtx", "'cuComplex", "'npp"};
    if (!strstr(text, "file not found")) return "";
    for (size_t i = 0; i < sizeof toolkit / sizeof toolkit[0]; i++)
        if (strstr(text, toolkit[i]))
            return ": a library of CUDA's toolkit, not among the headers here (-I DIR names the toolkit's; what its "
                   "functions do is not read)";
    return " (-I DIR names a folder of headers)";
}

/* What ends the import: the first error that is in no kernel and names nothing of CUDA. */
static enum gsim_status find_error(struct gsim_cu *s)
{
    for (unsigned i = 0; i < s->clang.getNumDiagnostics(s->unit) && s->status == GSIM_OK; i++) {
        CXDiagnostic diagnostic = s->clang.getDiagnostic(s->unit, i);
        enum CXDiagnosticSeverity severity = s->clang.getDiagnosticSeverity(diagnostic);
        CXString text = s->clang.getDiagnosticSpelling(diagnostic);
        CXFile file = NULL;
        unsigned line = 0, column = 0;
        s->clang.getExpansionLocation(s->clang.getDiagnosticLocation(diagnostic), &file, &line, &column, NULL);
        bool is_other = severity == CXDiagnostic_Error &&
                        (strstr(s->clang.getCString(text), "'cuda") || is_device_code(s, diagnostic));
        if (severity >= CXDiagnostic_Error && !is_other) {
            CXString name = s->clang.getFileName(file);
            const char *in = s->clang.getCString(name);
            s->status = gsim_error_set(s->error, GSIM_INPUT, "%s:%u:%u: %s%s", in ? in : s->path, line, column,
                                       s->clang.getCString(text), advice(s->clang.getCString(text)));
            s->clang.disposeString(name);
        }
        s->clang.disposeString(text);
        s->clang.disposeDiagnostic(diagnostic);
    }
    return s->status;
}

static enum gsim_status check_diagnostics(struct gsim_cu *s)
{
    unsigned in_kernels = 0, first_line = 0;
    char first[160] = "";
    if (find_error(s) != GSIM_OK) return s->status;
    for (unsigned i = 0; i < s->clang.getNumDiagnostics(s->unit); i++) {
        CXDiagnostic diagnostic = s->clang.getDiagnostic(s->unit, i);
        enum CXDiagnosticSeverity severity = s->clang.getDiagnosticSeverity(diagnostic);
        CXFile file = NULL;
        unsigned line = 0;
        s->clang.getExpansionLocation(s->clang.getDiagnosticLocation(diagnostic), &file, &line, NULL, NULL);
        if (severity == CXDiagnostic_Error && is_device_code(s, diagnostic)) {
            CXString text = s->clang.getDiagnosticSpelling(diagnostic);
            if (!in_kernels) snprintf(first, sizeof first, "%s", s->clang.getCString(text));
            if (!in_kernels++) first_line = line;
            s->clang.disposeString(text);
            if (!GSIM_APPEND(s->code.errors, s->code.error_count, s->code.error_room,
                             s->clang.getDiagnosticLocation(diagnostic)))
                s->status = gsim_no_memory(s->error);
        } else if (severity >= CXDiagnostic_Error) {
            CXString text = s->clang.getDiagnosticSpelling(diagnostic), name = s->clang.getFileName(file);
            const char *in = s->clang.getCString(name);
            gsim_cu_tell(s, in ? in : s->path, line, s->clang.getCString(text)); /* what the stub header lacks */
            s->clang.disposeString(name);
            s->clang.disposeString(text);
        }
        s->clang.disposeDiagnostic(diagnostic);
    }
    if (in_kernels) {
        char text[288];
        snprintf(text, sizeof text, "%u errors within kernels (%s): these may read and write any buffer", in_kernels,
                 first);
        gsim_cu_tell(s, s->path, first_line, text);
    }
    return s->status;
}

/* The body of a kernel or a function of the device, around a place. */
struct around {
    struct gsim_cu *s;
    CXFile file;
    unsigned offset;
    bool is_device;
};

static bool holds_place(struct around *around, CXCursor cursor)
{
    struct gsim_cu *s = around->s;
    CXSourceRange range = s->clang.getCursorExtent(cursor);
    CXFile file = NULL;
    unsigned begin = 0, end = 0;
    s->clang.getExpansionLocation(s->clang.getRangeStart(range), &file, NULL, NULL, &begin);
    s->clang.getExpansionLocation(s->clang.getRangeEnd(range), NULL, NULL, NULL, &end);
    return file == around->file && around->offset >= begin && around->offset < end;
}

static enum CXChildVisitResult look_around(CXCursor cursor, GSIM_CU_PARENT, CXClientData data)
{
    struct around *around = data;
    struct gsim_cu *s = around->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    if (!holds_place(around, cursor)) return CXChildVisit_Continue;
    if (kind != CXCursor_FunctionDecl && kind != CXCursor_FunctionTemplate && kind != CXCursor_CXXMethod)
        return CXChildVisit_Recurse;
    around->is_device |= gsim_cu_has_attribute(s, cursor, CXCursor_CUDAGlobalAttr) ||
                         gsim_cu_has_attribute(s, cursor, CXCursor_CUDADeviceAttr);
    return CXChildVisit_Break;
}

static bool is_device_code(struct gsim_cu *s, CXDiagnostic diagnostic)
{
    struct around around = {.s = s};
    s->clang.getExpansionLocation(s->clang.getDiagnosticLocation(diagnostic), &around.file, NULL, NULL, &around.offset);
    if (!around.file) return false;
    s->clang.visitChildren(s->clang.getTranslationUnitCursor(s->unit), look_around, &around);
    return around.is_device;
}

bool gsim_cu_has_error(struct gsim_cu *s, CXCursor function)
{
    struct around around = {.s = s};
    for (size_t i = 0; i < s->code.error_count && !around.is_device; i++) {
        s->clang.getExpansionLocation(s->code.errors[i], &around.file, NULL, NULL, &around.offset);
        around.is_device = holds_place(&around, function);
    }
    return around.is_device;
}

bool gsim_cu_is_of_cuda(struct gsim_cu *s, CXCursor declaration)
{
    CXFile file = NULL;
    s->clang.getExpansionLocation(s->clang.getCursorLocation(declaration), &file, NULL, NULL, NULL);
    CXString name = s->clang.getFileName(file);
    const char *text = s->clang.getCString(name);
    bool is_ours = text && strncmp(text, "/gpusim", 7) == 0;
    s->clang.disposeString(name);
    return is_ours;
}

/* By whichever way and at whichever depth: no file that is read is written. */
static void check_inclusion(CXFile file, CXSourceLocation *stack, unsigned depth, CXClientData data)
{
    struct gsim_cu *s = data;
    CXString name = s->clang.getFileName(file);
    const char *path = s->clang.getCString(name);
    (void)stack;
    for (int i = 0; i < 2 && depth && s->status == GSIM_OK; i++)
        if (s->options->written[i] && access(path, F_OK) == 0 && gsim_output_is_same(path, s->options->written[i]))
            s->status = gsim_error_set(s->error, GSIM_USAGE, "cannot write '%.200s': '%.200s' includes it",
                                       s->options->written[i], s->path);
    s->clang.disposeString(name);
}

/* The first files are ours; behind them there is room for one. Returns how many. */
static unsigned own_headers(struct CXUnsavedFile files[MAX_HEADERS + 1])
{
    static const char *const headers[] = {GSIM_CUDA_HEADERS("/gpusim/"), GSIM_CUDA_HELPERS("/gpusim/"),
                                          "/gpusim/cooperative_groups.h", "/gpusim/cooperative_groups/reduce.h",
                                          "/gpusim/mma.h", "/gpusim/curand_kernel.h"};
    const unsigned count = sizeof headers / sizeof headers[0];
    files[0] = (struct CXUnsavedFile){STUB_FILE, (const char *)stub, sizeof stub};
    for (unsigned i = 0; i < count; i++) {
        bool is_helper = strncmp(headers[i], "/gpusim/helper_", 15) == 0; /* of CUDA's samples */
        bool is_half = strstr(headers[i], "fp16") || strstr(headers[i], "/mma");
        const char *text = is_half ? GSIM_CUDA_HALF : (const char *)helper;
        files[i + 1] = (struct CXUnsavedFile){headers[i], text, is_helper ? sizeof helper : is_half ? strlen(text) : 0};
    }
    return 1 + count;
}

/* FILE, of which TEXT (NULL: what the file holds) is parsed. */
static enum CXErrorCode parse_file(struct gsim_cu *s, CXIndex index, const char *path, const char *text, size_t length,
                                   CXTranslationUnit *unit)
{
    static const char *const own[] = {
        "-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-std=c++17", "-ferror-limit=0", "-w", "-Xclang",
        "-fcuda-allow-variadic-functions", "-include", STUB_FILE, "-I/gpusim"};
    static const char *const plain[] = {"-x", "c", "-ferror-limit=0", "-w"};
    struct CXUnsavedFile files[MAX_HEADERS + 1];
    const char **words = gsim_alloc(sizeof *words * (sizeof own / sizeof own[0] + 2 * s->options->count)), *end;
    unsigned file_count = own_headers(files);
    bool is_c = (end = strrchr(path, '.')) && strcmp(end, ".c") == 0;
    int count = is_c ? sizeof plain / sizeof plain[0] : sizeof own / sizeof own[0];
    if (!words) return CXError_Failure;
    memcpy(words, is_c ? plain : own, sizeof *words * (size_t)count);
    for (size_t i = 0; i < s->options->count; i++) {
        const struct gsim_cuda_word *word = &s->options->words[i];
        if (word->kind != GSIM_CUDA_DEFINE && word->kind != GSIM_CUDA_INCLUDE) continue;
        words[count++] = word->kind == GSIM_CUDA_DEFINE ? "-D" : "-I";
        words[count++] = word->text;
    }
    if (text) files[file_count++] = (struct CXUnsavedFile){path, text, length};
    enum CXErrorCode code = s->clang.parseTranslationUnit2(index, path, words, count, files, file_count,
                                                           CXTranslationUnit_None, unit);
    gsim_free(words);
    return code;
}

static enum CXChildVisitResult add_external(CXCursor cursor, GSIM_CU_PARENT, CXClientData data)
{
    struct gsim_cu *s = data;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    if (kind == CXCursor_LinkageSpec || kind == CXCursor_UnexposedDecl) return CXChildVisit_Recurse;
    if ((kind != CXCursor_FunctionDecl && kind != CXCursor_VarDecl) ||
        s->clang.Location_isInSystemHeader(s->clang.getCursorLocation(cursor)) ||
        s->clang.Cursor_getStorageClass(cursor) == CX_SC_Static ||
        s->clang.hashCursor(s->clang.getCursorDefinition(cursor)) != s->clang.hashCursor(cursor))
        return CXChildVisit_Continue;
    if (!GSIM_APPEND(s->code.externals, s->code.external_count, s->code.external_room, cursor))
        s->status = gsim_no_memory(s->error);
    return CXChildVisit_Continue;
}

/* The program's other files. */
static enum gsim_status parse_others(struct gsim_cu *s, CXIndex index)
{
    const CXTranslationUnit own = s->unit;
    bool has_others = false;
    for (size_t i = 0; i < s->options->count; i++) has_others |= s->options->words[i].kind == GSIM_CUDA_FILE;
    if (has_others) s->clang.visitChildren(s->clang.getTranslationUnitCursor(own), add_external, s);
    for (size_t i = 0; i < s->options->count && s->status == GSIM_OK; i++) {
        const char *path = s->options->words[i].text;
        if (s->options->words[i].kind != GSIM_CUDA_FILE) continue;
        CXTranslationUnit *unit = &s->code.others[s->code.other_count];
        if (s->code.other_count == GSIM_CU_FILES)
            return s->status = gsim_error_set(s->error, GSIM_INPUT, "expected at most %d files", GSIM_CU_FILES);
        if (gsim_cu_is_other(path))
            return s->status = gsim_error_set(s->error, GSIM_INPUT, "%.300s: expected a regular file", path);
        if (parse_file(s, index, path, NULL, 0, unit) != CXError_Success)
            return s->status = gsim_error_set(s->error, GSIM_INPUT, "%s: libclang cannot parse it", path);
        s->code.other_count++;
        s->unit = *unit;
        (void)check_diagnostics(s);
        s->unit = own;
        s->clang.visitChildren(s->clang.getTranslationUnitCursor(*unit), add_external, s);
    }
    return s->status;
}

static enum gsim_status parse(struct gsim_cu *s, CXIndex index)
{
    struct gsim_error ignored = {0}; /* libclang says it better */
    size_t length = 0, expanded_length = 0;
    char *text = gsim_file_read(s->path, &length, &ignored);
    char *expanded = text ? gsim_cu_expand(text, length, &expanded_length, &s->text.spans) : NULL;
    s->text.span_count = expanded ? expanded_length : 0;
    if (text) s->status = gsim_cu_check_includes(s->path, text, s->error);
    if (text && length && !expanded) s->status = gsim_no_memory(s->error);
    enum CXErrorCode code =
        s->status ? CXError_Failure : parse_file(s, index, s->path, expanded, expanded_length, &s->unit);
    if (s->options->log) {
        s->options->log->text = text;
        s->options->log->length = length;
        text = NULL;
    }
    gsim_free(text);
    gsim_free(expanded);
    if (s->status) return s->status;
    if (code != CXError_Success || !s->unit)
        return s->status =
                   gsim_error_set(s->error, GSIM_INPUT, "%s: libclang cannot parse it (error %d)", s->path, (int)code);
    s->file = s->clang.getFile(s->unit, s->path);
    if (check_diagnostics(s) == GSIM_OK) s->clang.getInclusions(s->unit, check_inclusion, s);
    return s->status == GSIM_OK ? parse_others(s, index) : s->status;
}

/* --- launches that the file shows --- */
static uint64_t launches_in_text(struct gsim_cu *s)
{
    CXToken *tokens = NULL;
    unsigned count = 0;
    uint64_t launches = 0;
    s->clang.tokenize(s->unit, s->clang.getCursorExtent(s->clang.getTranslationUnitCursor(s->unit)), &tokens, &count);
    for (unsigned i = 0; i < count; i++) {
        CXString text = s->clang.getTokenSpelling(s->unit, tokens[i]);
        const char *chars = s->clang.getCString(text);
        launches += !strcmp(chars, "<<<") || !strcmp(chars, "cudaLaunchKernel") ||
                    !strcmp(chars, "cudaLaunchKernelEx");
        s->clang.disposeString(text);
    }
    s->clang.disposeTokens(s->unit, tokens, count);
    return launches;
}

struct found {
    struct gsim_cu *s;
    uint64_t launches, executed, guessed;
};

static enum CXChildVisitResult find_launches(CXCursor cursor, GSIM_CU_PARENT, CXClientData data)
{
    struct found *found = data;
    struct gsim_cu *s = found->s;
    if (s->clang.getCursorKind(cursor) != CXCursor_CallExpr ||
        !s->clang.Location_isFromMainFile(s->clang.getCursorLocation(cursor)))
        return CXChildVisit_Recurse;
    struct gsim_cu_kids kids = gsim_cu_kids(s, cursor);
    bool is_launch = gsim_cu_is_launch(s, &kids) || gsim_cu_is_named(s, cursor, "cudaLaunchKernel");
    gsim_free(kids.at);
    if (!is_launch) return CXChildVisit_Recurse;
    uint32_t seen = gsim_cu_cell(s, gsim_cu_cell(s, 0, gsim_cu_text_key("launches")), gsim_cu_offset(s, cursor));
    found->launches++;
    found->executed += gsim_cu_is_known(gsim_cu_load(s, seen));
    found->guessed += gsim_cu_is_guess(gsim_cu_load(s, seen));
    return CXChildVisit_Recurse;
}

/* --- where it begins --- */
/* Functions with a body: that of a name; without one, those with calls of CUDA up to the first that launches. */
struct functions {
    struct gsim_cu *s;
    const char *name;
    CXCursor at[64];
    unsigned count;
    bool has_launcher;
};

static enum CXChildVisitResult find_functions(CXCursor cursor, GSIM_CU_PARENT, CXClientData data)
{
    struct functions *f = data;
    struct gsim_cu *s = f->s;
    enum CXCursorKind kind = s->clang.getCursorKind(cursor);
    if (s->clang.Location_isInSystemHeader(s->clang.getCursorLocation(cursor))) return CXChildVisit_Continue;
    if (kind != CXCursor_FunctionDecl && kind != CXCursor_CXXMethod) return CXChildVisit_Recurse;
    CXCursor body = gsim_cu_body(s, cursor);
    if (body.kind == CXCursor_InvalidFile || f->count == 64 || f->has_launcher) return CXChildVisit_Continue;
    if (f->name ? !gsim_cu_is_named(s, cursor, f->name) : !gsim_cu_has_calls(s, body)) return CXChildVisit_Continue;
    struct found inner = {.s = s};
    if (!f->name) s->clang.visitChildren(body, find_launches, &inner);
    f->at[f->count++] = cursor;
    f->has_launcher = inner.launches > 0;
    return CXChildVisit_Continue;
}

static bool execute_named(struct gsim_cu *s, const char *name)
{
    const struct gsim_cuda_told *told = s->options->told;
    const struct gsim_cu_value argc = {.kind = GSIM_CU_NUMBER, .n = {told ? told->word_count : 1, !told}};
    struct functions functions = {.s = s, .name = name};
    for (size_t i = 0; i < s->code.other_count; i++) /* that of the file itself is the last */
        s->clang.visitChildren(s->clang.getTranslationUnitCursor(s->code.others[i]), find_functions, &functions);
    s->clang.visitChildren(s->clang.getTranslationUnitCursor(s->unit), find_functions, &functions);
    if (!functions.count) return false;
    s->host.argc = GSIM_CU_NONE;
    (void)gsim_cu_inline(s, functions.at[functions.count - 1], &argc, strcmp(name, "main") == 0, s->host.self);
    gsim_cu_end(s);
    return true;
}

static void execute(struct gsim_cu *s)
{
    bool any = false;
    struct functions functions = {.s = s};
    s->host.self = gsim_cu_cell(s, 0, gsim_cu_text_key("this"));
    for (size_t i = 0; i < s->options->count && s->status == GSIM_OK; i++) {
        const char *name = s->options->words[i].text;
        if (s->options->words[i].kind != GSIM_CUDA_ENTRY) continue;
        any = true;
        if (!execute_named(s, name))
            s->status = gsim_error_set(s->error, GSIM_INPUT, "%s: expected a function '%s' with a body (--entry)",
                                       s->path, name);
    }
    if (any || s->status != GSIM_OK || execute_named(s, "main")) return;
    s->clang.visitChildren(s->clang.getTranslationUnitCursor(s->unit), find_functions, &functions);
    for (unsigned i = 0; i < functions.count; i++) {
        char name[GSIM_LIMIT_NAME + 1];
        gsim_cu_name(s, functions.at[i], name);
        gsim_cu_note(s, functions.at[i], "there is no main: '%s' is executed (--entry NAME)", name);
        (void)gsim_cu_inline(s, functions.at[i], NULL, 0, s->host.self);
        gsim_cu_end(s);
    }
}

/* --- the importer --- */
static void count_launches(struct gsim_cu *s, struct gsim_import_notes *notes)
{
    struct found found = {.s = s};
    s->clang.visitChildren(s->clang.getTranslationUnitCursor(s->unit), find_launches, &found);
    notes->launches = launches_in_text(s);
    if (notes->launches < found.launches) notes->launches = found.launches; /* by macros */
    notes->read_launches = found.launches;
    notes->idle_launches = found.launches - found.executed;
    notes->guessed_launches = found.guessed;
    notes->left_syncs = s->counts.left_syncs;
    notes->kernels = notes->estimated = notes->data_works = s->counts.kernels;
    notes->copies = s->counts.copy_ops;
    notes->memsets = s->counts.memsets;
    notes->streams = s->device.stream_count + 1;
    notes->threads = 1;
    notes->is_source = true;
}

static enum gsim_status finish(struct gsim_cu *s, struct gsim_program *program)
{
    if (s->status == GSIM_OK && !s->counts.op_count)
        s->status = gsim_error_set(s->error, GSIM_INPUT,
                                   "%s: expected launches or copies in what is executed, found none (--arg argc=N, "
                                   "--run ARGS: its arguments; --entry NAME: another function)",
                                   s->path);
    if (s->status != GSIM_OK) return s->status;
    s->status = gsim_builder_finish(s->builder, 1, program, s->error);
    s->builder = NULL;
    if (s->status == GSIM_OK && !gsim_program_guess(program, s->said.guesses)) s->status = gsim_no_memory(s->error);
    for (size_t i = 0; i < s->memory.region_count && s->status == GSIM_OK; i++)
        if (s->memory.regions[i].begins_on_host) program->buffers[s->memory.regions[i].buffer].init = GSIM_INIT_HOST;
    return s->status;
}

struct import {
    struct gsim_cu *s;
    struct gsim_import_notes *notes; /* NULL: the probes alone are wanted */
};

static void import(void *context)
{
    struct import *i = context;
    struct gsim_cu *s = i->s;
    CXIndex index = s->clang.createIndex(0, 0);
    enum gsim_status status = parse(s, index);
    if (status == GSIM_OK && !i->notes) gsim_cu_find_probes(s);
    if (status == GSIM_OK && i->notes) execute(s);
    if (s->status == GSIM_OK && i->notes) {
        gsim_cu_check_told(s);
        gsim_cu_log_done(s);
        count_launches(s, i->notes);
    }
    if (s->unit) s->clang.disposeTranslationUnit(s->unit);
    for (size_t u = 0; u < s->code.other_count; u++) s->clang.disposeTranslationUnit(s->code.others[u]);
    s->clang.disposeIndex(index);
}

static enum gsim_status read_file(const char *path, const struct gsim_cuda_options *options, const char *name,
                                  struct gsim_program *program, struct gsim_import_notes *notes,
                                  struct gsim_error *error)
{
    struct gsim_cu *s = gsim_alloc(sizeof *s);
    if (!s) return gsim_no_memory(error);
    s->options = options;
    s->path = path;
    s->error = error;
    gsim_cu_guard_init();
    s->status = gsim_clang_load(&s->clang, error);
    if (s->status == GSIM_OK) s->status = gsim_cu_law_load(&s->law, options->device, error);
    if (s->status == GSIM_OK && !(s->builder = gsim_builder_create(name))) s->status = gsim_no_memory(error);
    struct import job = {s, notes};
    if (s->status == GSIM_OK && gsim_cu_guard(import, &job, path, error)) s->status = error->status;
    enum gsim_status status = program ? finish(s, program) : s->status;
    if (s->builder) gsim_builder_destroy(s->builder);
    gsim_program_release(&s->said);
    gsim_free(s->memory.cells);
    gsim_free(s->memory.regions);
    gsim_free(s->text.spans);
    gsim_free(s->device.pending);
    gsim_free(s->code.errors);
    gsim_free(s->code.externals);
    gsim_cu_access_release(s);
    gsim_free(s);
    return status;
}

enum gsim_status gsim_import_cuda(const char *path, const struct gsim_import_options *options,
                                  struct gsim_program *program, struct gsim_import_notes *notes,
                                  struct gsim_error *error)
{
    static const struct gsim_cuda_options plain;
    *notes = (struct gsim_import_notes){0};
    return read_file(path, options->cuda ? options->cuda : &plain, options->name, program, notes, error);
}

enum gsim_status gsim_cuda_probes(const char *path, const struct gsim_cuda_options *options,
                                  struct gsim_cuda_told *told, struct gsim_error *error)
{
    struct gsim_cuda_options own = *options;
    own.told = told;
    own.note = NULL;
    own.log = NULL;
    return read_file(path, &own, "probes", NULL, NULL, error);
}
