import { Counter, Histogram, type Registry } from 'prom-client';
import { telemetry } from '../core/telemetry.ts';

/** Of operation names, which callers choose, as many have a label of their own; the rest share `other`. */
const maxOperations = 200;

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const turnBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120];
const jobBuckets = [0.01, 0.1, 1, 10, 60, 300, 1_800];

/** Registers the metrics that are counted event by event, and counts until the returned function is called. */
export function countEvents(registry: Registry): () => void {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, labelNames: Label[], buckets: number[]) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  const requests = counter(
    'parley_requests_total',
    'Requests, by surface, operation, HTTP status and whether a compiled query served them.',
    ['surface', 'operation', 'status', 'compiled'],
  );
  const requestSeconds = histogram(
    'parley_request_duration_seconds',
    'Time until the response is known; for a stream, until it begins.',
    ['surface', 'compiled'],
    requestBuckets,
  );
  const errors = counter('parley_errors_total', 'Errors in responses, by code.', ['surface', 'code']);
  const turns = counter('parley_turns_total', 'Turns that ended, by state.', ['state']);
  const turnSeconds = histogram(
    'parley_turn_duration_seconds',
    'Time from the opening of a turn to its end.',
    ['state'],
    turnBuckets,
  );
  const calls = counter(
    'parley_model_calls_total',
    'Attempts at models, by outcome; resting: not asked, since the model had failed several times in a row.',
    ['model', 'outcome'],
  );
  const callSeconds = histogram(
    'parley_model_call_duration_seconds',
    'Time of an attempt at a model.',
    ['model'],
    turnBuckets,
  );
  const tokens = counter(
    'parley_model_tokens_total',
    'Tokens of stored messages, as models reported them; cached ones are also counted as prompt.',
    ['model', 'kind'],
  );
  const cost = counter('parley_model_cost_dollars_total', 'Cost of stored messages in USD, by the prices of MODELS.', [
    'model',
  ]);
  const jobs = counter('parley_jobs_total', 'Background jobs that ran here, by outcome.', ['name', 'outcome']);
  const jobSeconds = histogram('parley_job_duration_seconds', 'Time that a background job ran.', ['name'], jobBuckets);

  const staleReads = new Counter({
    name: 'parley_stale_reads_total',
    help: 'Reads that could be stale, by outcome: of the standby, or of the primary since the standby was behind or failed.',
    labelNames: ['outcome'],
    registers,
  });

  const fallbacks = counter(
    'parley_compiled_fallbacks_total',
    'Requests that resolvers answered although a compiled statement had run, by reason.',
    ['reason'],
  );

  const operationLabel = limitedLabels(maxOperations);
  const ends = [
    telemetry.request.subscribe(({ path, status, operation, compiled, errorCodes, seconds }) => {
      const surface = surfaceOf(path);
      requests.inc({ surface, operation: operationLabel(operation), status, compiled: String(compiled) });
      requestSeconds.observe({ surface, compiled: String(compiled) }, seconds);
      for (const code of new Set(errorCodes)) errors.inc({ surface, code });
    }),
    telemetry.turn.subscribe(({ state, seconds }) => {
      turns.inc({ state });
      turnSeconds.observe({ state }, seconds);
    }),
    telemetry.modelCall.subscribe(({ model, outcome, seconds }) => {
      calls.inc({ model, outcome });
      if (outcome !== 'resting') callSeconds.observe({ model }, seconds);
    }),
    telemetry.modelUsage.subscribe(({ model, promptTokens, completionTokens, cachedTokens, cost: dollars }) => {
      tokens.inc({ model, kind: 'prompt' }, promptTokens ?? 0);
      tokens.inc({ model, kind: 'completion' }, completionTokens ?? 0);
      tokens.inc({ model, kind: 'cached' }, cachedTokens ?? 0);
      cost.inc({ model }, dollars ?? 0);
    }),
    telemetry.job.subscribe(({ name, outcome, seconds }) => {
      jobs.inc({ name, outcome });
      jobSeconds.observe({ name }, seconds);
    }),
    telemetry.staleRead.subscribe(({ outcome }) => staleReads.inc({ outcome })),
    telemetry.fallback.subscribe(({ reason }) => fallbacks.inc({ reason })),
  ];
  return () => ends.forEach((end) => end());
}

function surfaceOf(path: string): 'graphql' | 'rest' | 'widget' | 'other' {
  if (path === '/graphql') return 'graphql';
  if (/^\/(api|rest)\//.test(path)) return 'rest';
  return path.startsWith('/widget') ? 'widget' : 'other';
}

/** Returns the label of a value: itself for the first `max` different ones, `other` for the rest, '' for null. */
function limitedLabels(max: number): (value: string | null) => string {
  const known = new Set<string>();
  return (value) => {
    if (value === null) return '';
    if (known.size < max) known.add(value);
    return known.has(value) ? value : 'other';
  };
}
