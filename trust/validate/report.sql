-- Predictions against measurements: trust/validate/report.c fills these tables. line() and sections:
-- sim/base/tables/tables.h.

-- @schema
CREATE TABLE quantity (id, quantity, help);
CREATE TABLE model (model, name, summary);
CREATE TABLE about (version, device, model, compares, spread_runs, skipped, unfit, unfit_reason);
CREATE TABLE sample (n INTEGER PRIMARY KEY, subject, kind_id, kind, quantity_id, quantity, predicted, measured, error,
  spread, odd, part, name, file, runs, median_us, low, high, unstable);
CREATE INDEX by_subject ON sample (subject, n);
CREATE TABLE by_model (n, model, us, PRIMARY KEY (n, model)) WITHOUT ROWID;
-- Beside that of the prediction.
CREATE VIEW compared AS SELECT model.* FROM model, about WHERE compares AND model.model <> about.model;
CREATE VIEW model_mean AS SELECT kind_id, quantity_id, model, avg(abs(us / measured - 1)) AS mean
  FROM by_model JOIN sample USING (n) GROUP BY kind_id, quantity_id, model;
-- Intervals: of perturbed copies; predictions count as off beyond 20 %.
CREATE VIEW summary AS SELECT kind_id, quantity_id, kind, quantity, count(*) AS count, avg(abs(error)) AS mean,
  median(abs(error)) AS median, max(abs(error)) AS worst, avg(error) AS bias,
  log_correlation(predicted, measured) AS correlation, avg(spread) AS spread,
  avg(abs(error)) FILTER (WHERE NOT odd) AS mean_even, avg(abs(error)) FILTER (WHERE odd) AS mean_odd,
  count(runs) AS intervals, count(*) FILTER (WHERE runs AND measured BETWEEN low AND high) AS held,
  total(unstable) AS unstable, count(*) FILTER (WHERE runs AND abs(error) > 0.2) AS off,
  total(unstable) FILTER (WHERE abs(error) > 0.2) AS off_unstable, median((high - low) / median_us) AS width
  FROM sample GROUP BY kind_id, quantity_id;
-- Of schedules of one case.
CREATE VIEW ranked AS SELECT kind_id, kind, kendall_tau(predicted, measured) AS tau,
  choice_regret(predicted, measured) AS regret FROM sample WHERE quantity IN ('live', 'serial', 'graph')
  GROUP BY subject HAVING count(*) > 1 AND tau IS NOT NULL;
CREATE VIEW ranking AS SELECT kind_id, kind, count(*) AS count, avg(tau) AS tau, avg(regret) AS regret,
  max(regret) AS regret_worst FROM ranked GROUP BY kind_id;

CREATE TABLE run_about (device, base, skipped, skipped_reason, unchecked);
CREATE TABLE run (n INTEGER PRIMARY KEY, split, scheduler, workload, config, predicted, measured, error, spread,
  replay_us, traced, times, times_worst, sum_us, path_us, name, file);
CREATE INDEX by_config ON run (config, n);
-- SPEED_UP: predicted over measured, less 1, over the base scheduler's run in the same configuration.
CREATE VIEW run_error AS SELECT run.*, measured * (1 + traced) AS traced_us,
  replay_us / (measured * (1 + traced)) - 1 AS replay, base_predicted / predicted AS predicted_ratio,
  base_measured / measured AS measured_ratio,
  iif(n = base_n, NULL, base_predicted / predicted / (base_measured / measured) - 1) AS speed_up
  FROM run LEFT JOIN (SELECT min(n) AS base_n, config, predicted AS base_predicted, measured AS base_measured
    FROM run, run_about WHERE scheduler = base GROUP BY config) USING (config);
CREATE VIEW run_quantity AS SELECT n, 1 AS place, 'makespan' AS quantity, predicted, measured, error FROM run_error
  UNION ALL SELECT n, 2, 'replay', replay_us, traced_us, replay FROM run_error
  UNION ALL SELECT n, 3, 'speed-up', predicted_ratio, measured_ratio, speed_up FROM run_error
  UNION ALL SELECT n, 4, 'times', NULL, NULL, times FROM run_error
  UNION ALL SELECT n, 5, 'times at worst', NULL, NULL, times_worst FROM run_error;
CREATE VIEW choice AS SELECT 0 AS place, 0 AS first, NULL AS scheduler, NULL AS workload
  UNION ALL SELECT 1, min(n), scheduler, NULL FROM run GROUP BY scheduler
  UNION ALL SELECT 2, min(n), NULL, workload FROM run GROUP BY workload;
