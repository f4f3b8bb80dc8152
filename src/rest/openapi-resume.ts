import { print } from 'graphql';
import { z } from 'zod';
import { ResumeChatDocument } from './generated/graphql.ts';
import { failure, failuresOf } from './openapi-failures.ts';
import { type Components, jsonSchemaOf, parametersOf } from './openapi-schema.ts';
import { streamExample } from './stream-description.ts';

/** The endpoint of chat-resume.ts; it has no JSON body, so it is not a route. */
export const resumeChat = {
  path: '/api/{agentId}/{chatId}/stream',
  params: z.object({
    agentId: z.string().meta({ description: 'The agent that was asked.' }),
    chatId: z.string().meta({ description: 'The `id` that the chat of the AI SDK sends with its messages.' }),
  }),
};

/** Returns its OpenAPI operation. */
export const operationOfResume = (components: Components): object => ({
  operationId: 'resumeChat',
  tags: ['Conversation'],
  summary: 'Resume the reply of a chat of the AI SDK',
  description:
    'Where a chat of the AI SDK (`resumeStream`, `resume: true`) looks for a reply that is under way after its page was ' +
    'loaded anew. A conversation that is not known, or not the caller’s, has none.',
  security: [{ bearer: [] }],
  parameters: parametersOf(resumeChat.params, 'path', components),
  responses: {
    200: {
      description: 'The reply from its start: the events that the request which is being answered gets.',
      content: {
        'text/event-stream': {
          schema: { type: 'string', description: 'Server-sent events, as of `sendMessage`.' },
          example: streamExample,
        },
      },
    },
    204: { description: 'No reply is under way.' },
    ...failuresOf({ method: 'get', errors: ['not_found'] }, jsonSchemaOf(failure, 'output', components)),
  },
  'x-graphql-document': print(ResumeChatDocument),
});
