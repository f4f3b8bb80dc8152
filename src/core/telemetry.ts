import { channel } from 'node:diagnostics_channel';

/** A request whose response is known. */
type RequestEvent = {
  method: string;
  /** Without the query string. */
  path: string;
  status: number;
  /** The GraphQL operation's name or the REST operation's id. */
  operation: string | null;
  /** Whether a compiled query served it. */
  compiled: boolean;
  errorCodes: string[];
  seconds: number;
};
/** A turn that this process has ended. */
export type TurnMeasurement = { state: 'answered' | 'stopped' | 'failed'; seconds: number };
/** One attempt at a model. `resting`: it was not asked, since it had failed several times in a row. */
type ModelCallEvent = {
  model: string;
  outcome: 'answered' | 'stopped' | 'failed' | 'resting';
  seconds: number;
};
/** What a stored message of a model took; null is unknown. `cost` is in USD. */
type ModelUsageEvent = {
  model: string;
  promptTokens: number | null;
  completionTokens: number | null;
  cachedTokens: number | null;
  cost: number | null;
};
/** A background job that this process has run. */
type JobEvent = { name: string; outcome: 'completed' | 'failed'; seconds: number };

/** A read that might have been stale: of the standby, or of the primary because the standby was behind or failed. */
type StaleReadEvent = { outcome: 'standby' | 'behind' | 'failed' };

/**
 * Why resolvers answer although a compiled statement has run: a write did not apply, a row is not there, a constraint
 * or a value is refused, a field of a row fails, or the database or the code failed.
 */
export type Fallback = 'not_written' | 'no_row' | 'constraint' | 'value' | 'field' | 'database' | 'unexpected';
type FallbackEvent = { reason: Fallback };

/**
 * The diagnostics channels (node:diagnostics_channel) on which modules publish what happened, for whoever measures it.
 * Nothing is computed while nobody subscribes.
 */
export const telemetry = {
  request: typed<RequestEvent>('parley:request'),
  turn: typed<TurnMeasurement>('parley:turn'),
  modelCall: typed<ModelCallEvent>('parley:model-call'),
  modelUsage: typed<ModelUsageEvent>('parley:model-usage'),
  job: typed<JobEvent>('parley:job'),
  staleRead: typed<StaleReadEvent>('parley:stale-read'),
  fallback: typed<FallbackEvent>('parley:fallback'),
};

function typed<Event extends object>(name: string) {
  const events = channel(name);
  return {
    /** Publishes the event that `make` returns, if anyone subscribes. */
    publish(make: () => Event): void {
      if (events.hasSubscribers) events.publish(make());
    },
    /** Returns the function that ends the subscription. */
    subscribe(listener: (event: Event) => void): () => void {
      const onMessage = (message: unknown) => listener(message as Event);
      events.subscribe(onMessage);
      return () => {
        events.unsubscribe(onMessage);
      };
    },
  };
}
