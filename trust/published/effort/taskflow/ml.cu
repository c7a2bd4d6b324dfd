// SPDX-License-Identifier: GPL-3.0-or-later
// ML: tasks and edges of Taskflow's cudaFlow.
#define OTHER_RUN
#include "../../../../examples/cuda/ml.cu"
#include "../cudaflow.h"

void run()
{
    tf::cudaFlow flow;
    tf::cudaTask rr_1_task = flow.kernel(BLOCKS, THREADS, 0, rr_1, x, z, N, FEATURES).name("rr_1");
    tf::cudaTask nb_1_task = flow.kernel(BLOCKS, THREADS, 0, nb_1, x, log_prob, r1, N, FEATURES,
        CLASSES).name("nb_1");
    tf::cudaTask rr_2_task = flow.kernel(BLOCKS, THREADS, 0, rr_2, z, coefficients, r2, N, FEATURES,
        CLASSES).name("rr_2");
    tf::cudaTask nb_2_task = flow.kernel(BLOCKS, THREADS, 0, nb_2, r1, most, N, CLASSES).name("nb_2");
    tf::cudaTask nb_3_task = flow.kernel(BLOCKS, THREADS, 0, nb_3, r1, most, l, N, CLASSES).name("nb_3");
    tf::cudaTask rr_3_task = flow.kernel(BLOCKS, THREADS, 0, rr_3, r2, intercept, N, CLASSES).name("rr_3");
    tf::cudaTask nb_4_task = flow.kernel(BLOCKS, THREADS, 0, nb_4, r1, l, N, CLASSES).name("nb_4");
    tf::cudaTask softmax_1_task = flow.kernel(BLOCKS, THREADS, 0, softmax, r1, N, CLASSES).name("softmax_1");
    tf::cudaTask softmax_2_task = flow.kernel(BLOCKS, THREADS, 0, softmax, r2, N, CLASSES).name("softmax_2");
    tf::cudaTask argmax_task = flow.kernel(BLOCKS, THREADS, 0, argmax, r1, r2, r, N, CLASSES).name("argmax");
    rr_1_task.precede(rr_2_task);
    nb_1_task.precede(nb_2_task, nb_3_task);
    rr_2_task.precede(rr_3_task);
    nb_2_task.precede(nb_3_task);
    nb_3_task.precede(nb_4_task);
    rr_3_task.precede(softmax_2_task);
    nb_4_task.precede(softmax_1_task);
    softmax_1_task.precede(argmax_task);
    softmax_2_task.precede(argmax_task);
    tf::cudaStream stream;
    flow.run(stream);
    stream.synchronize();
}
