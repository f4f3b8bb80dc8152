import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

type Line = {
  time?: unknown;
  workspaceId?: unknown;
  saved?: unknown;
  client?: unknown;
  credential?: unknown;
  callerId?: unknown;
};
type Runs = { count: number; last: string; callers: Set<string> };

/** Who ran a saved operation, in words; null if the log has nobody. */
export type CallersOf = (workspaceId: string, name: string) => string | null;

/** How many callers are named. */
const shown = 10;
const keyOf = (workspaceId: unknown, name: unknown) => JSON.stringify([workspaceId, name]);

/** Reads who ran which saved operations from the lines of a request log; others are ignored. */
export async function callersInLog(file: string): Promise<CallersOf> {
  const runs = new Map<string, Runs>();
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  for await (const text of lines) {
    if (!text.includes('"saved"')) continue;
    const { time, workspaceId, saved, client, credential, callerId } = readLine(text);
    if (typeof saved !== 'string') continue;
    const key = keyOf(workspaceId, saved);
    const known = runs.get(key) ?? { count: 0, last: '', callers: new Set() };
    runs.set(key, known);
    known.count += 1;
    if (String(time) > known.last) known.last = String(time);
    known.callers.add([client, credential, callerId].filter((part) => typeof part === 'string').join(' '));
  }
  return (workspaceId, name) => {
    const found = runs.get(keyOf(workspaceId, name));
    if (!found) return null;
    const callers = [...found.callers].toSorted();
    const more = callers.length > shown ? ` and ${callers.length - shown} others` : '';
    const times = found.count === 1 ? 'once' : `${found.count} times`;
    return `run ${times}, last at ${found.last}, by ${callers.slice(0, shown).join(', ')}${more}`;
  };
}

function readLine(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    // A line that was cut off when the log was rotated.
    return {};
  }
}
