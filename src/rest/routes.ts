import { assistantRoutes } from './assistant.ts';
import type { Route } from './route.ts';

/** Every operation of the legacy service. */
export const routes: Route[] = [...assistantRoutes];
