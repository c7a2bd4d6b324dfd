/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that tasks on a GPU that is none need not make (fake_cuda.c): they fail. Without CUDA's headers, since none
 * looks at its arguments. */
#define NOT_SUPPORTED 801

#define REFUSED(name) \
    int name(void);   \
    int name(void) { return NOT_SUPPORTED; }

REFUSED(cudaDeviceGetPCIBusId)
REFUSED(cudaGraphAddKernelNode)
REFUSED(cudaGraphAddMemcpyNode1D)
REFUSED(cudaGraphCreate)
REFUSED(cudaGraphDestroy)
REFUSED(cudaGraphExecDestroy)
REFUSED(cudaGraphInstantiate)
REFUSED(cudaGraphLaunch)
REFUSED(cudaLaunchHostFunc)
REFUSED(cudaMallocManaged)
REFUSED(cudaMemPrefetchAsync)
REFUSED(cudaStreamAttachMemAsync)
REFUSED(cudaStreamBeginCapture)
REFUSED(cudaStreamEndCapture)
REFUSED(cudaStreamGetCaptureInfo)
REFUSED(cudaStreamGetCaptureInfo_v2)
REFUSED(gsim_blocks_clear)
REFUSED(gsim_blocks_clock)
REFUSED(gsim_blocks_close)
REFUSED(gsim_blocks_of)
REFUSED(gsim_blocks_open)
REFUSED(gsim_blocks_ran)
REFUSED(gsim_blocks_read)
REFUSED(gsim_probe_main)
REFUSED(gsim_slice_allow)
REFUSED(gsim_slice_launch)
REFUSED(gsim_stamp_launch)
REFUSED(gsim_tasks_gpu_close)
REFUSED(gsim_tasks_gpu_launch)
REFUSED(gsim_tasks_gpu_open)
REFUSED(gsim_tasks_gpu_read)
REFUSED(gsim_tasks_gpu_reports)
REFUSED(gsim_tasks_gpu_slots)
REFUSED(gsim_tasks_gpu_workers)

/* Data, which nobody reads here. */
const void *const gsim_bench_programs[32];