CREATE VIEW run_line AS SELECT split, place, first, c.scheduler, c.workload, count(*) AS count,
  avg(abs(error)) AS mean, median(abs(error)) AS median, max(abs(error)) AS worst, avg(error) AS bias,
  avg(spread) AS spread, count(speed_up) AS speed_ups, avg(abs(speed_up)) AS speed_up_mean,
  max(abs(speed_up)) AS speed_up_worst, count(replay) AS replays, avg(abs(replay)) AS replay_mean,
  max(abs(replay)) AS replay_worst, avg(times) AS times, avg(traced) AS traced,
  avg(abs(sum_us / measured - 1)) AS sum_mean, avg(abs(path_us / measured - 1)) AS path_mean
  FROM run_error r JOIN choice c ON place = 0 OR c.scheduler = r.scheduler OR c.workload = r.workload
  GROUP BY split, place, first;
-- Clear pairs: measured times further apart than both their spreads.
CREATE VIEW run_pair AS SELECT a.split AS split, b.split AS other, a.config, (a.measured - b.measured) *
  (a.predicted - b.predicted) AS product FROM run a JOIN run b ON a.config = b.config AND a.n < b.n
  WHERE abs(a.measured - b.measured) > a.spread * a.measured + b.spread * b.measured;
CREATE VIEW run_ranking AS SELECT split, count(*) AS count, avg(tau) AS tau, avg(regret) AS regret,
  max(regret) AS regret_worst, (SELECT avg((product > 0) - (product < 0)) FROM run_pair p
    WHERE p.split = r.split AND p.other = r.split) AS tau_clear
  FROM (SELECT split, kendall_tau(predicted, measured) AS tau, choice_regret(predicted, measured) AS regret FROM run
    GROUP BY split, config HAVING count(*) > 1) r GROUP BY split;

CREATE TABLE trace_about (device, scheduler);
CREATE TABLE trace (n INTEGER PRIMARY KEY, file, gpu, notes, ops, repairs, measured, predicted, error, mean, worst,
  compared, missing);
CREATE TABLE stream (trace, stream, ops, measured, predicted);
CREATE TABLE op (trace, stream, name, start, finish, predicted_start, predicted_end);
CREATE INDEX by_trace ON stream (trace);
CREATE INDEX of_trace ON op (trace);
CREATE VIEW trace_quantity AS SELECT n, 0 AS place, 0 AS at, 'makespan' AS quantity, predicted, measured, error,
    0 AS stream, '' AS name FROM trace
  UNION ALL SELECT n, 1, 0, 'times', NULL, NULL, mean, 0, '' FROM trace
  UNION ALL SELECT n, 2, 0, 'times at worst', NULL, NULL, worst, 0, '' FROM trace
  UNION ALL SELECT trace, 3, rowid, 'stream busy', predicted, measured, predicted / measured - 1, stream, '' FROM stream
  UNION ALL SELECT n, 4, op.rowid, 'start', predicted_start, start, (predicted_start - start) / measured, stream, name
    FROM op JOIN trace ON n = trace
  UNION ALL SELECT n, 4, op.rowid, 'end', predicted_end, finish, (predicted_end - finish) / measured, stream, name
    FROM op JOIN trace ON n = trace;

CREATE TABLE other_about (file, device, there, kernels, unmatched, per_case);
CREATE TABLE timed (here, predicted, low, high, there, name);
CREATE TABLE law (what, kernels, mean, median, worst, bias, held, mean_left_out, worst_left_out, held_left_out, as_is,
  gain, gain_low, gain_high);
CREATE TABLE law_sum (what, there, predicted, low, high, here);
CREATE TABLE service_about (device, slack, per_case);
CREATE TABLE shared (file, pair, service, way_id, way, predicted, measured, predicted_p90, measured_p90);
CREATE TABLE ranged (way, service, beside, rate, measured, low, high, is_in);
CREATE VIEW shared_error AS SELECT *, rowid AS n, char(97 + service) AS letter, predicted / measured - 1 AS error
  FROM shared;

-- @table
SELECT line('%-32s%-40s%8s%16s%s\n', '', ' error of the prediction, in %', 'own', 'mean of half',
  iif(compares, '          mean of the model', '')) FROM about;
SELECT line('%-9s%-18s%5s%8s%8s%8s%8s%8s%8s%9s%7s%s\n', 'kind', 'quantity', 'n', 'mean', 'median', 'worst', 'bias',
  'corr.', 'spread', 'even', 'odd', (SELECT group_concat(line('%10s', name), '') FROM compared));
