import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parsedJson } from '../../core/json.ts';

type Line = {
  time?: unknown;
  workspaceId?: unknown;
  saved?: unknown;
  client?: unknown;
  credential?: unknown;
  callerId?: unknown;
};
type Runs = { count: number; last: string; callers: Map<string, number> };

/** Who ran a saved operation, in words; null if the log has nobody. */
export type CallersOf = (workspaceId: string, name: string) => string | null;

/** How many callers are named, those with most runs first, and how many are remembered: they name themselves. */
const shown = 10;
const remembered = 1_000;
const keyOf = (workspaceId: unknown, name: unknown) => JSON.stringify([workspaceId, name]);

/** Reads who ran which saved operations from the lines of a request log; others are ignored. */
export async function callersInLog(file: string): Promise<CallersOf> {
  const runs = new Map<string, Runs>();
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity });
  for await (const text of lines) {
    if (!text.includes('"saved"')) continue;
    // A line may have been cut off when the log was rotated.
    const { time, workspaceId, saved, client, credential, callerId } = (parsedJson(text) ?? {}) as Line;
    if (typeof saved !== 'string') continue;
    const key = keyOf(workspaceId, saved);
    const known = runs.get(key) ?? { count: 0, last: '', callers: new Map() };
    runs.set(key, known);
    known.count += 1;
    if (String(time) > known.last) known.last = String(time);
    const caller = [client, credential, callerId].filter((part) => typeof part === 'string').join(' ');
    if (known.callers.has(caller) || known.callers.size < remembered)
      known.callers.set(caller, (known.callers.get(caller) ?? 0) + 1);
  }
  return (workspaceId, name) => {
    const found = runs.get(keyOf(workspaceId, name));
    if (!found) return null;
    const callers = [...found.callers].toSorted(([, one], [, other]) => other - one).map(([caller]) => caller);
    const others = callers.length < remembered ? String(callers.length - shown) : `${remembered - shown} or more`;
    const more = callers.length > shown ? ` and ${others} others` : '';
    const times = found.count === 1 ? 'once' : `${found.count} times`;
    return `run ${times}, last at ${found.last}, by ${callers.slice(0, shown).join(', ')}${more}`;
  };
}
