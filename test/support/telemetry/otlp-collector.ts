import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

type Value = string | number | boolean | null | Value[];
export type CollectedSpan = {
  traceId: string;
  spanId: string;
  /** Empty for a root. */
  parentId: string;
  name: string;
  kind: string;
  attributes: Record<string, Value>;
  links: { traceId: string; spanId: string }[];
  failed: boolean;
  /** Of the process that made it. */
  resource: Record<string, Value>;
};

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'];

/** A collector that takes OTLP over HTTP, in protobuf, and keeps the spans and their bytes. */
export async function startCollector() {
  const spans: CollectedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const sent = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      if (request.url !== '/v1/traces') return void response.writeHead(404).end();
      bodies.push(body);
      spans.push(...spansIn(body));
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

type Field = { number: number; value: Buffer | bigint };

/** The fields of a protobuf message, in the order of the wire. */
function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('The message ends within a number.');
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('The message ends within a field.');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const type = tag & 7;
    if (type === 0) yield { number: tag >> 3, value: varint() };
    else if (type === 1) yield { number: tag >> 3, value: take(8) };
    else if (type === 2) yield { number: tag >> 3, value: take(Number(varint())) };
    else if (type === 5) yield { number: tag >> 3, value: take(4) };
    else throw new Error(`Protobuf has no wire type ${type}.`);
  }
}

const all = (bytes: Buffer, number: number): Buffer[] =>
  [...fieldsOf(bytes)].flatMap((field) => (field.number === number ? [field.value as Buffer] : []));
const text = (bytes: Buffer, number: number): string => all(bytes, number)[0]?.toString() ?? '';
const hex = (bytes: Buffer, number: number): string => all(bytes, number)[0]?.toString('hex') ?? '';
const int = (bytes: Buffer, number: number): number => Number((all(bytes, number)[0] as unknown as bigint) ?? 0);

function valueOf(bytes: Buffer): Value {
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) return String(value);
    if (number === 2) return value === 1n;
    if (number === 3) return Number(value);
    if (number === 4) return (value as Buffer).readDoubleLE();
    if (number === 5) return all(value as Buffer, 1).map(valueOf);
  }
  return null;
}

const attributesIn = (bytes: Buffer, number: number): Record<string, Value> =>
  Object.fromEntries(all(bytes, number).map((pair) => [text(pair, 1), valueOf(all(pair, 2)[0] ?? Buffer.alloc(0))]));

function spansIn(body: Buffer): CollectedSpan[] {
  return all(body, 1).flatMap((group) => {
    const resource = attributesIn(all(group, 1)[0] ?? Buffer.alloc(0), 1);
    return all(group, 2).flatMap((scope) => all(scope, 2).map((span) => spanOf(span, resource)));
  });
}

const spanOf = (span: Buffer, resource: Record<string, Value>): CollectedSpan => ({
  traceId: hex(span, 1),
  spanId: hex(span, 2),
  parentId: hex(span, 4),
  name: text(span, 5),
  kind: kinds[int(span, 6)] ?? '',
  attributes: attributesIn(span, 9),
  links: all(span, 13).map((link) => ({ traceId: hex(link, 1), spanId: hex(link, 2) })),
  failed: int(all(span, 15)[0] ?? Buffer.alloc(0), 3) === 2,
  resource,
});

/** The spans directly beneath one. */
export const childrenOf = (spans: CollectedSpan[], parent: CollectedSpan | undefined) =>
  spans.filter(({ parentId }) => parentId === parent?.spanId);
export const named = (spans: CollectedSpan[], name: string | RegExp) =>
  spans.filter((span) => (typeof name === 'string' ? span.name === name : name.test(span.name)));
/** The names of a span and of all beneath it, indented. */
export function outline(spans: CollectedSpan[], root: CollectedSpan | undefined, indent = ''): string[] {
  if (!root) return [];
  return [indent + root.name, ...childrenOf(spans, root).flatMap((child) => outline(spans, child, `${indent}  `))];
}
