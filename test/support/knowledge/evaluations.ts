import { beforeAll, expect } from 'vitest';
import type { Gateway, GraphQLAnswer } from '../gateway/app.ts';
import { makeAgent, makeWorkspace, type TestWorkspace } from '../gateway/factories.ts';
import { create, faq } from './knowledge.ts';

type Seen = any;

export const caseFields = 'id question expectedSourceId expectedText updatedAt expectedSource { id } agent { id }';
const runFields = `id status reason answers caseCount doneCount passedCount foundCount newlyFailingCount passedShare
  foundShare previousId endedAt results(first: 20) { nodes {
    question passed rank contained cited answer failure newlyFailing caseId
  } }`;

/** Helpers for evaluations: two workspaces; the first has a base with two sources. */
export function useEvaluations(gateway: Gateway) {
  const [home, other] = [{} as TestWorkspace, {} as TestWorkspace];
  const ids = { baseId: '', pool: '', parking: '' };
  beforeAll(async () => {
    Object.assign(home, await makeWorkspace(gateway));
    Object.assign(other, await makeWorkspace(gateway));
    await gateway.work();
    const input = {
      description: 'Camp',
      sources: [
        faq('When is the pool open?', 'The pool is open from May.'),
        faq('Is parking free?', 'Parking is free for guests.'),
      ],
    };
    const { base } = (await gateway.data(home.editor, create, { input })).createBase;
    const [pool, parking] = base.sources.nodes.map(({ id }: Seen) => id);
    Object.assign(ids, { baseId: base.id, pool, parking });
    await gateway.services.queue.idle();
  });
  const call = (name: string, fields: string, input: object, viewer = home.editor): Promise<GraphQLAnswer> => {
    const title = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    const document = `mutation ($input: ${title}Input!) { ${name}(input: $input) { ${fields} } }`;
    return gateway.graphql(viewer, document, { input });
  };
  const start = (agentId: string, more: object = {}, viewer = home.editor) =>
    call('evaluateAgent', `evaluationRun { ${runFields} }`, { agentId, ...more }, viewer);
  const seen = async (id: string): Promise<Seen> =>
    (await gateway.data(home.viewer, `query { evaluationRun(id: "${id}") { ${runFields} } }`)).evaluationRun;
  return {
    home,
    other,
    ids,
    call,
    /** Starts an evaluation. */
    start,
    seen,
    /** Evaluates an agent, and waits for the end. */
    async evaluate(agentId: string, more: object = {}): Promise<Seen> {
      const { data, errors } = await start(agentId, more);
      expect(errors).toBeUndefined();
      await gateway.services.queue.idle();
      return seen(data.evaluateAgent.evaluationRun.id);
    },
    /** An agent that answers from the base. */
    async newAgent(): Promise<string> {
      const { id } = await makeAgent(gateway, home.editor);
      const attach = `mutation { attachBase(input: { agentId: "${id}", baseId: "${ids.baseId}" }) { agent { id } } }`;
      await gateway.data(home.editor, attach);
      return id;
    },
    async add(agentId: string, input: object): Promise<Seen> {
      const added = await call('createEvaluationCase', `evaluationCase { ${caseFields} }`, { agentId, ...input });
      expect(added.errors).toBeUndefined();
      return added.data.createEvaluationCase.evaluationCase;
    },
    ask: (agentId: string, content: string, more: object = {}) =>
      gateway.rest(home.app, 'POST', `/api/${agentId}`, { message: { content }, ...more }),
  };
}
