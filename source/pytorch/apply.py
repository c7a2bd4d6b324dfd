# SPDX-License-Identifier: GPL-3.0-or-later
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

AHEAD = 4  # operators looked at ahead of the one that is expected


class Plan(TorchDispatchMode):
    """Runs the operators of one step on the plan's streams; best inside the capture of a CUDA graph:

        graph, plan = torch.cuda.CUDAGraph(), Plan()
        with torch.no_grad(), torch.cuda.graph(graph), plan:
            output = model(*inputs)

    A row is matched by the operator's name and its place. What an operator waits for follows from the tensors that it
    reads and writes, so a row that does not match costs time and never correctness; plan.placed and plan.unplaced
    count them. Tensors are kept until the end: no stream gets memory that another one still uses.
    """

    def __enter__(self):
        main = torch.cuda.current_stream()
        self.streams = [main] + [torch.cuda.Stream() for _ in range(STREAMS - 1)]
        self.row = self.root_end = self.placed = self.unplaced = self.sequence = 0
        self.clocks = [[0] * STREAMS for _ in range(STREAMS)]  # of each stream: up to where it has waited for the others
        self.writers, self.readers, self.kept = {}, {}, []
        self.begin = self._record(0)
        return super().__enter__()

    def __exit__(self, *error):
        for at in range(1, STREAMS):
            if self.clocks[at][at] > self.clocks[0][at]:
                self._wait(0, self._record(at))
        self.writers, self.readers, self.kept = {}, {}, []
        return super().__exit__(*error)

    def _place(self, name):
        """The stream of the next row of that name, -1 where it launched nothing; None: there is no such row."""
        at, end = self.row, self.root_end
        roots = 0
        while at < len(OPERATORS):
            if at >= end:  # a row that stands in no other
                roots += 1
                if roots > AHEAD:
                    return None
                end = at + 1 + OPERATORS[at][1]
            if OPERATORS[at][0] == name:
                self.row, self.root_end = at + 1 + OPERATORS[at][1], end
                return OPERATORS[at][2]
            at += 1
        return None

    def _record(self, at):
        """What STREAM has been given up to now: (order, stream, what it has waited for, event)."""
        self.sequence += 1
        self.clocks[at][at] = self.sequence
        event = torch.cuda.Event()
        event.record(self.streams[at])
        return self.sequence, at, list(self.clocks[at]), event

    def _wait(self, at, record):
        sequence, stream, clock, event = record
        if self.clocks[at][stream] >= sequence:
            return
        self.streams[at].wait_event(event)
        self.clocks[at] = [max(pair) for pair in zip(self.clocks[at], clock)]

    @staticmethod
    def _storages(tree):
        return [t.untyped_storage()._cdata for t in tree_leaves(tree) if isinstance(t, torch.Tensor) and t.is_cuda]

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        schema = func._schema
        at = self._place(schema.name)
        if at is None:
            self.unplaced += 1
            at = 0
        elif at < 0:
            output = func(*args, **kwargs)
            self.kept.append(output)
            return output
        else:
            self.placed += 1
        reads, writes = self._storages((args, kwargs)), []
        for index, argument in enumerate(schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                value = args[index] if index < len(args) else kwargs.get(argument.name)
                writes += self._storages(value)
        waits = [self.begin] + [self.writers[key] for key in reads if key in self.writers]
        for key in writes:
            waits += self.readers.get(key, [])
        for record in sorted(waits, key=lambda r: r[0], reverse=True):
            self._wait(at, record)
        with torch.cuda.stream(self.streams[at]):
            output = func(*args, **kwargs)
        self.kept.append((args, kwargs, output))
        record = self._record(at)
        for key in reads:
            self.readers.setdefault(key, []).append(record)
        for key in writes + [k for k in self._storages(output) if k not in reads]:
            self.writers[key], self.readers[key] = record, []
        return output
