import type { Config } from '../config/config.ts';
import type { Database } from '../database/client.ts';

/** The workspace that a first start fills with examples. Fixed, so that pages and commands can name it beforehand. */
export const DEMO_WORKSPACE_ID = 'wsp_00000000000000000000000000';

/** Whether a page of the gateway may get a token: where callers come from elsewhere, they bring their own. */
export const hasDemoPages = ({ demo, publicUrl, trustedProxies }: Config): boolean =>
  demo && publicUrl === null && trustedProxies.length === 0;

export const noDemoPages =
  'No page gets a token from this gateway: DEMO is off, or PUBLIC_URL or TRUSTED_PROXIES is set. Make a token: npm run --silent token';

/** An agent of the demo workspace that answers, for examples; null where there is none. */
export async function findDemoAgent({ agent }: Database): Promise<string | null> {
  const where = { workspaceId: DEMO_WORKSPACE_ID, status: 'active' as const, purpose: 'support' as const };
  const found = await agent.findFirst({ where, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }], select: { id: true } });
  return found?.id ?? null;
}
