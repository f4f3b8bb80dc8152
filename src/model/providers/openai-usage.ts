/**
 * Rewrites the response of an OpenAI-compatible endpoint so that its `usage` contains numbers only. Some endpoints send
 * counts as strings, or text in their place, and the SDK would reject the whole reply for it.
 */
export async function withNumericUsage(response: Response): Promise<Response> {
  const type = response.headers.get('content-type') ?? '';
  const { status, statusText, headers } = response;
  const init = { status, statusText, headers: new Headers(headers) };
  // The body changes in length, and is no longer compressed.
  for (const name of ['content-length', 'content-encoding']) init.headers.delete(name);
  if (!response.ok || !response.body) return response;
  if (/json/i.test(type)) return new Response(numericUsage(await response.text()), init);
  if (!/event-stream/i.test(type)) return response;
  const lines = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(byLine());
  return new Response(lines.pipeThrough(new TextEncoderStream()), init);
}

/** Splits server-sent events into whole lines, and makes their usage numeric. */
function byLine(): TransformStream<string, string> {
  let rest = '';
  const read = (line: string): string => {
    const [, field = '', json = ''] = /^(data: ?)(.*?)\r?$/s.exec(line) ?? [];
    return field ? field + numericUsage(json) : line;
  };
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) controller.enqueue(lines.map((line) => `${read(line)}\n`).join(''));
    },
    flush(controller) {
      if (rest) controller.enqueue(read(rest));
    },
  });
}

function numericUsage(json: string): string {
  // Most lines of a stream carry text only.
  if (!json.includes('"usage"')) return json;
  try {
    const body = JSON.parse(json) as { usage?: unknown } | null;
    if (body?.usage === undefined || body.usage === null) return json;
    return JSON.stringify({ ...body, usage: numbersIn(body.usage) ?? null });
  } catch {
    return json;
  }
}

/** The numeric properties of an object, and of its `_details` objects; undefined if it is not an object. */
function numbersIn(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value).map(([key, inner]: [string, unknown]) => {
    if (key.endsWith('_details')) return [key, numbersIn(inner)];
    return [key, typeof inner === 'number' ? inner : undefined];
  });
  return Object.fromEntries(entries) as object;
}
