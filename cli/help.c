/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layer: cli. The texts of --help: options come from the table in cli/cli.h, examples and usage
 * lines are here. man/make.sh makes the manual page of it.
 */
#include "cli/cli.h"
#include "sweep/store.h"

#define HELP_COLUMN 34

struct command_text {
    const char *summary, *usage, *description, *examples;
};

static const struct command_text texts[GSIM_CLI_COMMAND_COUNT] = {
    [GSIM_CLI_RUN] =
        {
            "predict one run and report on it (the default command)",
            "gpusim [run] --workload NAME|FILE --sched NAME|FILE.so [options], or --task ... --share NAME",
            "Replays a GPU program under a scheduler in simulated time and reports how long it takes and why.\n"
            "With several --task, programs serve requests on one GPU, which they share by the policy --share.\n"
            "Files are written only when the run succeeds; \"-\" stands for standard output, which then holds\n"
            "nothing else.\n",
            "  gpusim --workload img --sched kesco\n"
            "  gpusim --workload vec --sched grsched --device p100 --suite grcuda --size 8e7 --gantt\n"
            "  gpusim --workload my-program.json --sched async --trace run.json.gz --report run.json\n"
            "  gpusim --workload ml --sched kesco --opt streams=4 --opt gpu.hw_queues=32\n"
            "  gpusim --workload img --sched kesco --spread 100\n"
            "  gpusim --task img,requests=20 --task ml,priority=5,requests=0 --share fikit --profile measure\n",
        },
    [GSIM_CLI_COMPARE] =
        {
            "compare schedulers on several workloads",
            "gpusim compare [--workload all|A,B,...] [--sched all|A,B,...] [options]",
            "Runs every workload under every scheduler, each with the launch shape it was tuned for, and prints the\n"
            "median time of an iteration, the speed-up over the base scheduler and its geometric mean. With --task: "
            "the\n"
            "same tasks under several ways of sharing the GPU.\n",
            "  gpusim compare\n"
            "  gpusim compare --workload img,ml --sched serial,kesco --device v100\n"
            "  gpusim compare --suite grcuda --device gtx960 --csv speedups.csv\n"
            "  gpusim compare --task resnet50,arrival=poisson:60,requests=200,copies=1:16 --limit p99=20ms\n"
            "  gpusim compare --task img,requests=20 --task ml,priority=5,requests=0 --memory pinned --share all\n",
        },
    [GSIM_CLI_LIST] =
        {
            "list workloads, schedulers, ways of sharing, devices, presets, rules, options",
            "gpusim list [workloads|schedulers|placements|devices|nodes|rules|...] [NAME] [--long]",
            "Names and one line about each; without an argument, all lists. --long adds parameters, numbers\n"
            "with their units and sources, and what sizes mean; NAME tells all this of one entry (presets: of one\n"
            "workload). Devices and schedulers may be files: ./my-gpu.json, ./my-policy.so. rules: what --opt "
            "rule.NAME=off\n"
            "leaves out of the model. gpu: what --opt gpu.NAME=VALUE sets, gpu.exact, gpu.check, gpu.tolerance, "
            "gpu.sample.\n",
            "  gpusim list\n"
            "  gpusim list schedulers --long\n"
            "  gpusim list devices --long\n"
            "  gpusim list devices h200\n",
        },
    [GSIM_CLI_VALIDATE] =
        {
            "compare predictions with measurements on real hardware",
            "gpusim validate [FILE...] [--kind KIND,...] [--device NAME|FILE] [options]",
            "Simulates recorded cases (concurrent kernels and DAGs of kernels, timed on a real GPU) and prints the\n"
            "errors of the predictions beside the measurements' own spread. --model all adds other models. Without\n"
            "files it takes the recordings that come with gpusim (traces/h200) and the device h200. A prediction\n"
            "uses a kernel's launch shape, registers, shared memory, time alone, and flops and bytes if recorded.\n"
            "Runs are workloads that gpusim-runner executed under schedulers. Compared are times of iterations,\n"
            "speed-ups over serial, timelines and the ranking of schedulers; runs kept for testing are apart from\n"
            "those that the device may be fitted to. The device is the one that the file names, or --device.\n"
            "A trace (Chrome's format, by PyTorch's profiler, gpusim-runner --trace or gpusim --trace) is imported\n"
            "as \"gpusim import kineto\" does and replayed by async; makespan, streams' busy time, and where\n"
            "kernels and copies start and end are compared. Kernels keep the trace's durations, so this tests\n"
            "queues, launch costs, gaps, waits, the host's time and copies. Overlapping kernels get times alone\n"
            "that reproduce their recorded durations in a replay (--alone).\n",
            "  gpusim validate\n"
            "  gpusim validate --kind pairs,arrival --per-case\n"
            "  gpusim validate --kind dags --scatter dags.svg --histogram errors.png --csv dags.csv\n"
            "  gpusim validate --half odd --opt gpu.exact=1 --report odd.json\n"
            "  gpusim validate traces/h200/vm/dags-mixed.json.gz --device h200-vm --spread 20\n"
            "  gpusim validate my-runs.json.gz --device my-gpu.json --split test --per-case\n"
            "  gpusim validate my-runs.json.gz --again my-runs-of-today.json.gz\n"
            "  gpusim validate traces/h200/vm/dags-mixed.json.gz --again traces/h200/vm/again/dags-mixed.json.gz\n"
            "  gpusim validate trace.json.gz --device h200 --per-case\n"
            "  gpusim validate h100.json.gz --device h100-vm --again h200.json.gz --other-device h200-vm\n",
        },
    [GSIM_CLI_IMPORT] =
        {
            "turn a profiler's trace into a program file",
            "gpusim import [kineto|xla|nsys|nvprof|rocprof|wfcommons|chrome|cuda] FILE -o PROGRAM [options], or\n"
            "       gpusim import ncu FILE... -o KERNELS",
            "Reads a Chrome trace of PyTorch's profiler (kineto; .json or .json.gz) or of XLA's (xla: JAX,\n"
            "TensorFlow), an SQLite export of Nsight Systems (nsys), a database of nvprof, the JSON of AMD's\n"
            "rocprofv3 (rocprof) or a workflow of WfCommons (wfcommons: a second of a task becomes a ms of a\n"
            "kernel), told apart by the file itself. Writes a program that --sched async replays: kernels with\n"
            "their recorded durations, copies, the order that streams, events and synchronisation gave, and the\n"
            "host's time between calls, less the calls' own time on --device (default: the trace's GPU, else the\n"
            "nearest by architecture, else h200; the durations then belong to it).\n"
            "Overlapping kernels get shorter times alone, which reproduce their recorded durations in a replay on\n"
            "that device (--alone). Repairs are counted on stderr.\n"
            "A CUDA source (cuda; .cu) is parsed without CUDA's headers and executed symbolically from main on:\n"
            "launches, copies, streams and events become the program, kernels' times are estimated; other files of\n"
            "the program may follow, and --run has it run for what its text does not tell (docs/source.md).\n"
            "What ncu measured of single kernels (ncu: its raw page as CSV, or .ncu-rep where ncu is) becomes a\n"
            "file that --kernels reads: clusters, pipes, times with empty caches (docs/kernels-you-profile.md).\n",
            "  gpusim import kineto trace.json.gz -o program.json\n"
            "  gpusim --workload program.json --sched async --device h200\n"
            "  gpusim import report.sqlite -o program.json.gz --name training --device a100-sxm4-40gb\n"
            "  gpusim import ncu kernels.csv more.csv -o kernels.json\n"
            "  gpusim import cuda main.cu -DN=4096 --arg steps=10 -o main.json\n"
            "  gpusim import cuda step.cu main.c --run \"4096 100\" -o main.json\n"
            "  gpusim import kineto trace.json --range 100:199 --gaps off -o -\n",
        },
    [GSIM_CLI_PLOT] =
        {
            "draw figures from results, reports and traces",
            "gpusim plot speedup|lines|heatmap|scatter|box|timeline|jct|clients|load FILE... [-o PICTURE] [options]",
            "Draws with gnuplot. timeline reads a report (run --report), a trace (run --trace, PyTorch's profiler) or\n"
            "runs recorded by gpusim-runner; the others read results: databases of gpusim sweep, specs of sweeps\n"
            "(run first), CSV or JSON of compare, reports, recorded runs, any CSV with a head line. Rows that agree\n"
            "in --x and --series are averaged, with 95 % confidence intervals where points were repeated. --keep\n"
            "leaves script and data, to be edited and drawn by gnuplot. jct (request times of the most urgent task, "
            "or\n"
            "of --series TASK, by way of sharing) and clients (throughput and P99 over the number of tasks) read the\n"
            "JSON of compare --task and run --task. Axes are logarithmic where values span more than a factor of 20, "
            "and\n"
            "that of jct also where a few long times would crowd the others; --log none makes them linear.\n",
            "  gpusim plot timeline run.json -o timeline.pdf\n"
            "  gpusim plot speedup compare.csv -o speedup.svg --width column\n"
            "  gpusim plot lines results.db --x size --y iteration_us --series sched --where workload=vec\n"
            "  gpusim plot speedup spec.json -o speedup.pdf\n"
            "  gpusim plot heatmap results.db --x workload --y device --value speedup --where sched=kesco\n"
            "  gpusim plot jct shares.json -o jct.png\n"
            "  gpusim plot clients 1.json 2.json 4.json -o clients.png\n",
        },
    [GSIM_CLI_PAGE] =
        {
            "write results or a run as one page of HTML",
            "gpusim report FILE -o PAGE.html",
            "One self-contained page that opens offline: tables, figures, options, versions, and the commands that\n"
            "give the same again. FILE is a database of gpusim sweep, what compare wrote (also of tasks under ways\n"
            "of sharing), a CSV file of results, or the report of one run (run --report), of which it shows the "
            "timeline.\n",
            "  gpusim report results.db -o results.html\n"
            "  gpusim --workload img --sched kesco --report run.json && gpusim report run.json -o run.html\n",
        },
    [GSIM_CLI_SWEEP] =
        {
            "simulate many points and keep the results in a file",
            "gpusim sweep [SPEC.json] [--vary NAME=VALUES]... [--out FILE] [options]",
            "Runs every combination of what varies - workloads, schedulers, devices, sizes, any option, device.NUMBER "
            "or\n"
            "SCHED.PARAMETER - on all cores, and writes one row per point into an SQLite file (gpusim results shows "
            "it).\n"
            "All options of a run fix their value for all points; given several values, separated by commas, they "
            "vary.\n"
            "A sweep that was stopped, even by kill -9, goes on with --resume; a point that fails or crashes is "
            "recorded\n"
            "with its error; when all do, the exit status is 1. Without a spec: --workload, --sched and what varies.\n"
            "With --task, once or more, points are several tasks: --share, task1.KEY (a key of the first --task) and\n"
            "WAY.PARAMETER vary too, and results knows TASK.mean_us, TASK.p99_us and so on.\n",
            "  gpusim sweep --workload all --sched all --vary device=a100-sxm4-40gb,v100 --out speedups.db\n"
            "  gpusim sweep --workload vec --sched serial,kesco --vary size=1e6:1e9:log10 --vary "
            "device.pcie_gbps=16:64:x2\n"
            "  gpusim sweep --workload all --sched serial,kesco --noise --repeat 30 --out noise.db\n"
            "  gpusim sweep --workload img --sched kesco --vary device.launch_us=1:10:logsobol --samples 100 "
            "--dry-run\n"
            "  gpusim sweep --task img,requests=20 --task vec,requests=20 --share mps,timeslice --memory pinned \\\n"
            "    --vary task1.arrival=poisson:50,poisson:100 --repeat 5 --out shares.db\n"
            "  gpusim sweep spec.json --resume --jobs 8 --timeout 60\n"
            "  gpusim sweep spec.json --shard $SLURM_ARRAY_TASK_ID/16 --out part-$SLURM_ARRAY_TASK_ID.db\n"
            "  mpirun -np 64 gpusim sweep spec.json\n",
        },
    [GSIM_CLI_REPRODUCE] =
        {
            "re-derive published results: GrCUDA, KeSCo, ACS, CCKS, mega, XSched, FIKIT, Tally",
            "gpusim reproduce [PAPER] [--only WORD,...] [options]",
            "PAPER is kesco, kesco-effort, grcuda, grcuda-gpus, all (default), acs, ccks, mega, mp, collectives,\n"
            "nccl, xsched, fikit, tally, or a file: a spec of your own (schema gpusim-paper/1).\n"
            "Makes every run behind the published figures (trust/published/: specs, and tables with sources) and\n"
            "prints published against simulated, per workload and as the papers average it, with the error and its\n"
            "sign. Rows marked fit were used to find numbers of the models; the others were not.\n"
            "ccks: where the model finds the one number that CCKS published, a gain of 77 %, by task length,\n"
            "imbalance and link. grcuda-gpus: GrCUDA's programs on 1 to 8 V100 and A100, by hand and under its device\n"
            "policies. mega: persistent kernels and programmatic launches as others measured them. mp: KeSCo's task\n"
            "sets. collectives: what NCCL reaches and costs a kernel beside it; nccl: by message size. kesco-effort:\n"
            "lines and tokens of KeSCo's programs in each scheme.\n",
            "  gpusim reproduce\n"
            "  gpusim reproduce grcuda --only mean-speedup --figure speedups.svg\n"
            "  gpusim reproduce grcuda --only overlap,p100 --per-case\n"
            "  gpusim reproduce kesco --csv kesco.csv --report kesco.json\n"
            "  gpusim reproduce acs --figure acs.svg\n"
            "  gpusim reproduce ./mine.json --csv cells.csv\n"
            "  gpusim reproduce kesco --only average-prefetch --scale fault_total_gbps=0.5\n",
        },
    [GSIM_CLI_CALIBRATE] =
        {
            "make a device file from a probe, recorded runs or profilers' traces",
            "gpusim calibrate [PROBE] [RUNS|TRACES...] -o DEVICE.json [--base NAME|FILE] [options]",
            "Fits a device to what gpusim-runner measured on it: a probe (gpusim-runner probe), recorded runs, or\n"
            "both. Costs, latencies and bandwidths follow from the probe by least squares; gaps and latencies are\n"
            "then refined on the runs recorded to fit, with the simulator as the model, and reported on those kept\n"
            "to test. Each number gets a 95 % interval, its kind and its source; numbers that the data cannot tell\n"
            "are named and stay the base's.\n"
            "Traces (of PyTorch's profiler, gpusim's own, nsys exports) tell what calls cost, starts, gaps, returns\n"
            "and copies where nothing else held them up, with what the profiler adds. A probe or runs go before\n"
            "them.\n",
            "  gpusim-runner probe -o probe.json\n"
            "  gpusim calibrate probe.json --base h200 -o my-gpu.json\n"
            "  gpusim calibrate probe.json runs.json.gz --base h200 -o my-gpu.json --name my-gpu --report fit.json\n"
            "  gpusim calibrate runs.json.gz --fit launch_us,stream_gap_us --folds 5 -o my-gpu.json\n"
            "  gpusim validate runs.json.gz --device ./my-gpu.json --split test\n"
            "  gpusim calibrate pytorch-*.json.gz --base a100-sxm4-40gb -o my-gpu.json\n"
            "  gpusim calibrate --host pytorch.json.gz -o my-host.json\n",
        },
    [GSIM_CLI_SENSITIVITY] =
        {
            "tell which numbers of the device matter for a result",
            "gpusim sensitivity --workload NAME|FILE --sched NAME [--base SCHED] [options]",
            "Runs a program again and again with the device's numbers changed, on all cores, and ranks the numbers by\n"
            "what the time of an iteration does; with --base, the speed-up over that scheduler. oat needs two runs "
            "per\n"
            "number, morris and sobol also see interactions. The same seed gives the same table.\n",
            "  gpusim sensitivity --workload img --sched kesco\n"
            "  gpusim sensitivity --workload vec --sched kesco --base serial -o tornado.svg --csv oat.csv\n"
            "  gpusim sensitivity --workload dl --sched kesco --method sobol --numbers clock_mhz,dram_gbps,launch_us\n"
            "  gpusim sensitivity --workload img --sched kesco --method morris --spread kind\n",
        },
    [GSIM_CLI_RESULTS] =
        {
            "show, group and merge the results of sweeps",
            "gpusim results FILE [options] | gpusim results merge -o FILE FILE...",
            "Lists the rows of a results file, or groups of them. Names are columns (iteration_us, makespan_us, "
            "workload,\n"
            "sched, device, size, seed, sm_busy_ratio, overlap_total, h2d_bytes, status, error, ...; all are\n"
            "below), axes (device.h2d_gbps) and options (kesco.streams). The file is an SQLite database:\n"
            "sqlite3 FILE \"SELECT axes->>'size', iteration_us FROM points\" asks it anything else.\n",
            "  gpusim results results.db\n"
            "  gpusim results results.db --base serial --group sched\n"
            "  gpusim results results.db --base heft --paired --where 'sched in (heft, kesco)'\n"
            "  gpusim results results.db --where 'sched = kesco && size >= 1e7' --group device --value sm_busy_ratio\n"
            "  gpusim results results.db --where 'status != ok' --columns workload,sched,error\n"
            "  gpusim results merge -o all.db part-*.db\n",
        },
    [GSIM_CLI_COMPLETION] =
        {
            "print what a shell needs to complete commands, options and names",
            "gpusim completion bash|zsh",
            "An installation has it already. From a source checkout, where gpusim is on the path:\n",
            "  . <(gpusim completion bash)\n"
            "  gpusim completion zsh > ~/.zsh/functions/_gpusim\n",
        },
    [GSIM_CLI_ABLATE] =
        {
            "tell what each rule of the model is worth",
            "gpusim ablate [DEVICE=]FILE... [--rules A,B,...] [options]",
            "Predicts recorded cases and runs (as gpusim validate does) with every rule of the model and with one of\n"
            "them off at a time: how much the mean absolute error changes, with a 95 % interval by resampling cases\n"
            "in pairs, and how much less time it takes. A rule whose interval excludes zero is marked: + it helps,\n"
            "- it harms. DEVICE= names the device of a file; else --device does, or a file of runs itself; h200 by\n"
            "default. Sets that are kept aside are refused, and the test half of a file of runs is left out.\n",
            "  gpusim ablate traces/h200/vm/dags-later.json.gz\n"
            "  gpusim ablate traces/h200/vm/dags-later.json.gz h100-vm=traces/h100/dags-later.json.gz --csv rules.csv\n"
            "  gpusim ablate traces/h200/vm/dags-unseen.json.gz --rules wave_tails,dispatch_interval --jobs 8\n",
        },
    [GSIM_CLI_EXPLAIN] =
        {
            "tell where the time of a trace or a program goes, cause by cause",
            "gpusim explain TRACE|PROGRAM|WORKLOAD|--task PROGRAM...|--ranks FILE [options]",
            "Replays a profiler's trace, or runs a program, and accounts for every microsecond: the GPU's work, and\n"
            "while the GPU is idle or its SMs are half empty, why the next work had not started: a late host (launch\n"
            "calls, framework, its own work, waiting for a result), work that it depends on and the gap behind that,\n"
            "a hardware queue, no room (of which resource), a busy copy engine, or time that the trace does not\n"
            "explain. The shares add up to the whole. It also lists pairs of streams that could overlap more, with\n"
            "what each is worth, and the critical path by kernel and cause. gpusim report makes a page of the JSON.\n",
            "  gpusim explain trace.json.gz\n"
            "  gpusim explain trace.json.gz --step 3 --json why.json --trace why-trace.json.gz\n"
            "  gpusim explain trace.json.gz --execution-trace et.json --sched cudagraph\n"
            "  gpusim explain img --sched kesco --device h200 --csv -\n"
            "  gpusim explain cholesky --sched heft --node h100-vm-x2 --place round-robin\n"
            "  gpusim explain --task img,requests=5 --task vec,requests=5 --share mps\n",
        },
    [GSIM_CLI_WHATIF] =
        {
            "tell what each change of a program, its host or its GPU would be worth",
            "gpusim whatif TRACE|PROGRAM|WORKLOAD|--task PROGRAM...|--ranks FILE [--change NAME,...] [options]",
            "Simulates a profiler's trace or a program as it is and once for each change, on all cores: captured into "
            "a\n"
            "CUDA graph, without needless synchronisations, on more streams, with priorities, fewer or cheaper "
            "launches,\n"
            "pinned memory, more hardware queues, faster kernels, a faster link, another GPU. Prints the time saved "
            "with\n"
            "its error bar and the command that shows that run alone; then those that help, together. gpusim report "
            "makes\n"
            "a page of the JSON.\n",
            "  gpusim whatif trace.json.gz\n"
            "  gpusim whatif trace.json.gz --execution-trace et.json --change graph,dag,streams=4\n"
            "  gpusim whatif trace.json.gz --change kernel:gemm=1.5x,device=h200 --json whatif.json\n"
            "  gpusim whatif img --sched serial --device h200 -o tornado.svg\n"
            "  gpusim whatif --task img,requests=5 --task vec,requests=5 --share mps --change graph\n",
        },
    [GSIM_CLI_SERVE] =
        {
            "simulate a server of a language model: requests, batches, percentiles",
            "gpusim serve SPEC.json [options]",
            "Serves the requests of a file (schema gpusim-serving/1, docs/serving.md) with the programs of its steps,\n"
            "which are traces or program files, on a simulated GPU. Prints times to the first token and per token,\n"
            "throughput, goodput and where the server's time went. Repeated steps are looked up, not simulated again.\n"
            "Several rates, batching policies or placements of the prefill give a table.\n",
            "  gpusim serve server.json\n"
            "  gpusim serve server.json --report run.json --exact\n"
            "  gpusim serve server.json --arrivals poisson:60 --requests 1000 --batching chunked --opt "
            "chunked.chunk=128\n"
            "  gpusim serve server.json --rate most --within ttft=200ms,tpot=30ms\n"
            "  gpusim serve server.json --rate 20:140:20 --prefill-beside same,stream,urgent --csv load.csv\n",
        },
    [GSIM_CLI_STEP_TIME] =
        {
            "tell how long one step of a server takes",
            "gpusim step SPEC.json KIND SIZE [+ KIND SIZE]... [beside prefill SIZE] | --listen",
            "Prints the time of steps one after the other, alone or beside a prefill on a stream of its own. With "
            "--listen it\n"
            "reads such questions from standard input, one a line, and answers each with microseconds or \"error "
            "TEXT\": an\n"
            "engine's own scheduler can then run on simulated time (docs/serving.md has a client of 30 lines).\n",
            "  gpusim step server.json decode 8\n"
            "  gpusim step server.json decode 8 beside prefill 512\n"
            "  printf 'decode 4\\nprefill 512 + decode 8\\n' | gpusim step server.json --listen\n",
        },
    [GSIM_CLI_SCHEDULE] =
        {
            "write the schedule of a CUDA source or of a PyTorch model's trace",
            "gpusim schedule FILE.cu [FILE...]|TRACE|PROGRAM|WORKLOAD [options]",
            "A serial CUDA source becomes one with streams and events, or a CUDA graph, as a scheduler places its\n"
            "kernels. Other files of its program stand behind it: they are read, and stay as they are.\n"
            "For a trace, with its execution trace or its CUDA graph's edges, it prints the speed-up of a CUDA\n"
            "graph on several streams over one stream, with an interval, and writes the plan: the stream of each\n"
            "kernel and the kernels that it waits for. --python writes code that applies it (docs/schedule.md).\n",
            "  gpusim schedule img.cu --sched kesco -o img_async.cu\n"
            "  gpusim schedule step.cu main.c --run \"4096 100\" --sched kesco --check -o step_async.cu\n"
            "  gpusim schedule trace.json.gz --execution-trace et.json.gz --streams 6 -o plan.json\n"
            "  gpusim schedule trace.json.gz --execution-trace et.json.gz --python plan.py\n"
            "  gpusim schedule graph.json.gz --cuda-graph graph.dot --sched heft -o -\n",
        },
    [GSIM_CLI_RECORD] =
        {
            "record what a CUDA program does on this machine's GPU",
            "gpusim trace [-o FILE] [options] -- PROGRAM [ARGUMENT]...",
            "Runs the program with libgpusim-trace.so in it, whose recording import, explain, whatif, validate and\n"
            "schedule read. It needs no rebuild and no other tool but CUDA's libcupti. Children that use the GPU get\n"
            "files of their own (FILE.PID). What recording costs is measured first. The exit status is the\n"
            "program's (docs/record.md).\n",
            "  gpusim trace -o run.json.gz -- ./program 1024\n"
            "  gpusim trace -o train.json.gz --steps -- python3 train.py\n"
            "  gpusim trace -o part.json.gz --range 2:5 -- ./server\n",
        },
};

