import type { GuardedFetch } from '../net/guarded-fetch.ts';
import { ExtractFailure } from '../sandbox/extract-failure.ts';
import { defineTask } from '../sandbox/task.ts';
import { runTask } from '../sandbox/task-runner.ts';
import type { Description, readDescription } from './read-description.ts';
import type { Manifest } from './read-manifest.ts';
import type { Interface } from './types.ts';

/**
 * A plugin as its documents describe it; `manifest` is null if the given address was that of an OpenAPI description.
 */
export type LoadedPlugin = { manifest: Manifest | null; apiUrl: string; interface: Interface };

const descriptionTask = defineTask<typeof readDescription>(
  new URL('read-description.ts', import.meta.url),
  'readDescription',
);

const maxBytes = 5_000_000;
const timeoutMs = 15_000;
const accept = 'application/json, application/yaml, text/yaml, text/*;q=0.5, */*;q=0.1';

/**
 * Fetches a manifest and the description that it names, or just a description. Both are parsed in a child process,
 * since they are untrusted. Rejects with `FetchFailure` or `ExtractFailure`.
 */
export async function loadPlugin(fetch: GuardedFetch, workspaceId: string, url: string): Promise<LoadedPlugin> {
  const first = await load(fetch, workspaceId, url);
  if ('interface' in first) return { manifest: null, apiUrl: url, interface: first.interface };
  const { manifest } = first;
  const second = await load(fetch, workspaceId, manifest.apiUrl);
  if ('manifest' in second) throw new ExtractFailure('The manifest names another manifest instead of a description');
  return { manifest, apiUrl: manifest.apiUrl, interface: second.interface };
}

async function load(fetch: GuardedFetch, workspaceId: string, url: string): Promise<Description> {
  const answer = await fetch(url, { accept, maxBytes, timeoutMs });
  const requested = { bytes: answer.bytes, url: answer.url };
  return runTask(descriptionTask, requested, { workspaceId, isUrgent: true, timeoutMs: 30_000 });
}
