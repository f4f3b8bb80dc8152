type Json = Record<string, unknown>;
type Path = readonly (string | number)[];
type Incremental = {
  id?: string;
  path?: Path;
  subPath?: Path;
  data?: Json | null;
  items?: unknown[] | null;
  errors?: unknown[];
};
/** A part of an answer in either format: the one of 2022 has its position as `path`, the current one as `id`. */
export type Part = {
  data?: Json | null;
  errors?: unknown[];
  hasNext?: boolean;
  pending?: { id: string; path: Path }[];
  incremental?: Incremental[];
  completed?: { id: string; errors?: unknown[] }[];
};

/** Reads the parts of an answer as they arrive, from `multipart/mixed` or `text/event-stream`. */
export async function* readParts(response: Response): AsyncGenerator<Part, void> {
  const multipart = response.headers.get('content-type') === 'multipart/mixed; boundary="-"';
  const [end, part] = multipart ? ['\r\n---', /\r\n\r\n(.*)$/s] : ['\n\n', /^event: next\ndata: (.*)$/s];
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
    const blocks = (text + decoder.decode(bytes, { stream: true })).split(end);
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const json = part.exec(block)?.[1];
      if (json) yield JSON.parse(json);
    }
  }
}

/** Merges all parts as a client does. Errors are concatenated. */
export function merged(parts: Part[]): { data: unknown; errors: unknown[] } {
  const [first, ...later] = structuredClone(parts);
  const paths = new Map<string, Path>();
  const errors = [...(first?.errors ?? [])];
  for (const { pending = [], incremental = [], completed = [] } of [first ?? {}, ...later]) {
    for (const { id, path } of pending) paths.set(id, path);
    for (const added of incremental) {
      errors.push(...(added.errors ?? []));
      add(first?.data, [...(paths.get(added.id ?? '') ?? added.path ?? []), ...(added.subPath ?? [])], added);
    }
    for (const done of completed) errors.push(...(done.errors ?? []));
  }
  return { data: first?.data, errors };
}

function add(data: unknown, path: Path, { data: fields, items, id }: Incremental): void {
  // The older format names the position of the first item, the current one the list.
  const place = items && id === undefined ? path.slice(0, -1) : path;
  const target = place.reduce((value, key) => (value as Json)[key] as never, data);
  if (items) (target as unknown[]).push(...items);
  if (fields) Object.assign(target as Json, deeply(target as Json, fields));
}

function deeply(target: unknown, added: unknown): unknown {
  if (added === null || typeof added !== 'object' || target === null || typeof target !== 'object') return added;
  for (const [key, value] of Object.entries(added)) (target as Json)[key] = deeply((target as Json)[key], value);
  return target;
}
