import type { Content, OnProgress } from '../knowledge/extract/read.ts';
import type { Robots, RobotsQuestion } from '../knowledge/extract/robots.ts';
import type { Extracted } from '../knowledge/extract.ts';
import type { Description } from '../plugins/read-description.ts';

/** What a child process is asked, and what it answers to each: all that somebody else's bytes are read for. */
export type Tasks = {
  content: { asks: Content; answers: Extracted };
  robots: { asks: RobotsQuestion; answers: Robots };
  sitemap: { asks: { bytes: Uint8Array; url: string }; answers: { pages: string[]; sitemaps: string[] } };
  description: { asks: { bytes: Uint8Array; url: string }; answers: Description };
};
export type TaskName = keyof Tasks;

type Handlers = {
  [Name in TaskName]: (asked: Tasks[Name]['asks'], onProgress: OnProgress) => Promise<Tasks[Name]['answers']>;
};

/** Each reader is loaded when first needed: a child that reads pages never loads what reads PDF. */
export const handlers: Handlers = {
  content: async (content, onProgress) =>
    (await import('../knowledge/extract/read.ts')).readContent(content, onProgress),
  robots: async (question) => (await import('../knowledge/extract/robots.ts')).readRobots(question),
  description: async (asked) => (await import('../plugins/read-description.ts')).readDescription(asked),
  sitemap: async ({ bytes, url }) => (await import('../knowledge/extract/sitemap.ts')).readSitemap(bytes, url),
};
