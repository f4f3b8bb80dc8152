import { may, type Permission } from '../../core/permissions.ts';
import type { Viewer } from '../../core/viewer.ts';
import type { WebhookEvent } from '../../database/generated/prisma/enums.ts';
import { conversationEvents, messageEvents } from '../conversations/events.ts';
import { alertEvents } from '../dashboards/alert-events.ts';
import { sourceEvents } from '../knowledge/events.ts';
import { leadEvents } from '../leads/events.ts';
import type { RowEvents } from '../shared/row-events.ts';

/** The tables whose changes are webhook events, each declared in its own domain. */
export const rowEvents: RowEvents[] = [messageEvents, conversationEvents, leadEvents, sourceEvents, alertEvents];

/** What takes reading the body of an event; null if it has none. */
export function readingOf(event: WebhookEvent): Permission | null {
  if (event === 'ping') return null;
  const [subject] = event.split('_');
  return rowEvents.find((one) => one.subject === subject)?.permission ?? 'usage.read';
}

/** Whether somebody may read the body of an event. */
export function mayRead(viewer: Pick<Viewer, 'role' | 'key'>, event: WebhookEvent): boolean {
  const reading = readingOf(event);
  return reading === null || may(viewer, reading);
}
