import { defineTask } from '../../sandbox/task.ts';
import type { readRobots } from './robots.ts';
import type { readSitemap } from './sitemap.ts';

/** What a crawler parses besides pages, each in a child process. */
export const robotsTask = defineTask<typeof readRobots>(new URL('robots.ts', import.meta.url), 'readRobots');
export const sitemapTask = defineTask<typeof readSitemap>(new URL('sitemap.ts', import.meta.url), 'readSitemap');
