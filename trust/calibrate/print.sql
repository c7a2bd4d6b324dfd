-- A calibration: trust/calibrate/print.c fills these tables. line() and sections: sim/base/tables/tables.h. Fields of
-- the JSON file are contracts.

-- @schema
CREATE TABLE about (version, device, title, base, runs, skipped, refined, converged, iterations, folds);
CREATE TABLE number (n INTEGER PRIMARY KEY, name, unit, base, value, low, high, kind, source, named, touched,
  undetermined, prior, at_bound);
CREATE TABLE pair (a, b, correlation);
CREATE TABLE residual (series, points, rms, worst, left_out);
CREATE TABLE error (split, place, key, count, mean, median, worst, bias);
CREATE TABLE warning (warning);
-- Names that a heading lists, and the lists in lines of at most 100 letters.
CREATE VIEW listed AS SELECT place, heading, name, row_number() OVER (PARTITION BY place ORDER BY n) AS i
  FROM number JOIN (SELECT 1 AS place, 'Not determined by the data one by one, only together with others (near the '
      || 'base where that leaves room):' AS heading
    UNION ALL SELECT 2, 'Refined near the probe''s values; how near is what their intervals say, as the runs alone '
      || 'tell less:'
    UNION ALL SELECT 3, 'Not seen in the data, kept from the base:')
  ON CASE place WHEN 1 THEN undetermined WHEN 2 THEN prior ELSE NOT touched END;
CREATE VIEW paragraph AS WITH RECURSIVE so_far (place, i, used, text) AS (
    SELECT place, 1, 2 + length(name), line('\n%s\n  %s', heading, name) FROM listed WHERE i = 1
    UNION ALL SELECT l.place, l.i, iif(used + length(name) > 98, 2, used + 2) + length(name), text ||
      iif(used + length(name) > 98, line(',\n  '), ', ') || name
    FROM so_far s JOIN listed l ON l.place = s.place AND l.i = s.i + 1)
  SELECT place, text, max(i) AS last FROM so_far GROUP BY place;

-- @text
SELECT line('%s (%s), from the base %s\n\n%-32s%10s%11s %-5s %-20s%-9s%s\n', device, title, base, 'number', 'base',
  'now', '', '95 % interval', 'kind', 'from') FROM about;
SELECT line('%-32s%10.5g%11.5g %-5s %-20s%-9s%s%s\n', name, base, value, unit,
  iif(low IS NULL, '-', line('%.4g .. %.4g', low, high)), kind, named,
  iif(undetermined, ' (not determined)', iif(at_bound, ' (at the end of its range)', ''))) FROM number
  WHERE touched ORDER BY n;
SELECT line('%s\n', text) FROM paragraph ORDER BY place;
SELECT line('%s  %s and %s: correlation %+.3f\n', iif(rowid = 1, line('\nFitted together, told apart badly:\n'), ''), a,
  b, correlation) FROM pair ORDER BY rowid;
-- One of fewer points is met by construction, or nearly.
SELECT line('\n%-24s%8s%10s%10s%12s\n', 'Curves of the probe, in %', 'points', 'rms', 'worst', 'left out') FROM residual
  WHERE points > 1 LIMIT 1;
SELECT line('%-24s%8d%10.2f%10.2f%12.2f\n', series, points, 100 * rms, 100 * worst, 100 * left_out) FROM residual
  WHERE points > 1 ORDER BY rowid;
SELECT line('\nRecorded runs, error of the predicted time of an iteration, in %%:\n  %-6s%5s%34s%34s\n'
  || '  %-6s%5s%10s%8s%8s%8s%10s%8s%8s%8s\n', '', '', 'before the refinement', 'after', 'split', 'n', 'mean', 'median',
  'worst', 'bias', 'mean', 'median', 'worst', 'bias') FROM about WHERE runs;
SELECT line('  %-6s%5d%10.2f%8.2f%8.2f%+8.2f%10.2f%8.2f%8.2f%+8.2f\n', a.split, a.count, 100 * a.mean, 100 * a.median,
  100 * a.worst, 100 * a.bias, 100 * b.mean, 100 * b.median, 100 * b.worst, 100 * b.bias)
  FROM error a JOIN error b ON b.split = a.split AND a.place = 0 AND b.place = 1, about WHERE runs AND a.count
  ORDER BY a.rowid;
SELECT line('  %d-fold cross-validation over configurations: %.2f %% on average and %.2f %% at worst where left out\n',
  folds, 100 * mean, 100 * worst) FROM error, about WHERE key = 'left_out' AND runs AND folds;
SELECT line('  %s after %d iterations\n', iif(converged, 'converged', 'stopped'), iterations) FROM about
  WHERE runs AND refined;
SELECT line('  %d runs left out: they cannot be predicted\n', skipped) FROM about WHERE runs AND skipped;
SELECT line('%sWarning: %s\n', iif(rowid = 1, char(10), ''), warning) FROM warning ORDER BY rowid;

-- @json
SELECT line('{"schema": "gpusim-calibration/1", "version": "%s", "device": %q, "base": %q,\n "numbers": [', version,
  device, base) FROM about;
SELECT line('\n  {"name": "%s", "base": %.9r, "value": %.9r, "low": %.9r, "high": %.9r, "unit": "%s", "kind": "%s", '
  || '"touched": %s, "determined": %s, "prior": %s, "at_bound": %s, "source": %q}', name, base, value, low, high, unit,
  kind, iif(touched, 'true', 'false'), iif(undetermined, 'false', iif(touched, 'true', 'null')),
  iif(prior, 'true', 'false'), iif(at_bound, 'true', 'false'), source), ',' FROM number ORDER BY n;
SELECT line('],\n "correlated": [');
SELECT line('\n  {"a": "%s", "b": "%s", "correlation": %.9r}', a, b, correlation), ',' FROM pair ORDER BY rowid;
SELECT line('],\n "residuals": [');
SELECT line('\n  {"series": %q, "points": %d, "rms": %.9r, "worst": %.9r, "left_out": %.9r}', series, points, rms,
  worst, left_out), ',' FROM residual ORDER BY rowid;
SELECT line('],\n "runs": {"count": %d, "skipped": %d, "refined": %s, "converged": %s, "iterations": %d, "folds": %d',
  runs, skipped, iif(refined, 'true', 'false'), iif(converged, 'true', 'false'), iterations, folds) FROM about;
SELECT line(', "%s": {"count": %d, "mean": %.9r, "median": %.9r, "worst": %.9r, "bias": %.9r}', key, count, mean,
  median, worst, bias) FROM error ORDER BY rowid;
SELECT line('},\n "warnings": [');
SELECT line('%q', warning), ', ' FROM warning ORDER BY rowid;
SELECT line(']}\n');
