import type { Agent, Conversation, Message, ReachedStage } from '../../database/generated/prisma/client.ts';
import type { ToolCall } from './access.ts';
import { type Cited, citedIn } from './cited.ts';

export type ExportFormat = 'markdown' | 'json' | 'text';
type Exported = Conversation & {
  agent: Pick<Agent, 'id' | 'name'>;
  stages: Pick<ReachedStage, 'stage' | 'reachedAt'>[];
};

/** A format: what it writes before the messages of a conversation, for each message, and after them. */
type Writer = {
  head(conversation: Exported): string;
  message(message: Message, first: boolean): string;
  tail: string;
};

type Feedback = { rating: string; comment: string | null };

/** The parts of a message that the formats write. */
function partsOf(message: Message) {
  const { references = [], ...metadata } = message.metadata as { references?: unknown };
  return {
    metadata,
    references: Array.isArray(references) ? references : [],
    feedback: message.feedback as Feedback | null,
    calls: (message.toolCalls ?? []) as ToolCall[],
    // Links to the files, not their bytes.
    attachments: message.attachments as Record<string, unknown>[],
  };
}

const json: Writer = {
  head({ agent, stages, ...row }) {
    const { id, title, status, stage, outcome, platform, leadId, preview, summary, context, createdAt, updatedAt } =
      row;
    const { satisfaction, satisfactionComment } = row;
    const header = {
      id,
      title,
      agent,
      status,
      stage,
      stages,
      outcome,
      satisfaction,
      satisfactionComment,
      platform,
      leadId,
      preview,
      summary,
      context,
      createdAt,
      updatedAt,
    };
    return `${JSON.stringify(header).slice(0, -1)},"messages":[`;
  },
  message(message, first) {
    const { id, position, role, name, createdBy, content, toolCallId, createdAt } = message;
    const { calls: toolCalls, ...parts } = partsOf(message);
    const written = { id, position, role, name, createdBy, content, toolCallId, toolCalls, ...parts, createdAt };
    return `${first ? '' : ','}\n${JSON.stringify(written)}`;
  },
  tail: '\n]}\n',
};

const markdown: Writer = {
  head: ({ id, title, agent, status, createdAt }) =>
    `# ${oneLine(title) || 'Conversation'}\n\n` +
    `- Conversation: ${id}\n- Agent: ${oneLine(agent.name)}\n- Began: ${createdAt.toISOString()}\n- Status: ${status}\n`,
  message: (message) =>
    [
      `\n## ${speakerOf(message)} · ${message.createdAt.toISOString()}\n`,
      // Quoted, so that a message cannot imitate another speaker.
      ...(message.content ? [`${prefixed(message.content, '> ')}\n`] : []),
      ...notesOf(message).map((note) => `- ${note}`),
      '',
    ].join('\n'),
  tail: '',
};

const text: Writer = {
  head: ({ id, title, agent, status, createdAt }) =>
    `${oneLine(title) || 'Conversation'}\n` +
    `Conversation ${id} with ${oneLine(agent.name)}, began ${createdAt.toISOString()}, ${status}\n`,
  message: (message) =>
    [
      `\n[${message.createdAt.toISOString()}] ${speakerOf(message)}`,
      ...(message.content ? [prefixed(message.content, '    ')] : []),
      ...notesOf(message).map((note) => `  - ${note}`),
      '',
    ].join('\n'),
  tail: '',
};

export const writers: Record<ExportFormat, Writer> = { markdown, json, text };

const speakers = { system: 'Service', user: 'Visitor', assistant: 'Agent', tool: 'Tool' };

function speakerOf({ role, name, createdBy }: Message): string {
  const speaker = createdBy ? `Person ${createdBy}` : speakers[role];
  return name ? `${speaker} (${oneLine(name)})` : speaker;
}

/** What is known of a message besides its text, one line each. */
function notesOf(message: Message): string[] {
  const { calls, references, feedback, attachments, metadata } = partsOf(message);
  const { stopped } = metadata as { stopped?: boolean };
  return [
    ...(stopped ? ['Stopped'] : []),
    ...calls.map(({ name, arguments: args }) => `Calls ${name}(${JSON.stringify(args)})`),
    ...attachments.map(({ type, name, url }) => oneLine(`Attachment: ${[type, name, url].filter(Boolean).join(', ')}`)),
    ...citedIn(references).map((reference, index) => oneLine(`[${index + 1}] ${referenceOf(reference)}`)),
    ...(feedback ? [oneLine(`Feedback: ${[feedback.rating, feedback.comment].filter(Boolean).join(', ')}`)] : []),
  ];
}

function referenceOf({ title, url, quote, page }: Cited): string {
  const where = [title, page && `page ${page}`, url].filter(Boolean).join(', ');
  return quote ? `${where}: “${quote}”` : where;
}

const oneLine = (value: string): string => value.replace(/\s+/g, ' ').trim();
const prefixed = (value: string, prefix: string): string =>
  value
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => prefix + line)
    .join('\n');
