import type { Profiler } from 'node:inspector/promises';
import { positionOf } from '../src/bundle/positions.ts';

/** Shares of CPU time by purpose, largest first. */
export type Shares = [what: string, share: number][];

type Kind = [what: string, pattern: RegExp];

/** Matched against the file of a function; the first match counts. */
const kinds: Kind[] = [
  [
    'writing the log',
    /\/(src\/http\/log\/request-log\.ts|node_modules\/(pino|sonic-boom|thread-stream|safe-stable-stringify)\/)/,
  ],
  [
    'sending statements and reading rows',
    /\/(src\/database\/(pipeline|pool|postgres|adapter)\.ts|src\/compiled\/statements\.ts|node_modules\/pg(-\w+)?\/)/,
  ],
  ['making statements', /\/(src\/(compiled|database)|node_modules\/(graphql|@pothos))\//],
  ['what is written', /\/(src\/domain|node_modules\/(zod|libphonenumber-js))\//],
  ['verifying bearers', /\/src\/auth\//],
  ['reading requests and writing responses', /\/src\/(http|rest|start|app)|^node:_?http|^node:internal\/http/],
];

/** The gateway runs as a bundle. */
const inSource = ({ functionName, url, lineNumber, columnNumber }: Profiler.Profile['nodes'][number]['callFrame']) => ({
  functionName,
  url: (url.includes('/bundle/') && positionOf(url, lineNumber + 1, columnNumber + 1)) || url,
});

/** Sums up a profile. A sample is attributed to the innermost function on its stack whose file has a known purpose. */
export function sharesOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Shares {
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, inSource(callFrame)]));
  const kindOf = (id: number | undefined): string | null => {
    for (let at = id; at !== undefined; at = callers.get(at)) {
      const { functionName, url } = frames.get(at) ?? { functionName: '', url: '' };
      if (functionName === '(idle)') return null;
      if (functionName === '(garbage collector)') return 'garbage collection';
      const kind = kinds.find(([, pattern]) => pattern.test(url));
      if (kind) return kind[0];
    }
    return "Node's event loop, sockets and promises";
  };
  const known = new Map<number, string | null>();
  const times = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    if (!known.has(id)) known.set(id, kindOf(id));
    const kind = known.get(id);
    if (kind) times.set(kind, (times.get(kind) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const all = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times].map(([kind, time]): [string, number] => [kind, time / all]).sort(([, a], [, b]) => b - a);
}
