import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as consumers from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Listening, listen } from '../../src/http/server.ts';
import { readEvents } from '../support/conversations/event-stream.ts';
import { isText, patientPingMs, say, useStreaming } from '../support/conversations/streaming.ts';
import { freePort } from '../support/gateway/free-port.ts';

type Place = { folder: string; port: number; upstream: string };
type Proxy = { files: string[]; config: (place: Place) => string; args: (file: string) => string[] };

/** Below /parley/ is the gateway, which knows only the part after it. Streams must not be held back. */
const proxies: Record<string, Proxy> = {
  HAProxy: {
    files: ['/usr/sbin/haproxy'],
    config: ({ port, upstream }) => `
defaults
  mode http
  timeout connect 2s
  timeout client 120s
  timeout server 120s
  timeout check 10s
frontend public
  bind 127.0.0.1:${port}
  stats enable
  stats uri /stats
  default_backend parley
backend parley
  option httpchk GET /ready
  option forwardfor
  http-request replace-path /parley/(.*) /\\1
  server one ${upstream} check inter 500ms
`,
    args: (file) => ['-db', '-f', file],
  },
  Apache: {
    files: ['/usr/sbin/apache2', '/usr/sbin/httpd'],
    config: ({ folder, port, upstream }) => `
ServerRoot ${folder}
ServerName localhost
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
DefaultRuntimeDir ${folder}
Mutex file:${folder} default
Listen 127.0.0.1:${port}
${['mpm_event', 'authz_core', 'headers', 'proxy', 'proxy_http'].map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
<IfModule !unixd_module>
LoadModule unixd_module /usr/lib/apache2/modules/mod_unixd.so
</IfModule>
ProxyTimeout 120
ProxyPreserveHost On
ProxyPass /parley/ http://${upstream}/ flushpackets=on
`,
    args: (file) => ['-X', '-f', file],
  },
  nginx: {
    files: ['/usr/sbin/nginx'],
    // Otherwise it refuses larger bodies than 1 MB itself, or takes all of one before the gateway can.
    config: ({ folder, port, upstream }) => `
daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  server {
    listen 127.0.0.1:${port};
    location /parley/ {
      proxy_pass http://${upstream}/;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_buffering off;
      proxy_request_buffering off;
      proxy_read_timeout 120s;
      client_max_body_size 0;
    }
  }
}
`,
    args: (file) => ['-c', file, '-e', 'stderr'],
  },
  Caddy: {
    files: ['/usr/bin/caddy'],
    config: ({ port, upstream }) => `
{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
  handle_path /parley/* {
    reverse_proxy ${upstream} {
      health_uri /ready
      health_interval 500ms
      health_timeout 10s
    }
  }
}
`,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
};
const found = Object.entries(proxies).map(([name, proxy]) => ({
  name,
  ...proxy,
  file: proxy.files.find((file) => existsSync(file)) ?? '',
}));

describe.skipIf(found.every(({ file }) => !file))('a proxy in front of the gateway', () => {
  const { world } = useStreaming(patientPingMs);
  let server: Listening;
  beforeAll(async () => {
    server = await listen(world.gateway.app.fetch as never, { host: '127.0.0.1', port: 0 });
  });
  afterAll(() => server.close(0));

  describe.each(found)('$name (left out where it is missing)', ({ name, file, config, args }) => {
    describe.skipIf(!file)('below a path', () => {
      let proxy: ChildProcess;
      let folder: string;
      let address: string;
      beforeAll(async () => {
        const port = await freePort();
        folder = await mkdtemp(path.join(tmpdir(), 'parley-proxy-'));
        const configFile = path.join(folder, 'config');
        await writeFile(configFile, config({ folder, port, upstream: new URL(server.url).host }));
        address = `http://127.0.0.1:${port}/parley`;
        const env = { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
        proxy = spawn(file, args(configFile), { stdio: 'ignore', env });
        await vi.waitFor(async () => {
          const { status } = await fetch(`${address}/ready`);
          if (status !== 200) throw new Error(`It answers ${status}`);
        }, 30_000);
      });
      afterAll(async () => {
        proxy?.kill('SIGKILL');
        if (proxy?.exitCode === null && proxy.signalCode === null) await once(proxy, 'exit');
        await rm(folder, { recursive: true, force: true });
      });
      const json = async () => ({
        authorization: `Bearer ${await world.gateway.bearer(world.home.owner)}`,
        'content-type': 'application/json',
      });

      test('its health checks find the gateway ready', async () => {
        if (name === 'HAProxy') {
          // It asks by HTTP/1.0 without Host. `L7OK`: an answer of 2xx or 3xx.
          const stats = async () => (await fetch(new URL('/stats;csv', address))).text();
          await expect.poll(stats).toMatch(/^parley,one,.*,UP,.*,L7OK,200,/m);
        }
        expect((await fetch(`${address}/health`)).status).toBe(200);
      });

      test('operations, REST and refusals pass as they are', async () => {
        const headers = await json();
        const query = '{ agents(first: 1) { nodes { id } } }';
        const answer = await fetch(`${address}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
        expect(await answer.json()).toEqual({ data: { agents: { nodes: [{ id: world.agent.id }] } } });
        const list = await fetch(`${address}/rest/agents?page=1&limit=1`, { headers });
        expect([list.status, ((await list.json()) as { data: object[] }).data]).toMatchObject([200, [world.agent]]);
        const unknown = await fetch(`${address}/rest/agents/agt_00000000000000000000000000`, { headers });
        expect([unknown.status, await unknown.json()]).toMatchObject([404, { code: 'not_found' }]);
      });

      test('a body that is too large gets its refusal, however slowly it is sent', async () => {
        const piece = Buffer.alloc(500_000, 'x');
        async function* slowly() {
          for (let sent = 0; sent < 20_000_000; sent += piece.length) {
            await sleep(40);
            yield piece;
          }
        }
        const sent = request(`${address}/rest/leads`, {
          method: 'POST',
          headers: { ...(await json()), 'content-length': '20000000' },
        });
        const answered = once(sent, 'response');
        // A proxy may relay the answer and read no more.
        void pipeline(slowly(), sent).catch(() => {});
        const [answer] = (await answered) as [IncomingMessage];
        expect([answer.statusCode, await consumers.json(answer)]).toMatchObject([
          413,
          { code: 'payload_too_large', message: expect.stringContaining('MB') },
        ]);
        sent.destroy();
      });

      test('a reply passes word by word', async () => {
        const response = fetch(`${address}/api/${world.agent.id}`, {
          method: 'POST',
          headers: {
            accept: 'text/event-stream',
            'content-type': 'application/json',
            authorization: `Bearer ${await world.gateway.bearer(world.home.app)}`,
          },
          body: JSON.stringify(say('Hello')),
        });
        const call = await world.model.next();
        call.say('One');
        const events = readEvents(await response);
        await events.until(isText);
        for (const word of [' two', ' three', ' four']) {
          call.say(word);
          // The next word is not written before this one has come: held back, it would never come.
          expect((await events.next())?.data.delta).toBe(word);
        }
        call.end();
        expect((await events.rest()).at(-1)?.data).toBe('[DONE]');
      });
    });
  });
});
