import { beforeAll } from 'vitest';
import type { DatabaseHandle } from '../../../src/database/client.ts';
import { type Gateway, useGateway } from './app.ts';
import { makeWorkspace, type TestWorkspace } from './factories.ts';

/** A gateway for all tests of a file, with two unrelated workspaces; `open` as for `useGateway`. */
export function useWorkspaces(open?: () => Promise<DatabaseHandle>): {
  gateway: Gateway;
  home: TestWorkspace;
  other: TestWorkspace;
} {
  const gateway = useGateway({}, open);
  const [home, other] = [{} as TestWorkspace, {} as TestWorkspace];
  beforeAll(async () => {
    Object.assign(home, await makeWorkspace(gateway));
    Object.assign(other, await makeWorkspace(gateway));
  });
  return { gateway, home, other };
}
