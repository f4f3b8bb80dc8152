import { bearerOf } from '../auth/bearer.ts';
import { createKeyUse, requireSurface } from '../auth/keys/key-use.ts';
import type { Services } from '../context.ts';
import { auditActorOf } from '../core/actor.ts';
import type { Viewer } from '../core/viewer.ts';
import { setWorkspace } from '../database/deadline.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Received } from './received.ts';
import { admit } from './unfinished-bodies.ts';

/**
 * Resolves with who sends a request, once for all that ask. Throws 401 for its bearer, 403 for a path that its key may
 * not use, and 429 if its limits are used up.
 */
export type Identify = (received: Received) => Promise<Viewer>;

type Options = {
  rate: RateLimit;
  /** The caller's address; null if it is unknown. */
  addressOf: (request: object) => string | null;
};

/** Verifies bearers, and charges each request to the limits of its bearer. */
export function createIdentify(services: Services, { rate, addressOf }: Options): Identify {
  const noteUse = createKeyUse(services);
  const identify = async (received: Received): Promise<Viewer> => {
    const { request, path } = received;
    const viewer = await services.tokens.verify(bearerOf(received));
    requireSurface(viewer, path);
    setWorkspace(viewer.workspaceId, () => auditActorOf(viewer, addressOf(request)));
    noteUse(viewer, () => addressOf(request));
    const admitted = await rate.admit(viewer, request);
    admit(request);
    return admitted;
  };
  return (received) => (received.viewer ??= identify(received));
}
