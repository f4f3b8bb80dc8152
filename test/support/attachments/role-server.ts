import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerKeys } from './s3-server.ts';

const roleArn = 'arn:aws:iam::123456789012:role/parley-files';
const podToken = 'token-of-the-pod';
/** The agents of containers, by the path at which each gives keys. */
const agents = new Map<string, 'pod' | 'task'>([
  ['/v1/credentials', 'pod'],
  ['/v2/credentials/task', 'task'],
]);

/**
 * The three services that give a process the keys of its role, as Amazon documents them: STS for a web identity, the
 * agent of a container, and the metadata of an instance (version 2). The keys that they give are added to `keys`.
 */
export async function startRoleServer(keys: Map<string, ServerKeys>) {
  /** What is given from now on: for how long it is valid, to whom, and whether anything is. */
  const rules = { validMs: 3_600_000, webIdentity: 'web-identity-1', refuses: false };
  const given: string[] = [];
  const sessions = new Set<string>();

  function give(by: string) {
    const accessKeyId = `ASIA${randomUUID().slice(0, 8).toUpperCase()}`;
    const [secretAccessKey, sessionToken] = [randomUUID(), `session/${randomUUID()}+==`];
    const expiration = new Date(Math.floor((Date.now() + rules.validMs) / 1_000) * 1_000);
    keys.set(accessKeyId, { secretAccessKey, sessionToken, expiration });
    given.push(by);
    return { accessKeyId, secretAccessKey, sessionToken, expiration: expiration.toISOString() };
  }
  const asJson = ({ accessKeyId, secretAccessKey, sessionToken, expiration }: ReturnType<typeof give>) =>
    JSON.stringify({
      Code: 'Success',
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      Token: sessionToken,
      Expiration: expiration,
    });

  function answerSts(body: string, response: ServerResponse): void {
    const asked = new URLSearchParams(body);
    response.setHeader('content-type', 'text/xml');
    const isAction = asked.get('Action') === 'AssumeRoleWithWebIdentity' && asked.get('Version') === '2011-06-15';
    const isRole = asked.get('RoleArn') === roleArn && /^[\w+=,.@-]{2,64}$/.test(asked.get('RoleSessionName') ?? '');
    if (!isAction || !isRole || rules.refuses || asked.get('WebIdentityToken') !== rules.webIdentity) {
      const why = 'Not authorized to perform sts:AssumeRoleWithWebIdentity';
      const error = `<Error><Type>Sender</Type><Code>AccessDenied</Code><Message>${why}</Message></Error>`;
      response
        .writeHead(403)
        .end(`<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${error}</ErrorResponse>`);
      return;
    }
    const { accessKeyId, secretAccessKey, sessionToken, expiration } = give('web identity');
    const credentials = `<Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>${expiration}</Expiration></Credentials>`;
    const user = `<AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/parley-files/s</Arn><AssumedRoleId>AROA:s</AssumedRoleId></AssumedRoleUser>`;
    const result = `<AssumeRoleWithWebIdentityResult>${credentials}${user}</AssumeRoleWithWebIdentityResult>`;
    response.end(
      `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${result}</AssumeRoleWithWebIdentityResponse>`,
    );
  }

  function answerInstance({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
    const [folder, role] = ['/latest/meta-data/iam/security-credentials/', 'parley-files'];
    if (method === 'PUT' && url === '/latest/api/token' && headers['x-aws-ec2-metadata-token-ttl-seconds']) {
      const session = randomUUID();
      sessions.add(session);
      return void response.end(session);
    }
    if (!sessions.has(String(headers['x-aws-ec2-metadata-token']))) return void response.writeHead(401).end();
    if (url === folder) return void response.end(role);
    if (url === folder + role) return void response.end(asJson(give('instance')));
    response.writeHead(404).end();
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/' && request.method === 'POST')
        return answerSts(Buffer.concat(chunks).toString(), response);
      const way = agents.get(request.url ?? '');
      if (!way) return answerInstance(request, response);
      const isRefused = rules.refuses || (way === 'pod' && request.headers.authorization !== podToken);
      if (isRefused) return void response.writeHead(403).end('{"message":"Invalid token"}');
      response.setHeader('content-type', 'application/json');
      response.end(asJson(give(way)));
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    port,
    rules,
    given,
    /** The variables that Amazon sets in a process, by who gives it keys. */
    variables: {
      'web identity': (tokenFile: string) => ({
        AWS_ROLE_ARN: roleArn,
        AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile,
        AWS_ENDPOINT_URL_STS: origin,
      }),
      // On a node of EKS, the agent has an address of its own, and so has that of ECS, which asks for no token.
      pod: () => ({
        AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1/credentials',
        AWS_CONTAINER_AUTHORIZATION_TOKEN: podToken,
      }),
      task: () => ({ AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/credentials/task' }),
      instance: () => ({ AWS_EC2_METADATA_SERVICE_ENDPOINT: origin }),
    },
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}
