import { beforeAll } from 'vitest';
import { type Gateway, useGateway } from './app.ts';
import { makeWorkspace, type TestWorkspace } from './factories.ts';

/** A gateway for all tests of a file, with two unrelated workspaces. */
export function useWorkspaces(): { gateway: Gateway; home: TestWorkspace; other: TestWorkspace } {
  const gateway = useGateway();
  const [home, other] = [{} as TestWorkspace, {} as TestWorkspace];
  beforeAll(async () => {
    Object.assign(home, await makeWorkspace(gateway));
    Object.assign(other, await makeWorkspace(gateway));
  });
  return { gateway, home, other };
}
