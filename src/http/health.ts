import { ParleyError } from '../core/errors.ts';
import { respond } from './errors.ts';

/** GET /health: liveness. Does not touch the database, so that a slow one does not get the process killed. */
export function healthResponse(): Response {
  return Response.json({ status: 'ok' });
}

/**
 * GET /ready: 200 once `readiness` is true; 503 `unavailable` while it is false, fails, or takes longer than two
 * seconds.
 */
export async function readyResponse(readiness: () => Promise<boolean>): Promise<Response> {
  const ready = await Promise.race([readiness().catch(() => false), after(2_000)]);
  if (ready) return Response.json({ status: 'ready' });
  const headers = { 'retry-after': '1' };
  return respond(new ParleyError('unavailable', 'The service is not ready yet.', { headers }));
}

function after(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms).unref());
}
