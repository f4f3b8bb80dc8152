import type { Config } from '../config/config.ts';

/** How long a replaced worker may take for its requests, turns and streams, in milliseconds: a reply fits into it. */
export const drainMsOf = ({ modelTimeoutMs }: Pick<Config, 'modelTimeoutMs'>): number =>
  Math.max(60_000, modelTimeoutMs + 10_000);
