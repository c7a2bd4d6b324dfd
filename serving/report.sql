-- What a server did: serving/report.c fills these tables. line() and sections: sim/base/tables/tables.h.

-- @schema
CREATE TABLE about (version, name, device, gpus, batching, beside, is_same, slots, replicas, router, seed, host, moved,
  left_out, has_limits, limit_tokens, has_blocks, has_profile, exact, simulations, lookups, interpolation_error);
CREATE TABLE result (requests, span_us, requests_per_s, tokens_per_s, prompt_tokens_per_s, goodput_per_s, good, named,
  kept, preemptions, cache_most, cache_mean, both_us, host_us, waiting_us);
CREATE TABLE note (note);
CREATE TABLE step (kind, count, us);
CREATE TABLE figure (measured, id, field, text, count, mean, p50, p90, p95, p99);
CREATE VIEW spent AS SELECT rowid AS place, kind AS what, count, us FROM step WHERE count
  UNION ALL SELECT 97, 'decode beside a prefill', '', both_us FROM result WHERE both_us > 0
  UNION ALL SELECT 98, 'host between steps', '', host_us FROM result
  UNION ALL SELECT 99, 'no request', '', waiting_us FROM result;

-- @text
SELECT line('%s on %s%s, batching %s, %d slots, prefill %s, seed %s\n\n', name, iif(gpus > 1, gpus || ' x ', ''),
  device, batching, slots, iif(is_same, 'between decode steps', beside), seed) FROM about;
SELECT line('  Requests     %N in %T, %.4g per s\n', requests, span_us, requests_per_s) FROM result;
SELECT line('  Replicas     %d, requests %s\n', replicas, router) FROM about WHERE replicas > 1;
SELECT line('  Host         %s\n', coalesce(host, 'none named (--host): calls as the device has them, no noise'))
  FROM about;
SELECT line('  Steps were   %s\n', moved) FROM about WHERE moved IS NOT NULL;
SELECT line('  Note         %s\n', note) FROM note;
SELECT line('  Left out     %N requests of the file, without a token of output\n', left_out)
  FROM about WHERE left_out;
SELECT line('  Tokens       %.5g per s produced, %.5g per s of prompts\n', tokens_per_s, prompt_tokens_per_s)
  FROM result;
SELECT line('  Goodput      %.4g requests per s within the limits, %.1f %% of all\n', goodput_per_s,
  100.0 * good / requests) FROM result, about WHERE has_limits;
SELECT line('  Cache        %.0f tokens at most, %.0f on average, of %.0f; %d preemptions\n', cache_most, cache_mean,
  limit_tokens, preemptions) FROM result, about WHERE cache_most > 0 AND limit_tokens > 0;
SELECT line('  Prefixes     %.1f %% of the prompts'' tokens were there (hash_ids: blocks of 512)\n',
  100.0 * kept / named) FROM result WHERE named;
SELECT line('  Prefixes     none kept: each prompt is computed whole (hash_ids are not used)\n') FROM result, about
  WHERE has_blocks AND NOT named;
SELECT line('  Steps        mixed, from the profile''s tables, on no simulated GPU\n') FROM about WHERE has_profile;
SELECT line('  Steps        %N looked up in %N simulations (--exact: none is looked up)\n', lookups, simulations)
  FROM about WHERE NOT has_profile AND NOT exact;
SELECT line('  Between      a bucket left out is %.1f %% off at most when interpolated\n', 100 * interpolation_error)
  FROM about WHERE interpolation_error IS NOT NULL;
SELECT line('\n                              mean         p50         p90         p95         p99\n');
SELECT line('  %-20s %11T %11T %11T %11T %11T\n', text, mean, p50, p90, p95, p99) FROM figure WHERE NOT measured
  ORDER BY id;
SELECT line('\n  Measured, and how far the prediction is off\n') FROM figure WHERE measured LIMIT 1;
SELECT line('  %-20s %11T %11T %11T %11T %11T\n  %-20s %+9.1f %% %+9.1f %% %+9.1f %% %+9.1f %% %+9.1f %%\n', m.text,
  m.mean, m.p50, m.p90, m.p95, m.p99, '', 100 * (f.mean / m.mean - 1), 100 * (f.p50 / m.p50 - 1),
  100 * (f.p90 / m.p90 - 1), 100 * (f.p95 / m.p95 - 1), 100 * (f.p99 / m.p99 - 1))
  FROM figure m JOIN figure f ON f.id = m.id AND m.measured AND NOT f.measured
  WHERE m.field IN ('ttft_us', 'tpot_us', 'e2e_us') ORDER BY m.id;
SELECT line('\n  The server''s time                count          total   share\n');
SELECT line('  %-28s %9s %14T  %5.1f %%\n', what, count, us, 100 * us / (both_us + waiting_us + host_us +
  (SELECT total(us) FROM step))) FROM spent, result ORDER BY place;

-- @json
SELECT line('{"schema": "gpusim-serving-report/1", "version": "%s", "name": %q, "device": %q, "gpus": %d, '
  || '"batching": %q, "prefill_beside": "%s", "slots": %d, "replicas": %d, "router": "%s", "seed": %s, "host": %q, '
  || '"exact": %s,\n "count": %d, "left_out": %d, "simulations": %d, "lookups": %d, "preemptions": %d, '
  || '"prefix_tokens": %d, "interpolation_error": %r, "requests_per_s": %r, "tokens_per_s": %r, '
  || '"prompt_tokens_per_s": %r, "goodput_per_s": %r,\n "time_us": {"beside": %r', version, name, device, gpus,
  batching, beside, slots, replicas, router, seed, coalesce(host, 'none'), iif(exact, 'true', 'false'), requests,
  left_out, simulations, lookups, preemptions, kept, interpolation_error, requests_per_s, tokens_per_s,
  prompt_tokens_per_s, goodput_per_s, both_us) FROM about, result;
SELECT line(', "%s": %r', kind, us) FROM step ORDER BY rowid;
SELECT line(', "host": %r, "no_request": %r},\n "cache_tokens": {"most": %r, "mean": %r, "limit": %r}%s', host_us,
  waiting_us, cache_most, cache_mean, limit_tokens, iif(moved IS NULL, '', line(',\n "steps_were": %q', moved)))
  FROM result, about;
SELECT line(',\n "notes": [%s]', list) FROM (SELECT group_concat(line('%q', note), ', ') AS list FROM note)
  WHERE list IS NOT NULL;
SELECT line(',\n "%s": {%s}', iif(measured, 'measured', 'percentiles'), list) FROM (SELECT measured,
    group_concat(line('\n  "%s": {"mean": %r, "p50": %r, "p90": %r, "p95": %r, "p99": %r}', field, mean, p50, p90, p95,
    p99), ',') FILTER (WHERE count) AS list FROM figure GROUP BY measured);
