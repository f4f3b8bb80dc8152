import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignatureV4 } from '@smithy/signature-v4';

export const s3Keys = { accessKeyId: 'AKIAPARLEYTESTS', secretAccessKey: 'a secret/with+signs' };
const s3Bucket = 'parley-files';

/** Keys that a server takes: those of a role have a session, and end. */
export type ServerKeys = { secretAccessKey: string; sessionToken?: string; expiration?: Date };

/**
 * A server with the S3 object operations: put, get, ranges, head, delete, and their errors. It verifies the
 * signature of every request with Amazon's own signer, and the signed hash of every body.
 */
export async function startS3Server(region = 'eu-test-1') {
  const objects = new Map<string, Buffer>();
  /** Statuses for the next requests, instead of real responses. */
  const failures: number[] = [];
  const requests: string[] = [];
  /** The access keys that signed the requests. */
  const signers: string[] = [];
  /** Without the right to list, Amazon does not reveal that an object is missing. */
  const rights = { list: true };
  const { accessKeyId, secretAccessKey } = s3Keys;
  const keys = new Map<string, ServerKeys>([[accessKeyId, { secretAccessKey }]]);
  /** How far its clock is ahead of this process's, in milliseconds. */
  const clock = { aheadMs: 0 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => void answer(request, Buffer.concat(chunks), response));
  });

  async function answer(request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://s3');
    // At `objects.test`, a bucket has a host name of its own.
    const [host = '', named] = /^([\w-]+)\.objects\.test/.exec(request.headers.host ?? '') ?? [];
    requests.push([request.method, ...(named ? [host] : []), pathname].join(' '));
    signers.push(signerOf(request));
    const failure = failures.shift();
    if (failure) return refuse(response, failure, 'SlowDown');
    const now = Date.now() + clock.aheadMs;
    response.setHeader('date', new Date(now).toUTCString());
    const flaw = await flawOf(request, body, { region, keys, now });
    if (flaw) return refuse(response, 403, flaw);
    const [bucket, ...rest] = [...(named ? [named] : []), ...pathname.split('/').slice(1)];
    if (bucket !== s3Bucket) return refuse(response, 404, 'NoSuchBucket');
    const key = decodeURIComponent(rest.join('/'));
    if (request.method === 'PUT') {
      objects.set(key, body);
      return void response.end();
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return void response.writeHead(204).end();
    }
    const found = objects.get(key);
    if (!found) return rights.list ? refuse(response, 404, 'NoSuchKey') : refuse(response, 403, 'AccessDenied');
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (start === undefined) return void response.end(found);
    response.writeHead(206, { 'content-range': `bytes ${start}-${end}/${found.length}` });
    response.end(found.subarray(Number(start), Number(end) + 1));
  }

  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    objects,
    failures,
    requests,
    signers,
    rights,
    keys,
    clock,
    /** The settings of a gateway that stores its files here. */
    env: {
      STORAGE_URL: `s3://${s3Bucket}/some/place?endpoint=http://127.0.0.1:${port}&region=${region}`,
      AWS_ACCESS_KEY_ID: s3Keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3Keys.secretAccessKey,
    },
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

const signerOf = ({ headers }: IncomingMessage) => /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? '';

type Expected = { region: string; keys: Map<string, ServerKeys>; now: number };

/** Why a request is refused: a wrong signature, keys that have ended, or a body that does not match its hash. */
async function flawOf(request: IncomingMessage, body: Buffer, { region, keys, now }: Expected): Promise<string | null> {
  const given = request.headers.authorization ?? '';
  const hash = String(request.headers['x-amz-content-sha256']);
  const bodyHash = createHash('sha256').update(body).digest('hex');
  if (body.length > 0 && hash !== bodyHash) return 'XAmzContentSHA256Mismatch';
  const date = String(request.headers['x-amz-date']);
  const signed = /SignedHeaders=([\w;-]+)/.exec(given)?.[1]?.split(';') ?? [];
  const { pathname } = new URL(request.url ?? '/', 'http://s3');
  const accessKeyId = signerOf(request);
  const known = keys.get(accessKeyId);
  if (!known) return 'InvalidAccessKeyId';
  if (request.headers['x-amz-security-token'] !== known.sessionToken) return 'InvalidToken';
  if (known.expiration && known.expiration.getTime() <= now) return 'ExpiredToken';
  const headers = Object.fromEntries(signed.map((name) => [name, String(request.headers[name])]));
  const signer = new SignatureV4({
    service: 's3',
    region,
    credentials: { accessKeyId, ...known },
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const signingDate = new Date(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (Math.abs(signingDate.getTime() - now) > 900_000) return 'RequestTimeTooSkewed';
  const hostname = String(request.headers.host);
  const asked = { method: request.method ?? '', protocol: 'http:', hostname, path: pathname, headers };
  const { headers: own } = await signer.sign(asked, { signingDate });
  const signatureOf = (text = '') => /Signature=([0-9a-f]{64})/.exec(text)?.[1];
  return signatureOf(own.authorization) === signatureOf(given) ? null : 'SignatureDoesNotMatch';
}

/** The hash interface of the signer. */
class Sha256 {
  #hash: Hash | Hmac;
  readonly #secret: Buffer | string | null;

  constructor(secret?: unknown) {
    this.#secret =
      secret === undefined ? null : typeof secret === 'string' ? secret : Buffer.from(secret as Uint8Array);
    this.#hash = this.#start();
  }
  #start() {
    return this.#secret === null ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {
    this.#hash = this.#start();
  }
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>No.</Message></Error>`);
}
