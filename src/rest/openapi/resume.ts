import { print } from 'graphql';
import { z } from 'zod';
import { ResumeChatDocument } from '../generated/graphql.ts';
import { exampleId, idOf } from '../records/common.ts';
import type { Route } from '../route.ts';
import { streamExample } from '../stream-description.ts';
import { codeSamplesOf } from './code-samples.ts';
import type { Examples } from './examples.ts';
import { failure, failuresOf } from './failures.ts';
import { type Components, jsonSchemaOf, parametersOf } from './schema.ts';

/** The endpoint of chat-resume.ts; it has no JSON body, so it is not a route. */
export const resumeChat = {
  id: 'resumeChat',
  method: 'get',
  path: '/api/{agentId}/{chatId}/stream',
  params: z.object({
    agentId: idOf('agent', 'agt'),
    chatId: z
      .string()
      .meta({ description: 'The `id` that the AI SDK chat sends with its messages.', examples: ['help'] }),
  }),
  errors: ['not_found'],
} satisfies Partial<Route>;

const document = print(ResumeChatDocument);
const variables = { agentId: exampleId('agt'), chat: 'help' };

/** Returns its OpenAPI operation. */
export const operationOfResume = (components: Components, examples: Examples, publicUrl: string | null): object => ({
  operationId: resumeChat.id,
  tags: ['Conversation'],
  summary: 'Resume the reply in an AI SDK chat',
  description:
    "Streams the reply in progress to an AI SDK chat (`resumeStream`, `resume: true`) after its page was reloaded. A conversation that is unknown or not the caller's has no reply in progress.",
  security: [{ bearer: [] }],
  parameters: parametersOf(resumeChat.params, 'path', components),
  responses: {
    200: {
      description: 'The reply from its start: the same events that the original request receives.',
      content: {
        'text/event-stream': {
          schema: { type: 'string', description: 'Server-sent events, as for `sendMessage`.' },
          example: streamExample,
        },
      },
    },
    204: { description: 'No reply is in progress.' },
    ...failuresOf(resumeChat, jsonSchemaOf(failure, 'output', components), examples),
  },
  'x-graphql-document': document,
  'x-graphql-variables': variables,
  'x-codeSamples': codeSamplesOf(resumeChat, { document, variables }, publicUrl),
});
