import { Hono } from 'hono';
import type { Services } from '../context.ts';
import type { HttpVariables } from '../http/log/request-log.ts';
import { demoPage } from './demo.ts';
import { createWidgetEndpoints } from './endpoints.ts';
import { createWidgetScript } from './script.ts';

/** Everything of the widget: the embedded script, its endpoints, and a demo page. */
export function createWidget(services: Services): Hono<{ Variables: HttpVariables }> {
  const app = new Hono<{ Variables: HttpVariables }>();
  app.get('/demo/widget', (c) => demoPage(services, c.req.query('channel')));
  app.route('/', createWidgetScript());
  app.route('/', createWidgetEndpoints(services));
  return app;
}
