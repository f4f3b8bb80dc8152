import type { DemoSession, DemoSessions } from '../auth/demo-sessions.ts';
import type { Channel } from './channel.ts';

/** The sessions in the memory of the primary, as a worker reaches them. */
export const connectedSessions = (channel: Channel): DemoSessions => ({
  issueKey: () => channel.request<string>('demo.issueKey'),
  exchange: (key) => channel.request<DemoSession | null>('demo.exchange', key),
  has: (session) => channel.request<boolean>('demo.has', session),
});
