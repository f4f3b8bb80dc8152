import type { Config } from '../config/config.ts';
import type { Database } from '../database/client.ts';

/** The workspace that the first start fills with examples. Fixed, so that pages and commands can refer to it. */
export const DEMO_WORKSPACE_ID = 'wsp_00000000000000000000000000';

/** Whether the gateway's own pages may get a token. Not behind a public address, whose callers bring their own. */
export const hasDemoPages = ({ demo, publicUrl, trustedProxies }: Config): boolean =>
  demo && publicUrl === null && trustedProxies.length === 0;

export const noDemoPages =
  'This gateway gives its pages no token, because DEMO is off, or PUBLIC_URL or TRUSTED_PROXIES is set. Create one with: npm run --silent token';

/** Returns the id of an active support agent of the demo workspace, for examples; null if there is none. */
export async function findDemoAgent({ agent }: Database): Promise<string | null> {
  const where = { workspaceId: DEMO_WORKSPACE_ID, status: 'active' as const, purpose: 'support' as const };
  const found = await agent.findFirst({ where, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }], select: { id: true } });
  return found?.id ?? null;
}
