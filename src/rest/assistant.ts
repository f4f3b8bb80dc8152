import { agentRoutes } from './assistant-agents.ts';
import { leadRoutes } from './assistant-leads.ts';
import { workspaceRoutes } from './assistant-workspace.ts';
import type { Route } from './route.ts';

/** The operations of the assistant host. */
export const assistantRoutes: Route[] = [...agentRoutes, ...leadRoutes, ...workspaceRoutes];
