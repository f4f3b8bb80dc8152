import type { Services } from '../../context.ts';
import type { Prisma } from '../../database/generated/prisma/client.ts';

/** When a change of a row is an event. */
type Occasion = {
  on: 'insert' | 'update' | 'delete';
  /** Of an update: it must have changed one of these columns. */
  changes?: readonly string[];
  /** The event has the names of the columns that changed, in this order, as `changed`. */
  tellsChanges?: true;
  /** What else must hold, in SQL: of OLD, the row before, and NEW, the row after. */
  when?: string;
};

/**
 * The events of a table, as data: webhooks are told of them, and the database itself writes them, so that no way of writing a row
 * can forget it. `npm run migration` makes the triggers from this.
 */
export type RowEvents = {
  model: Prisma.ModelName;
  /** The first part of their names, and the key of the row in what a webhook is sent. */
  subject: string;
  /** What every event tells: a key, and the column of the row with its value. */
  data: Readonly<Record<string, string>>;
  /** By the second part of their names. */
  events: Readonly<Record<string, Occasion>>;
  /**
   * Where other rows decide which rows are told of: a FROM clause over `added`, the rows that one statement inserted; `data` then
   * names columns as in SQL, and `added` must stand in it under the name `row`.
   */
  rows?: string;
  /** The row as it is now, as a webhook is sent it; null when it is no more. */
  read: (services: Told, where: { workspaceId: string; id: string }) => Promise<object | null>;
};
export type Told = Pick<Services, 'database' | 'config' | 'secrets' | 'now'>;

/** A trigger that writes events: its name, its table, and the statement that makes it. */
export type Trigger = { name: string; table: string; sql: string };

/** The triggers of a table's events. The functions that they call are in the migration `events_as_data`. */
export const triggersOf = ({ model, subject, data, events, rows }: RowEvents): Trigger[] =>
  Object.entries(events).map(([verb, occasion]) => {
    const { on, changes = [], tellsChanges, when } = occasion;
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
      ...(tellsChanges ? [JSON.stringify(changes)] : []),
    ];
    const call = `"${rows ? 'tellAdded' : 'tellRow'}"(${given.map(quoted).join(', ')})`;
    return {
      name,
      table: model,
      sql: `CREATE TRIGGER "${name}" AFTER ${on.toUpperCase()} ON "${model}" ${each} EXECUTE FUNCTION ${call};`,
    };
  });

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
