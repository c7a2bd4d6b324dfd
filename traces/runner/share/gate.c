/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gates in streams (traces/runner/share/gate.h). They are the driver's own calls, which libcuda has and the runtime
 * library has not. */
#include "traces/runner/share/gate.h"

#include <dlfcn.h>
#include <time.h>

#define AT_LEAST 0 /* CU_STREAM_WAIT_VALUE_GEQ, cyclic */

/* In LIBRARY, which stays open. */
static bool find_calls(struct gsim_gates *gates, void *library)
{
    if (!library) return false;
    *(void **)&gates->wait = dlsym(library, "cuStreamWaitValue32_v2");
    *(void **)&gates->write = dlsym(library, "cuStreamWriteValue32_v2");
    return gates->wait && gates->write;
}

enum gsim_status gsim_gates_open(struct gsim_gates *gates, struct gsim_ledger *ledger, struct gsim_error *error)
{
    void *device = NULL;
    *gates = (struct gsim_gates){.ledger = ledger};
    if (!find_calls(gates, dlopen(NULL, RTLD_NOW)) && !find_calls(gates, dlopen("libcuda.so.1", RTLD_NOW)))
        return gsim_error_set(error, GSIM_SIM,
                              "no cuStreamWaitValue32 in libcuda.so.1: expected the driver of CUDA 12 or later");
    cudaError_t result = cudaHostRegister(ledger->streams, ledger->stream_bytes, cudaHostRegisterMapped);
    if (result == cudaSuccess) result = cudaHostGetDevicePointer(&device, ledger->streams, 0);
    if (result != cudaSuccess)
        return gsim_error_set(error, GSIM_SIM, "memory that processes share, for the GPU: %s",
                              cudaGetErrorString(result));
    gates->device = device;
    return GSIM_OK;
}

static unsigned long long address_of(const struct gsim_gates *gates, const void *word)
{
    return (unsigned long long)(uintptr_t)(gates->device + ((const char *)word - (const char *)gates->ledger->streams));
}

bool gsim_gates_before(const struct gsim_gates *gates, struct gsim_ledger_stream *stream, cudaStream_t on,
                       const struct gsim_ledger_slot *slot)
{
    struct timespec pause = {0, 5000};
    uint32_t number = stream->issued + 1;
    while (number - atomic_load_explicit(&stream->done, memory_order_acquire) > GSIM_LEDGER_LAUNCHES &&
           !gates->ledger->is_stopped)
        nanosleep(&pause, NULL);
    *gsim_ledger_slot_at(stream, number) = *slot;
    atomic_store_explicit(&stream->issued, number, memory_order_release);
    if (slot->is_marked && gates->write(on, address_of(gates, &stream->reached), number, 0)) return false;
    return gates->wait(on, address_of(gates, &stream->open), number, AT_LEAST) == 0;
}

bool gsim_gates_behind(const struct gsim_gates *gates, struct gsim_ledger_stream *stream, cudaStream_t on)
{
    return gates->write(on, address_of(gates, &stream->done), stream->issued, 0) == 0;
}