SELECT line('%-9s%-18s%5d%8P%8P%8P%+8P%8.4f%8P%9P%7P%s\n', kind, quantity, count, mean, median, worst, bias,
  correlation, spread, mean_even, mean_odd, (SELECT group_concat(line('%10P', m.mean), '') FROM compared c
    LEFT JOIN model_mean m ON m.model = c.model AND m.kind_id = s.kind_id AND m.quantity_id = s.quantity_id))
  FROM summary s ORDER BY kind_id, quantity_id;

-- @about
SELECT '
Which of serial, live, graph is faster:
' FROM ranking LIMIT 1;
SELECT line('  %-8s %3d DAGs, Kendall''s tau %.3f on average; following the prediction costs %.2f %% on average, '
  || '%.2f %% at worst\n', kind, count, tau, 100 * regret, 100 * regret_worst) FROM ranking ORDER BY kind_id;
SELECT line('\nWhat was measured, and the 90 %% intervals of %d perturbed copies:\n'
  || '%-9s%-18s%5s%8s%14s%10s%20s\n', spread_runs, 'kind', 'quantity', 'n', 'held', 'median width', 'unstable',
  'of those >20 % off') FROM about WHERE spread_runs;
SELECT line('%-9s%-18s%5d%6.1f %%%12.2f %%%10d%13d of %d\n', kind, quantity, intervals, 100.0 * held / intervals,
  100 * width, unstable, off_unstable, off) FROM summary, about WHERE spread_runs AND intervals
  ORDER BY kind_id, quantity_id;
SELECT line('\n%d cases left out: their second kernel''s launch time is not recorded.\n', skipped) FROM about
  WHERE skipped;
SELECT line('\n%d cases left out: a kernel of theirs cannot run on %s; the first: %s.\n', unfit, device, unfit_reason)
  FROM about WHERE unfit;
SELECT line('\n');
SELECT line('  %-17s %s\n', quantity, help) FROM quantity WHERE id IN (SELECT quantity_id FROM sample) ORDER BY id;
SELECT '  aten: issued by PyTorch. Host times per op, stream, event and synchronise are the file''s "host",
  else those of another H200 host.
' FROM sample WHERE kind = 'aten' LIMIT 1;
SELECT '  mean, median, worst are of absolute errors, bias is the mean signed one; corr. is Pearson''s, of
  logarithms; own spread is half the range of the repeated measurements over their median, which for
  kernels released together includes the chance of which comes first.
';
SELECT line('  %-17s %s\n', name, summary) FROM compared;

-- @cases
SELECT line('%-9s%-18s%14s%14s%9s%9s  %s\n', 'kind', 'quantity', 'predicted', 'measured', 'error %', 'spread', 'case');
SELECT line('%-9s%-18s%14.3f%14.3f%+9P%9P  %s%s%s\n', kind, quantity, predicted, measured, error, spread, name,
  iif(quantity IN ('own durations', 'blocks per SM'), iif(part, ' (second)', ' (first)'), ''),
  iif(runs, line('  %.3f to %.3f%s', low, high, iif(unstable, ', unstable', '')), '')) FROM sample ORDER BY n;
SELECT line('\n');

-- @csv
SELECT line('kind,quantity,predicted,measured,error,spread%s,half,part,case,file%s\n',
  (SELECT group_concat(line(',%s_us', name), '') FROM model WHERE model),
  iif(spread_runs, ',copies_median_us,low_us,high_us,unstable', '')) FROM about;
SELECT line('%c,%c,%R,%R,%R,%R%s,%s,%d,%c,%c%s\n', kind, quantity, predicted, measured, error, spread,
  (SELECT group_concat(line(',%R', us), '') FROM model m LEFT JOIN by_model b ON b.n = s.n AND b.model = m.model
    WHERE m.model), iif(odd, 'odd', 'even'), part, name, file,
  iif(NOT spread_runs, '', iif(runs, line(',%R,%R,%R,%d', median_us, low, high, unstable), ',,,,')))
  FROM sample s, about ORDER BY s.n;

-- @json
SELECT line('{"schema": "gpusim-validation/1", "version": "%s", "device": %q, "skipped": %d, "unfit": %d,\n "rows": [',
  version, device, skipped, unfit) FROM about;
