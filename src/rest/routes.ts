import { accountRoutes } from './accounts.ts';
import { agentRoutes } from './assistant-agents.ts';
import { leadRoutes } from './assistant-leads.ts';
import { workspaceRoutes } from './assistant-workspace.ts';
import { baseRoutes } from './bases.ts';
import { chatRoutes } from './chat.ts';
import { contentRoutes } from './content.ts';
import type { Route } from './route.ts';

/** Every operation of the legacy service, by base address. */
export const routes: Route[] = [
  ...chatRoutes,
  ...agentRoutes,
  ...leadRoutes,
  ...workspaceRoutes,
  ...baseRoutes,
  ...accountRoutes,
  ...contentRoutes,
];
