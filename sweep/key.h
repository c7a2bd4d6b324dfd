/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: sweep. Identities: of a text, of a file's contents (128-bit FNV-1a, as 32 hexadecimal digits; against chance,
 * not against forgery), and of the model, which is the hash of the sources that decide on results.
 */
#pragma once

#include "gpusim/status.h"

#define GSIM_KEY_SIZE 33 /* with the NUL */

const char *gsim_key_text(char key[GSIM_KEY_SIZE], const char *text);
/* Fails with GSIM_INPUT, naming the file. */
enum gsim_status gsim_key_file(char key[GSIM_KEY_SIZE], const char *path, struct gsim_error *error) GSIM_NODISCARD;

/* 16 digits; differs when a source of sim/, schedulers/, workloads/ or models/ that can change a result differs. */
const char *gsim_model_hash(void);
