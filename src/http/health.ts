import { ParleyError } from '../core/errors.ts';
import { respond } from './errors.ts';

/** GET /health: liveness. Does not touch the database, so that a slow one does not get the process killed. */
export function healthResponse(): Response {
  return Response.json({ status: 'ok' });
}

/** Resolves to why the gateway should get no requests; null if it should. */
export type Readiness = () => Promise<string | null>;

/**
 * GET /ready: 200 once `readiness` has no reason against it; otherwise, or if it fails or takes longer than two
 * seconds, 503 `unavailable` with that reason. Names nodes of a cluster that do not answer, but is 200: the others'
 * workspaces are served.
 */
export async function readyResponse(
  readiness: Readiness,
  unavailable: () => Promise<string[]> = async () => [],
): Promise<Response> {
  const ready = Promise.race([readiness().catch(() => noAnswer), after(2_000)]);
  const [reason, unavailableNodes] = await Promise.all([ready, unavailable()]);
  if (reason === null) {
    return Response.json({ status: 'ready', ...(unavailableNodes.length > 0 && { unavailableNodes }) });
  }
  const headers = { 'retry-after': '1' };
  return respond(new ParleyError('unavailable', `The service is not ready. ${reason}`, { headers }));
}

const noAnswer = 'The database does not answer.';

function after(ms: number): Promise<string> {
  return new Promise((resolve) => setTimeout(() => resolve(noAnswer), ms).unref());
}
