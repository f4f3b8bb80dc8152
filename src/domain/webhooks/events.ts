import { conversationEvents, messageEvents } from '../conversations/events.ts';
import { sourceEvents } from '../knowledge/events.ts';
import { leadEvents } from '../leads/events.ts';
import type { RowEvents } from '../shared/row-events.ts';

/** The tables whose changes are webhook events, each declared in its own domain. */
export const rowEvents: RowEvents[] = [messageEvents, conversationEvents, leadEvents, sourceEvents];
