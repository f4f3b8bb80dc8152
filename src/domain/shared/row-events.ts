import type { Services } from '../../context.ts';
import type { Permission } from '../../core/permissions.ts';
import type { Prisma } from '../../database/generated/prisma/client.ts';

/** Which changes of a row are an event. */
type RowEventRule = {
  on: 'insert' | 'update' | 'delete';
  /** For updates: one of these columns must have changed. */
  changes?: readonly string[];
  /** The event lists the changed columns as `changed`, in this order. */
  withChanges?: true;
  /** A further condition in SQL, on OLD and NEW. */
  when?: string;
};

/**
 * The webhook events of a table. Triggers write them, so that no write of a row can omit them; `npm run migration`
 * generates the triggers from this.
 */
export type RowEvents = {
  model: Prisma.ModelName;
  /** The first part of the event names, and the key of the row in the payload. */
  subject: string;
  /** What takes reading the row, and so its events. */
  permission: Permission;
  /** The data of every event: keys, and the columns with their values. */
  data: Readonly<Record<string, string>>;
  /** By the second part of the event names. */
  events: Readonly<Record<string, RowEventRule>>;
  /**
   * If other rows decide which rows have events: a FROM clause over the rows that one statement inserted into the
   * workspace `$2`, which are `$1` as jsonb, and which it must alias as `row`. `data` then has SQL column expressions.
   */
  rows?: string;
  /** Returns the row as it is now, for the payload; null if it no longer exists. */
  read: (services: EventReader, where: { workspaceId: string; id: string }) => Promise<object | null>;
};
export type EventReader = Pick<Services, 'database' | 'config' | 'secrets' | 'now'>;

/** A trigger that writes events: its name, its table, and the statement that creates it. */
type Trigger = { name: string; table: string; sql: string };

/**
 * The triggers of a table's events. The functions that they call are in the migrations `events_as_data` and
 * `triggers_of_one_workspace`.
 */
export const triggersOf = ({ model, subject, data, events, rows }: RowEvents): Trigger[] =>
  Object.entries(events).map(([verb, occasion]) => {
    const { on, changes = [], withChanges, when } = occasion;
    const name = `${model}_${verb}`;
    const event = `${subject}.${verb}`;
    const tuple = (row: string) => `(${changes.map((column) => `${row}."${column}"`).join(', ')})`;
    const conditions = [
      ...(changes.length > 0 ? [`${tuple('OLD')} IS DISTINCT FROM ${tuple('NEW')}`] : []),
      ...(when ? [when] : []),
    ];
    const condition = conditions.length > 0 ? ` WHEN (${conditions.join(' AND ')})` : '';
    const each = rows ? 'REFERENCING NEW TABLE AS added FOR EACH STATEMENT' : `FOR EACH ROW${condition}`;
    const given = [
      event,
      JSON.stringify(data),
      ...(rows ? [rows] : []),
      ...(withChanges ? [JSON.stringify(changes)] : []),
    ];
    const call = `"${rows ? 'recordRowEvents' : 'recordRowEvent'}"(${given.map(quoted).join(', ')})`;
    return {
      name,
      table: model,
      sql: `CREATE TRIGGER "${name}" AFTER ${on.toUpperCase()} ON "${model}" ${each} EXECUTE FUNCTION ${call};`,
    };
  });

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
