/** The setting of a transaction in which an event finds the span that caused it, as a `traceparent`. */
export const traceSetting = 'parley.traceparent';

/** The tables whose changes are events, which triggers record, and the table of events itself. */
export const eventTables = ['Message', 'Conversation', 'Lead', 'Source', 'Alert', 'OutboxEvent'] as const;

const recording = new Set<string>(eventTables);
const writes = new RegExp(
  `\\b(?:INSERT\\s+INTO|UPDATE|DELETE\\s+FROM)\\s+(?:ONLY\\s+)?(?:"public"\\.)?"(?:${eventTables.join('|')})"`,
);

/** Whether some changes to the rows of a model are events. */
export const recordsEvents = (model: string): boolean => recording.has(model);

/** Whether a statement may write events. */
export const writesEvents = (sql: string): boolean => writes.test(sql);