-- @json_rows
SELECT line('\n  {"kind": "%s", "quantity": %q, "count": %d, "mean": %r, "median": %r, "worst": %r, "bias": %r, '
  || '"log_correlation": %r, "spread": %r, "mean_even": %r, "mean_odd": %r%s%s}', kind, quantity, count, mean, median,
  worst, bias, correlation, spread, mean_even, mean_odd,
  (SELECT group_concat(line(', "mean_%s": %r', name, m.mean), '') FROM compared c
    LEFT JOIN model_mean m ON m.model = c.model AND m.kind_id = s.kind_id AND m.quantity_id = s.quantity_id),
  iif(intervals, line(', "interval": {"runs": %d, "count": %d, "held": %d, "median_width": %r, "unstable": %d, '
    || '"off": %d, "off_unstable": %d}', spread_runs, intervals, held, width, unstable, off, off_unstable), '')), ','
  FROM summary s, about ORDER BY kind_id, quantity_id;
-- @json_rankings
SELECT line('],\n "rankings": [');
SELECT line('\n  {"kind": "%s", "count": %d, "kendall_tau": %r, "regret_mean": %r, "regret_worst": %r}', kind, count,
  tau, regret, regret_worst), ',' FROM ranking ORDER BY kind_id;
-- @json_end
SELECT ']';

-- @run_table
SELECT line('%-25s%-32s%8s%17s%17s%10s%8s\n', '', '  error of the prediction, in %', 'own', 'speed-up', 'replay',
  'times', 'tracer');
SELECT line('%-6s%-14s%5s%8s%8s%8s%8s%8s%9s%8s%9s%8s%10s%8s\n', 'split', 'of', 'n', 'mean', 'median', 'worst', 'bias',
  'spread', 'mean', 'worst', 'mean', 'worst', 'mean', 'mean');
SELECT line('%-6s%-14.13s%5d%8P%8P%8P%+8P%8P%9P%8P%9P%8P%10P%+8P\n', split, coalesce(scheduler, workload, 'all runs'),
  count, mean, median, worst, bias, spread, speed_up_mean, speed_up_worst, replay_mean, replay_worst, times, traced)
  FROM run_line ORDER BY split DESC, place, first;
SELECT line('%s%-5s %d configurations, Kendall''s tau over schedulers %.3f on average, %.3f over clear pairs;\n'
  || '      following the prediction costs %.2f %% on average, %.2f %% at worst\n', iif(split = 'fit', '', char(10)),
  split, count, tau, tau_clear, 100 * regret, 100 * regret_worst) FROM run_ranking ORDER BY split DESC;

-- @runs
SELECT line('%-6s%-11s%14s%14s%9s%9s%9s%9s  %s\n', 'split', 'scheduler', 'predicted us', 'measured us', 'error %',
  'spread', 'replay %', 'times %', 'run');
SELECT line('%-6s%-11.10s%14.3f%14.3f%+9P%9P%+9P%9P  %s\n', split, scheduler, predicted, measured, error, spread,
  replay, times, name) FROM run_error ORDER BY n;
SELECT line('\n');

-- @run_title
SELECT line('Runs of gpusim-runner, predicted on %s:\n', device) FROM run_about;
-- @run_about
SELECT line('%s  simpler models, %s runs: kernels'' times alone added up %.2f %% off on average,\n'
  || '  the longest path of dependent ones %.2f %%, gpusim %.2f %%\n', iif(split = 'fit', '', char(10)), split,
  100 * sum_mean, 100 * path_mean, 100 * mean) FROM run_line WHERE place = 0 ORDER BY split DESC;
SELECT line('\n%d runs left out; the first: %s.\n', skipped, skipped_reason) FROM run_about WHERE skipped;
SELECT line('\n%d of these runs were recorded without checking their results.\n', unchecked) FROM run_about
  WHERE unchecked;
