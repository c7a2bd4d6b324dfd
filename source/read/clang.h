/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: source (private to source/read). libclang, loaded when a source is read, so that other commands start
 * without it.
 */
#pragma once

#include <clang-c/Index.h>

#include "gpusim/status.h"

#define GSIM_CU_PARENT __attribute__((unused)) CXCursor parent /* of a visitor */
/* X(function of libclang without clang_) */
/* clang-format off */
#define GSIM_CLANG_MAP(X) \
    X(createIndex) X(disposeIndex) X(parseTranslationUnit2) X(disposeTranslationUnit) \
    X(getTranslationUnitCursor) X(getNumDiagnostics) X(getDiagnostic) X(disposeDiagnostic) \
    X(getDiagnosticSeverity) X(getDiagnosticSpelling) X(getDiagnosticLocation) X(getCString) X(disposeString) \
    X(visitChildren) X(getCursorKind) X(getCursorSpelling) X(getCursorLocation) X(getCursorExtent) \
    X(getRangeStart) X(getRangeEnd) X(getExpansionLocation) X(getSpellingLocation) X(getFile) \
    X(getFileContents) X(getFileName) X(getCursorReferenced) X(getCursorDefinition) X(getCanonicalCursor) \
    X(hashCursor) X(getCursorType) X(getCanonicalType) X(getPointeeType) X(isConstQualifiedType) \
    X(getArrayElementType) X(Type_getSizeOf) X(Cursor_Evaluate) X(EvalResult_getKind) \
    X(EvalResult_getAsLongLong) X(EvalResult_getAsDouble) X(EvalResult_dispose) X(getEnumConstantDeclValue) \
    X(Cursor_isNull) X(getSpecializedCursorTemplate) X(getCursorSemanticParent) X(Location_isFromMainFile) \
    X(Location_isInSystemHeader) X(Cursor_getStorageClass) X(tokenize) X(getTokenSpelling) \
    X(disposeTokens) X(Cursor_getNumTemplateArguments) X(Cursor_getTemplateArgumentKind) \
    X(Cursor_getTemplateArgumentType) X(Cursor_getTemplateArgumentValue) X(getTypeDeclaration) \
    X(getNumOverloadedDecls) X(getOverloadedDecl) X(Cursor_getNumArguments) X(Cursor_getArgument) \
    X(getCursorResultType) X(getArraySize) X(CXXMethod_isDefaulted) X(CXXMethod_isStatic) X(getInclusions) \
    X(Type_visitFields)
/* clang-format on */

struct gsim_clang {
#define GSIM_CLANG_FIELD(name) __typeof__(clang_##name) *name;
    GSIM_CLANG_MAP(GSIM_CLANG_FIELD)
#undef GSIM_CLANG_FIELD
};

/* GSIM_INPUT where it is not installed. It stays loaded. */
enum gsim_status gsim_clang_load(struct gsim_clang *clang, struct gsim_error *error) GSIM_NODISCARD;