/* Where an option means something particular to a command, or takes another word there; else the table's text holds. */
static const struct {
    enum gsim_cli_key key;
    unsigned commands;
    const char *metavar; /* NULL: the table's */
    const char *help;
} particular[] = {
    {GSIM_CLI_DEVICE, GSIM_CLI_ON_SERVING, NULL,
     "the GPU and its host (gpusim list devices; default: that of the\nfirst step which is a trace)"},
    {GSIM_CLI_HOST, GSIM_CLI_ON_ASK | GSIM_CLI_ON_BOTH, "DEVICE|FILE",
     "another host for a trace: a device's, or a file that calibrate\n--host writes; its own time goes as its launch "
     "calls"},
    {GSIM_CLI_HOST, GSIM_CLI_ON_CALIBRATE, "TRACE",
     "what a trace's calls took, in place of a device: a file for\n--host of explain, whatif, --task"},
    {GSIM_CLI_OPT, GSIM_CLI_ON_SERVING, NULL,
     "a batching policy's parameter (POLICY.NAME), gpu.NAME,\ndevice.NAME or rule.NAME=off; may be repeated"},
    {GSIM_CLI_CSV, GSIM_CLI_ON_SERVE, NULL, "write the table as CSV (gpusim plot load draws it)"},
    {GSIM_CLI_LIMIT, GSIM_CLI_ON_COMPARE, "FIGURE=TIME",
     "with --task PROGRAM,copies=FROM:TO: for each way the most copies\nwhose mean, p50 or p99 stays within it, such "
     "as p99=20ms"},
    {GSIM_CLI_WORKLOAD, GSIM_CLI_ON_COMPARE, "A,B,...|all",
     "built-in workloads (gpusim list workloads) and program files,\nseparated by commas (default all)"},
    {GSIM_CLI_WORKLOAD, GSIM_CLI_ON_SWEEP, "A,B,...|all",
     "built-in workloads (gpusim list workloads) and program files,\nseparated by commas"},
    {GSIM_CLI_SHARE, GSIM_CLI_ON_COMPARE, "A,B,...|all",
     "with --task: ways to share the GPU (gpusim list sharing) and\nshared objects, separated by commas (default all)"},
    {GSIM_CLI_SCHED, GSIM_CLI_ON_COMPARE, "A,B,...|all",
     "schedulers (gpusim list schedulers) and shared objects,\nseparated by commas (default all)"},
    {GSIM_CLI_SCHED, GSIM_CLI_ON_SWEEP, "A,B,...|all",
     "schedulers (gpusim list schedulers) and shared objects,\nseparated by commas"},
    {GSIM_CLI_DEVICE, GSIM_CLI_ON_SWEEP, "A,B,...|all",
     "GPUs and their hosts (gpusim list devices), separated by\ncommas (default a100-sxm4-40gb)"},
    {GSIM_CLI_DEVICE, GSIM_CLI_ON_VALIDATE, NULL,
     "the GPU and its host (gpusim list devices; default: the one\nthat recorded runs name, h200 for cases)"},
    {GSIM_CLI_DEVICE, GSIM_CLI_ON_IMPORT, NULL,
     "the GPU whose durations these are (gpusim list devices;\ndefault h200)"},
    {GSIM_CLI_DEVICE, GSIM_CLI_ON_SUBJECT, NULL,
     "the GPU and its host (gpusim list devices; default: a trace's\nGPU or h200, a100-sxm4-40gb for programs)"},
    {GSIM_CLI_SCHED, GSIM_CLI_ON_ASK, NULL,
     "scheduler that issues the work (gpusim list schedulers; default\nasync: the program's own streams)"},
    {GSIM_CLI_REPORT, GSIM_CLI_ON_ASK, NULL, "write the result as JSON; also --json"},
    {GSIM_CLI_CHANGE, GSIM_CLI_ON_EXPLAIN, "A+B...",
     "explain the program with this change (gpusim whatif --help);\nnow: without a change. Both: a repeated iteration"},
    {GSIM_CLI_OUTPUT, GSIM_CLI_ON_WHATIF, "FILE", "draw a tornado: .svg, .pdf or .png; also --out, -o"},
    {GSIM_CLI_CSV, GSIM_CLI_ON_WHATIF, NULL, "write the table as CSV"},
    {GSIM_CLI_OUTPUT, GSIM_CLI_ON_RECORD, "FILE", "the recording (default trace.json.gz); also --out, -o"},
    {GSIM_CLI_SCHED, GSIM_CLI_ON_SCHEDULE, NULL,
     "scheduler that chooses the streams (gpusim list schedulers;\ndefault of a trace: the best of list, kesco, heft)"},
    {GSIM_CLI_OUTPUT, GSIM_CLI_ON_SCHEDULE, NULL,
     "the scheduled CUDA source, or the plan of a trace as JSON; also\n--out, -o"},
    {GSIM_CLI_PLAN, GSIM_CLI_ON_SCHEDULE, NULL, "write the plan as CSV, or JSON if named .json"},
    {GSIM_CLI_SPREAD_RUNS, GSIM_CLI_ON_SCHEDULE, NULL,
     "of a trace: number of copies with other random numbers, which give\nthe interval (default 20)"},
    {GSIM_CLI_PROFILER_OVERHEAD, GSIM_CLI_ON_SUBJECT, NULL,
     "the profiler's own share of the host's time, estimated from\noperators and calls: removed (default) or kept"},
    {GSIM_CLI_CSV, GSIM_CLI_ON_EXPLAIN, NULL, "write the time by state and cause as CSV"},
    {GSIM_CLI_OPT, GSIM_CLI_ON_VALIDATE | GSIM_CLI_ON_ABLATE, NULL,
     "gpu.NAME, device.NAME (gpusim list devices --long) or\nrule.NAME=off (gpusim list rules); may be repeated"},
    {GSIM_CLI_DEVICE, GSIM_CLI_ON_ABLATE, NULL, "device of files without DEVICE= (gpusim list devices; default h200)"},
    {GSIM_CLI_CSV, GSIM_CLI_ON_ABLATE, NULL, "write a line for every rule and quantity, as CSV"},
    {GSIM_CLI_BASE, GSIM_CLI_ON_SENSITIVITY, NULL,
     "the result is the speed-up over this scheduler (default: the\ntime of an iteration)"},
    {GSIM_CLI_BASE, GSIM_CLI_ON_RESULTS, "SCHED|NAME=VALUE", "base of the speed-ups (default: no speed-ups)"},
    {GSIM_CLI_REPORT, GSIM_CLI_ON_COMPARE, NULL, "write the table as JSON"},
    {GSIM_CLI_REPORT, GSIM_CLI_ON_VALIDATE | GSIM_CLI_ON_REPRODUCE, NULL,
     "write the tables and all predictions as JSON"},
    {GSIM_CLI_REPORT, GSIM_CLI_ON_CALIBRATE, NULL, "write the fit as JSON: values, intervals, residuals"},
    {GSIM_CLI_CSV, GSIM_CLI_ON_COMPARE, NULL, "write the table as CSV"},
    {GSIM_CLI_CSV, GSIM_CLI_ON_VALIDATE | GSIM_CLI_ON_REPRODUCE, NULL, "write a line for every prediction, as CSV"},
    {GSIM_CLI_CSV, GSIM_CLI_ON_SENSITIVITY, NULL, "write every number and what it does, as CSV"},
    {GSIM_CLI_CSV, GSIM_CLI_ON_RESULTS, NULL, "write the rows or groups as CSV"},
    {GSIM_CLI_OUTPUT, GSIM_CLI_ON_IMPORT, NULL, "the program file, gzipped if named .gz; also --out, -o"},
    {GSIM_CLI_OUTPUT, GSIM_CLI_ON_CALIBRATE, NULL, "the device file; also --out, -o"},
    {GSIM_CLI_OUTPUT, GSIM_CLI_ON_PAGE, NULL, "the page; also --out, -o"},
    {GSIM_CLI_OUTPUT, GSIM_CLI_ON_PLOT, "FILE", "the picture, .svg, .pdf or .png (default: KIND.svg);\nalso --out, -o"},
    {GSIM_CLI_OUTPUT, GSIM_CLI_ON_SENSITIVITY, "FILE", "draw a tornado: .svg, .pdf or .png; also --out, -o"},
    {GSIM_CLI_NAME, GSIM_CLI_ON_CALIBRATE, NULL, "of the device (default: the file's)"},
    {GSIM_CLI_VALUE, GSIM_CLI_ON_RESULTS, NULL,
     "what the rows and groups are about (default iteration_us, with\n--base speedup)"},
    {GSIM_CLI_SAMPLES, GSIM_CLI_ON_SENSITIVITY, NULL, "places of morris (default 20), base points of sobol (256)"},
    {GSIM_CLI_CONDITION, GSIM_CLI_ON_RESULTS | GSIM_CLI_ON_PLOT, NULL,
     "only rows that meet it: 'size >= 1e6 && sched != serial'; may\nbe repeated"},
    {GSIM_CLI_CONDITION, GSIM_CLI_ON_SWEEP, NULL,
     "only points that meet it: 'size >= 1e6 && sched != serial';\nmay be repeated"},
    {GSIM_CLI_OUT, GSIM_CLI_ON_RESULTS, NULL, "merge: the results file to write; also --output, -o"},
    {GSIM_CLI_RESUME, GSIM_CLI_ON_RESULTS, NULL,
     "merge: into a results file that is there, what it does not\nhave yet"},
    {GSIM_CLI_MIX, GSIM_CLI_ON_RESULTS, NULL, "merge: also results of another version or model"},
};

