import { accountRoutes } from './accounts.ts';
import { assistantRoutes } from './assistant.ts';
import { baseRoutes } from './bases.ts';
import { chatRoutes } from './chat.ts';
import { contentRoutes } from './content.ts';
import type { Route } from './route.ts';

/** Every operation of the legacy service, by base address. */
export const routes: Route[] = [...chatRoutes, ...assistantRoutes, ...baseRoutes, ...accountRoutes, ...contentRoutes];
