import { ParleyError } from '../../../src/core/errors.ts';
import type { ModelService, Reply, ReplyRequest } from '../../../src/model/service.ts';

/** A request to the model, for the test to answer. */
export type Asked = {
  request: ReplyRequest;
  say(piece: string): void;
  end(more?: Partial<Reply>): void;
  fail(): void;
};

const said = (content: string): Reply => ({
  model: 'scripted',
  steps: [],
  content,
  toolCalls: null,
  usage: { promptTokens: 1, completionTokens: 1, cachedTokens: 0 },
  cost: null,
  prompt: { characters: 0, messages: 0, passages: 0, tools: 0 } as never,
  attempts: [],
  firstTokenMs: null,
  totalMs: 0,
  references: [],
  withheld: 0,
  checks: [],
  finish: 'stop',
});

/** A model inside the process. It answers `Answer to <last message>.`, or while `held`, what the test says. */
export function createScriptedModel(model: ModelService) {
  const asked: Asked[] = [];
  const waiting: ((asked: Asked) => void)[] = [];
  const scripted = {
    held: false,
    service: { ...model, stream },
    next: (): Promise<Asked> => {
      const call = asked.shift();
      return call ? Promise.resolve(call) : new Promise((resolve) => void waiting.push(resolve));
    },
  };
  async function stream(request: ReplyRequest, onText: (piece: string) => void): Promise<Reply> {
    const question = request.history.findLast(({ role }) => role === 'user')?.content;
    if (!scripted.held) {
      onText(`Answer to ${question}.`);
      return said(`Answer to ${question}.`);
    }
    let content = '';
    const done = Promise.withResolvers<Reply>();
    request.signal?.addEventListener('abort', () => done.resolve({ ...said(content), finish: 'stopped' }));
    const call: Asked = {
      request,
      say(piece) {
        content += piece;
        onText(piece);
      },
      end: (more = {}) => done.resolve({ ...said(content), ...more }),
      fail: () => done.reject(new ParleyError('model_error', 'The model failed.')),
    };
    const next = waiting.shift();
    if (next) next(call);
    else asked.push(call);
    return done.promise;
  }
  return scripted;
}