const char *gsim_cli_usage(enum gsim_cli_command command) { return texts[command].usage; }

const char *gsim_cli_summary(enum gsim_cli_command command) { return texts[command].summary; }

struct gsim_cli_option gsim_cli_option_of(enum gsim_cli_key key, enum gsim_cli_command command)
{
    struct gsim_cli_option option = *gsim_cli_option_at(key);
    for (size_t i = 0; i < sizeof(particular) / sizeof(particular[0]); i++) {
        if (particular[i].key != key || !(particular[i].commands & (1u << command))) continue;
        if (particular[i].metavar) option.metavar = particular[i].metavar;
        option.help = particular[i].help;
    }
    return option;
}

static void put_option(enum gsim_cli_key key, enum gsim_cli_command command, struct gsim_output *output)
{
    char head[64];
    const struct gsim_cli_option option = gsim_cli_option_of(key, command);
    int width = snprintf(head, sizeof(head), "  --%s%s%s", option.name, option.metavar ? " " : "",
                         option.metavar ? option.metavar : "");
    gsim_output_printf(output, "%-*s", HELP_COLUMN, head);
    if (width >= HELP_COLUMN) gsim_output_printf(output, "\n%*s", HELP_COLUMN, "");
    for (const char *line = option.help; *line;) {
        size_t length = strcspn(line, "\n");
        gsim_output_printf(output, "%.*s\n", (int)length, line);
        line += length;
        if (*line) gsim_output_printf(output, "%*s", *++line ? HELP_COLUMN : 0, "");
    }
}

