import { beforeAll, expect } from 'vitest';
import type { Gateway, GraphQLAnswer } from '../gateway/app.ts';
import { makeWorkspace, type TestWorkspace } from '../gateway/factories.ts';
import type { Site } from './site.ts';

const base = `base {
  id description status records createdBy updatedBy
  sources(orderBy: { field: createdAt, direction: asc }) {
    nodes { id type status reason attempts file { url data title img description key } }
  }
}`;
export const create = `mutation ($input: CreateBaseInput!) { createBase(input: $input) { ${base} } }`;
export const update = `mutation ($input: UpdateBaseInput!) { updateBase(input: $input) { ${base} } }`;
export const read = `query ($id: ID!) { ${base.replace('base', 'base(id: $id)')} }`;
const passages = `query ($id: ID!) { base(id: $id) { passages(first: 100) { nodes { text place position } } } }`;

export type BaseSeen = any;
type PassageSeen = { text: string; place: object; position: number };

/** A FAQ source with one pair. */
export const faq = (question: string, answer: string, more = {}) => ({
  type: 'faq',
  file: { data: { question, answer }, ...more },
});
/** A page with one paragraph. */
export const html = (text: string) =>
  `<html><head><title>Shop</title></head><body><main><h1>Shop</h1><p>${text}</p></main></body></html>`;

/** Helpers for bases, in a separate workspace, with background jobs running. */
export function useKnowledge(gateway: Gateway, site: Site) {
  const home = {} as TestWorkspace;
  beforeAll(async () => {
    Object.assign(home, await makeWorkspace(gateway));
    await gateway.work();
  });
  const see = async (id: string): Promise<BaseSeen> => (await gateway.data(home.viewer, read, { id })).base;
  const passagesOf = async (id: string): Promise<PassageSeen[]> =>
    (await gateway.data(home.viewer, passages, { id })).base.passages.nodes;
  return {
    home,
    see,
    passagesOf,
    page: (path: string, more = {}) => ({ type: 'page', file: { url: site.url(path), ...more } }),
    async make(sources: object[], description = 'Shop'): Promise<BaseSeen> {
      return (await gateway.data(home.editor, create, { input: { description, sources } })).createBase.base;
    },
    async put(id: string, sources: object[], description = 'Shop'): Promise<BaseSeen> {
      return (await gateway.data(home.editor, update, { input: { id, description, sources } })).updateBase.base;
    },
    /** Waits until all sources are read, and returns the base. */
    async settle(id: string): Promise<BaseSeen> {
      await gateway.services.queue.idle();
      return see(id);
    },
    texts: async (id: string) => (await passagesOf(id)).map(({ text }) => text),
    /** Calls a mutation of a source. */
    change(name: string, input: object): Promise<GraphQLAnswer> {
      const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
      const row = name === 'deleteSource' ? 'source { id deleted }' : 'source { id status reason attempts }';
      const document = `mutation ($input: ${title}Input!) { ${name}(input: $input) { ${row} } }`;
      return gateway.graphql(home.editor, document, { input });
    },
    /** Delays a page until the returned function is called. */
    hold(path: string, body: string): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      site.pages.set(path, { body, until: promise });
      return resolve;
    },
    visited: (path: string, count = 1) =>
      expect.poll(() => site.visits.get(path) ?? 0, { interval: 5 }).toBeGreaterThanOrEqual(count),
  };
}
