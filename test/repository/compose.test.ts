import { readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';

type Service = {
  environment?: Record<string, string>;
  ports?: string[];
  networks?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  depends_on?: Record<string, unknown>;
  configs?: { source: string }[];
};
type Compose = {
  services: Record<string, Service>;
  configs: Record<string, { content: string }>;
  networks: Record<string, { internal?: boolean }>;
};

const secrets: Record<string, string> = {
  POSTGRES_PASSWORD: '0123abc',
  ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
};
const text = readFileSync(path.join(import.meta.dirname, '../../compose.yaml'), 'utf8');
const { services, configs, networks } = load(
  text.replaceAll(/\$\{(\w+)[^}]*\}/g, (_, name: string) => secrets[name] ?? ''),
) as Compose;

describe('compose.yaml', () => {
  test('gives the gateway settings that it takes, and reaches the database through PgBouncer', () => {
    const config = readConfig(services.gateway?.environment ?? {});
    expect(config.databaseUrl).toBe('postgres://parley:0123abc@pgbouncer:6432/parley');
    expect(configs.pgbouncer?.content).toMatch(/listen_port = 6432[^]*pool_mode = transaction/);
    expect(configs.users?.content).toContain('"parley" "0123abc"');
    expect(Object.keys(services.gateway?.depends_on ?? {})).toEqual(['pgbouncer', 'postgres']);
  });

  test('holds no secret of its own, and does not start without them', () => {
    const asked = [...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
    expect([...new Set(asked)].sort()).toEqual(['ENCRYPTION_KEYS', 'POSTGRES_PASSWORD']);
    expect(text).not.toMatch(/PASSWORD: (?!\$\{)/);
  });

  test('shows nothing to other machines, and the database to the gateway alone', () => {
    const ports = Object.values(services).flatMap((service) => service.ports ?? []);
    expect(ports).toEqual(['127.0.0.1:4000:4000']);
    for (const name of ['postgres', 'pgbouncer']) expect(services[name]?.networks).toEqual(['inside']);
    expect(networks.inside?.internal).toBe(true);
  });

  test('lets the gateway and the pooler write nothing but what is theirs', () => {
    for (const name of ['gateway', 'pgbouncer']) {
      expect(services[name]).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    }
  });
});