SELECT line('
  mean, median, worst of the absolute error of the predicted time of an iteration, bias its signed mean;
  own spread: half of what lies between the 5 %% and 95 %% quantiles of the repetitions, over their median.
  speed-up over %s: error of the ratio. replay: the traced iteration, predicted from its own streams, order
  and host times (not of graphs), with the tracer''s own cost. times: mean deviation of the starts and ends of
  kernels and copies, as a share of the traced iteration. tracer: by how much tracing lengthens an iteration.
  clear pairs: measured times further apart than both their spreads.
', base) FROM run_about;

-- @run_csv
SELECT line('%c,%s,%R,%R,%R,%R%s,%s,0,%c,%c\n', scheduler, quantity, q.predicted, q.measured, q.error, spread,
  (SELECT group_concat('', ',') || ',' FROM model WHERE model), split, name, file)
  FROM run_quantity q JOIN run USING (n) WHERE q.error IS NOT NULL ORDER BY n, place;

-- @run_json
SELECT line('{"device": %q, "base": %q, "count": %d, "skipped": %d, "unchecked": %d,\n  "rows": [', device, base,
  (SELECT count(*) FROM run), skipped, unchecked) FROM run_about;
SELECT line('\n   {"split": "%s"%s%s, "count": %d, "mean": %r, "median": %r, "worst": %r, "bias": %r, "spread": %r, '
  || '"speedup_mean": %r, "speedup_worst": %r, "replay_mean": %r, "replay_worst": %r, "times_mean": %r, "tracer": %r}',
  split, iif(scheduler IS NULL, '', line(', "scheduler": %q', scheduler)),
  iif(workload IS NULL, '', line(', "workload": %q', workload)), count, mean, median, worst, bias, spread,
  speed_up_mean, speed_up_worst, replay_mean, replay_worst, times, traced), ','
  FROM run_line ORDER BY split DESC, place, first;
SELECT line('],\n  "rankings": [');
SELECT line('\n   {"split": "%s", "count": %d, "kendall_tau": %r, "tau_of_clear_pairs": %r, "regret_mean": %r, '
  || '"regret_worst": %r}', split, count, tau, tau_clear, regret, regret_worst), ',' FROM run_ranking ORDER BY split;
SELECT ']}';

-- @traces
SELECT line('Traces, replayed by %s on %s:\n%-30s%8s%9s%14s%14s%9s%17s\n%-30s%8s%9s%14s%14s%9s%9s%8s\n', scheduler,
  device, '', '', '', 'measured', 'predicted', '', 'times off by %', 'trace', 'ops', 'repairs', 'us', 'us', 'error %',
  'mean', 'worst') FROM trace_about;
-- Of a longer name ranks and steps stand at the end.
SELECT line('%-30s%8d%9d%14.3f%14.3f%+9P%9P%8P\n%s%s', iif(length(file) <= 30, file, substr(file, 1, 10) || '..' ||
  substr(file, -18)), ops, repairs, measured, predicted, error, mean, worst,
  (SELECT group_concat(line('    stream %-6d busy       %8d%9s%14.3f%14.3f%+9P\n', stream, ops, '', measured, predicted,
    predicted / measured - 1), '') FROM stream WHERE trace = n),
  iif(notes = '', '', '    note: ' || replace(rtrim(notes, char(10)), char(10), char(10) || '    note: ') || char(10)))
  FROM trace ORDER BY n;
SELECT '
  measured, predicted: first launch call to last end, then each stream''s kernels and copies added up. times:
  how far kernels'' and copies'' starts and ends are off, counted from the first launch, as a share of all the time.
  Kernels have the trace''s durations, overlapping kernels solo times that reproduce these (--alone):
  this tests queues, launch costs, gaps, waits, the host''s time and copies, and not how long a kernel
  takes. repairs: impossible records that were corrected.
';

-- @trace_ops
SELECT line('%14s%14s%14s%14s%9s%9s%8s  %s\n', 'start us', 'predicted', 'end us', 'predicted', 'start %', 'end %',
  'stream', 'kernel or copy');
SELECT line('%s%s', iif((SELECT count(*) FROM trace) > 1, file || char(10), ''),
  (SELECT group_concat(line('%14.3f%14.3f%14.3f%14.3f%+9P%+9P%8d  %s\n', start, predicted_start, finish, predicted_end,
    (predicted_start - start) / measured, (predicted_end - finish) / measured, stream, name), '') FROM op
    WHERE trace = n)) FROM trace ORDER BY n;
SELECT line('\n');

-- @trace_csv
SELECT line('trace,%s,%R,%R,%R,%s,,%d,%c,%c\n', quantity, q.predicted, q.measured, q.error,
  (SELECT group_concat('', ',') || ',' FROM model WHERE model), stream, name, file)
  FROM trace_quantity q JOIN trace USING (n) WHERE q.error IS NOT NULL ORDER BY n, place, at, quantity DESC;

-- @trace_json
SELECT line('{"device": %q, "scheduler": %q,\n  "rows": [', device, scheduler) FROM trace_about;
SELECT line('\n   {"file": %q, "gpu": %q, "ops": %d, "repairs": %d, "measured_us": %r, "predicted_us": %r, '
  || '"error": %r, "times_mean": %r, "times_worst": %r, "compared": %d, "missing": %d,\n    "streams": [%s]%s}', file,
  gpu, ops, repairs, measured, predicted, error, mean, worst, compared, missing,
  (SELECT group_concat(line('{"stream": %d, "ops": %d, "measured_us": %r, "predicted_us": %r}', stream, ops, measured,
    predicted), ', ') FROM stream WHERE trace = n),
  (SELECT line(',\n    "timeline": [%s]', group_concat(line('\n     {"stream": %d, "name": %q, "start_us": %r, '
    || '"end_us": %r, "predicted_start_us": %r, "predicted_end_us": %r}', stream, name, start, finish, predicted_start,
    predicted_end), ',')) FROM op WHERE trace = n GROUP BY trace)), ',' FROM trace ORDER BY n;
SELECT ']}';

-- @shared
SELECT line('  %3d %s  %-24s %12.1f %12.1f %+8.2f %%\n', pair, letter, way, predicted, measured, 100 * error)
  FROM shared_error, service_about WHERE per_case ORDER BY n;
SELECT line('Services that share a GPU: median request, error of the prediction on %s\n  %-24s %8s %8s %8s %8s\n',
  device, 'way', 'services', 'mean', 'median', 'worst') FROM service_about;
SELECT line('  %-24s %8d %6.2f %% %6.2f %% %6.2f %%\n', way, count(*), 100 * avg(size),
  100 * max(size) FILTER (WHERE place = count / 2 + 1), 100 * max(size))
  FROM (SELECT *, row_number() OVER (PARTITION BY way_id ORDER BY size) AS place,
      count(*) OVER (PARTITION BY way_id) AS count
    FROM (SELECT way_id, way, abs(error) AS size FROM shared_error)) GROUP BY way_id;

-- @shared_csv
SELECT line('file,pair,service,way,predicted_us,measured_us,predicted_p90_us,measured_p90_us,error\n');
SELECT line('%c,%d,%s,%s,%.3f,%.3f,%.3f,%.3f,%.6f\n', file, pair, letter, way, predicted, measured, predicted_p90,
  measured_p90, error) FROM shared_error ORDER BY n;

-- @ranged
SELECT line('PyTorch services that share a GPU: median request, and the range that their hosts'' times give, on %s\n'
  || '  %-18s %-12s %-12s %8s %10s %10s %10s\n', device, 'way', 'service', 'beside', 'per s', 'measured', 'from us',
  'to us') FROM service_about;
SELECT line('  %-18s %-12s %-12s %8g %10.0f %10.0f %10.0f  %s\n', way, service, beside, rate, measured, low, high,
  iif(is_in, 'in', 'out')) FROM ranged;
SELECT line('  in the range: %d of %d (within %g %% of its ends)\n', (SELECT total(is_in) FROM ranged),
  (SELECT count(*) FROM ranged), 100 * slack) FROM service_about;

-- @ranged_csv
SELECT line('way,service,beside,per_s,measured_us,low_us,high_us,in\n');
SELECT line('%s,%s,%s,%g,%.1f,%.1f,%.1f,%s\n', way, service, beside, rate, measured, low, high,
  iif(is_in, 'in', 'out')) FROM ranged;

-- @other_head
SELECT line('%d kernels of %s, timed on %s, predicted on %s%s\nlaw: as shipped; left out: its numbers found anew '
  || 'without kernels of that name;\nin: kernels within the interval\n\n%soff by, in %%          law             '
  || '               left out             as it is   gain [95 %%]\n'
  || '            kernels   mean median  worst   bias  in    mean  worst  in\n', kernels, file, device, there,
  iif(unmatched, line('; %d more were timed on one of them alone', unmatched), ''),
  iif(per_case, line('    us here  predicted        low       high   us there\n'), '')) FROM other_about;

-- @other
SELECT line('%11.3f%11.3f%11.3f%11.3f%11.3f %.44s\n', here, predicted, low, high, there, name) FROM timed;
SELECT line('%-11s%8d%7P%7P%7P%+7P%4d%8P%7P%4d%8P%+7P [%+P, %+P]\n', what, kernels, mean, median, worst, bias, held,
  mean_left_out, worst_left_out, held_left_out, as_is, gain, gain_low, gain_high) FROM law;
SELECT line('  %s: %.1f us there, %.1f predicted, %.1f to %.1f (%+P %%), %.1f here (%+P %%)\n', what, there,
  predicted, low, high, predicted / there - 1, here, here / there - 1) FROM law_sum;