static void put_columns(struct gsim_output *output)
{
    gsim_output_text(output, "\nColumns:\n");
    for (int column = 0; column < GSIM_COLUMN_COUNT; column++) {
        const char *unit = gsim_column_unit((enum gsim_column)column);
        gsim_output_printf(output, "  %-18s %s%s%s%s\n", gsim_column_name((enum gsim_column)column),
                           gsim_column_help((enum gsim_column)column), *unit ? " (" : "", unit, *unit ? ")" : "");
    }
}

void gsim_cli_help_command(enum gsim_cli_command command, struct gsim_output *output)
{
    const struct command_text *text = &texts[command];
    gsim_output_printf(output, "Usage: %s\n\n%s\nOptions:\n", text->usage, text->description);
    for (int key = 0; key < GSIM_CLI_KEY_COUNT; key++) {
        if (gsim_cli_option_at((enum gsim_cli_key)key)->commands & (1u << command))
            put_option((enum gsim_cli_key)key, command, output);
    }
    if (command == GSIM_CLI_RESULTS) put_columns(output);
    gsim_output_printf(output, "\nExamples:\n%s", text->examples);
    gsim_output_text(
        output,
        "\nExit status: 0 done, 1 the simulation or the output failed, 2 bad usage or input, 128 + N stopped by\n"
        "signal N (130: Ctrl-C).\n");
}

void gsim_cli_help_program(struct gsim_output *output)
{
    gsim_output_text(output, "gpusim " GPUSIM_VERSION ": how long will this GPU program take, and why, if its kernels\n"
                             "are scheduled this way on that GPU?\n\nUsage:\n");
    for (int i = 0; i < GSIM_CLI_COMMAND_COUNT; i++) gsim_output_printf(output, "  %s\n", texts[i].usage);
    gsim_output_text(output, "  gpusim COMMAND --help\n  gpusim --version\n\nCommands:\n");
    for (int i = 0; i < GSIM_CLI_COMMAND_COUNT; i++)
        gsim_output_printf(output, "  %-11s %s\n", gsim_cli_command_name(i), texts[i].summary);
    gsim_output_text(output, "\nExamples:\n  gpusim --workload img --sched kesco\n"
                             "  gpusim --workload img --sched kesco --gantt --trace img.json.gz\n"
                             "  gpusim compare --workload img,ml --device v100\n"
                             "  gpusim list schedulers --long\n");
}
