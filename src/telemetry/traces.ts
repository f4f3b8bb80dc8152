import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  type Attributes,
  type Context,
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { TracingSettings } from '../config/tracing.ts';
import { type Span, type SpanAttributes, type SpanDescription, setTracer, type Tracer } from '../core/tracing.ts';
import { boundedAgent } from '../net/bounded-agent.ts';
import { withTimeout } from '../net/deadline.ts';

/** How long the last spans may take to be exported when the process ends, in milliseconds. */
const flushMs = 1_000;
/** How long one request to the collector may take, unless `OTEL_BSP_EXPORT_TIMEOUT` says otherwise. */
const exportMs = 30_000;
/** Longer values are cut. */
const attributeValueLengthLimit = 1_000;

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

/**
 * Records spans and exports them by OTLP, through the proxy if there is one, to the collector that the variables of
 * OpenTelemetry name. Returns the function that exports what is left, and ends.
 */
export function startTracing(settings: TracingSettings, log: Logger): () => Promise<void> {
  const report = (level: 'warn' | 'error') => (message: string) =>
    log[level]({ cause: `traces: ${message}`.slice(0, 200) }, 'the traces could not be exported');
  const ignore = () => {};
  const logger = { error: report('error'), warn: report('warn'), info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const own = resourceFromAttributes({ 'service.name': 'parley', 'service.instance.id': randomUUID() });
  const exporter = new OTLPTraceExporter({
    httpAgentOptions: (protocol) => boundedAgent(protocol, settings.batch.exportTimeoutMillis ?? exportMs),
  });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(settings),
    spanLimits: { attributeValueLengthLimit },
    spanProcessors: [new BatchSpanProcessor({ exporter, ...settings.batch })],
  });
  setTracer(createTracer(provider));
  return async () => {
    setTracer(null);
    await withTimeout(flushMs, () => provider.shutdown()).catch(ignore);
  };
}

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const prefix = 'parentbased_';
  const kind = sampler.startsWith(prefix) ? sampler.slice(prefix.length) : sampler;
  const root = rootSampler(kind, ratio);
  return kind === sampler ? root : new ParentBasedSampler({ root });
}

function rootSampler(kind: string, ratio: number): Sampler {
  if (kind === 'traceidratio') return new TraceIdRatioBasedSampler(ratio);
  return kind === 'always_off' ? new AlwaysOffSampler() : new AlwaysOnSampler();
}

type RecordedSpan = Span & { context: Context };

function createTracer(provider: TracerProvider): Tracer {
  const tracer = provider.getTracer('parley');
  const spans = new AsyncLocalStorage<RecordedSpan | null>();
  return {
    current: () => spans.getStore() ?? null,
    start({ name, kind = 'internal', attributes = {}, remoteParent, link }: SpanDescription): Span {
      const linked = parse(link);
      const remote = parse(remoteParent);
      const options = {
        kind: kinds[kind],
        attributes: present(attributes),
        ...(linked && { links: [{ context: linked }] }),
      };
      const here = linked ? ROOT_CONTEXT : (spans.getStore()?.context ?? ROOT_CONTEXT);
      const parent = remote ? trace.setSpanContext(ROOT_CONTEXT, remote) : here;
      return wrap(tracer.startSpan(name, options, parent));
    },
    within: (span, work) => spans.run(span as RecordedSpan | null, work),
  };
}

function wrap(span: OtelSpan): RecordedSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    context: trace.setSpan(ROOT_CONTEXT, span),
    set: (attributes) => void span.setAttributes(present(attributes)),
    rename: (name) => void span.updateName(name),
    fail(type) {
      span.setAttribute('error.type', type);
      span.setStatus({ code: SpanStatusCode.ERROR });
    },
    end: () => span.end(),
  };
}

const present = (attributes: SpanAttributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value != null)) as Attributes;

/** Parses a `traceparent`; null if it is missing or invalid. */
function parse(traceparent: string | null | undefined): SpanContext | null {
  const [, version, traceId = '', spanId = '', flags = ''] =
    /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/.exec(traceparent ?? '') ?? [];
  if (version === undefined || version === 'ff' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  // Of the flags, only the lowest is known: whether the caller records its trace.
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}
