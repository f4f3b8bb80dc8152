export type SpanAttributes = Record<string, string | number | boolean | string[] | null | undefined>;

export type SpanDescription = {
  name: string;
  /** Default: `internal`. */
  kind?: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  /** By the names of OpenTelemetry's semantic conventions. Never texts of people, values of statements, or secrets. */
  attributes?: SpanAttributes;
  /** The `traceparent` (W3C Trace Context) of a parent in another process, as received. */
  remoteParent?: string | null;
  /** The `traceparent` of a span that led to this one, which begins a trace of its own. */
  link?: string | null;
};

export type Span = {
  readonly traceId: string;
  /** The value of a `traceparent` header that names this span. */
  readonly traceparent: string;
  /** Adds attributes; null and undefined are left out. */
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** Marks the span as failed. `type`: the class of the error, such as a code; never its message. */
  fail(type: string): void;
  end(): void;
};

/** What records spans: src/telemetry, if traces are configured. */
export type Tracer = {
  current(): Span | null;
  /** Starts a span: a child of the current one, unless it has a remote parent or a link. */
  start(description: SpanDescription): Span;
  /** Runs `work` with `span` as the current one; null: with none. */
  within<T>(span: Span | null, work: () => T): T;
};

let tracer: Tracer | null = null;

/** Turns tracing on, or off with null. */
export function setTracer(next: Tracer | null): void {
  tracer = next;
}

export const isTracing = (): boolean => tracer !== null;

/** The span of the current work; null if there is none, or tracing is off. */
export const currentSpan = (): Span | null => tracer && tracer.current();

/** Runs `work` in a span of its own, which fails if `work` throws. Without tracing, `describe` is not called. */
export function inSpan<T>(describe: () => SpanDescription, work: (span: Span | null) => Promise<T>): Promise<T> {
  return tracer ? traced(tracer, describe(), work) : work(null);
}

/** Starts a span if it has a parent here. Work outside of requests and jobs, such as polling, is not traced. */
export const startChildSpan = (describe: () => SpanDescription): Span | null =>
  tracer?.current() ? tracer.start(describe()) : null;

/** Like `inSpan`, for work that has a parent here; other work runs without a span. */
export function inChildSpan<T>(describe: () => SpanDescription, work: (span: Span | null) => Promise<T>): Promise<T> {
  return tracer?.current() ? traced(tracer, describe(), work) : work(null);
}

/** Runs `work` with this span as the current one. */
export const withSpan = <T>(span: Span | null, work: () => T): T =>
  tracer && span ? tracer.within(span, work) : work();

/** Runs work that goes on for others than the current request or job. */
export const withoutSpan = <T>(work: () => T): T => (tracer ? tracer.within(null, work) : work());

async function traced<T>(tracer: Tracer, description: SpanDescription, work: (span: Span) => Promise<T>): Promise<T> {
  const span = tracer.start(description);
  try {
    return await tracer.within(span, () => work(span));
  } catch (error) {
    span.fail(errorTypeOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** The error's code, or the name of its class. */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
