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
    agentId: z.string().meta({ description: 'ID of the agent.' }),
    chatId: z.string().meta({ description: 'The `id` that the AI SDK chat sends with its messages.' }),
  }),
};

/** Returns its OpenAPI operation. */
export const operationOfResume = (components: Components): object => ({
  operationId: 'resumeChat',
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
    ...failuresOf({ method: 'get', errors: ['not_found'] }, jsonSchemaOf(failure, 'output', components)),
  },
  'x-graphql-document': print(ResumeChatDocument),
});
