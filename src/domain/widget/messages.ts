import { addressOf } from '../../config/config.ts';
import type { Context } from '../../context.ts';
import type { Message } from '../../database/generated/prisma/client.ts';
import { shownAttachments } from '../attachments/attachments.ts';
import { type Cited, citedIn } from '../conversations/cited.ts';

/** A message as a visitor sees it. */
export type WidgetMessage = {
  id: string;
  role: 'user' | 'assistant';
  content: string;
  createdAt: Date;
  attachments: WidgetAttachment[];
  references: Cited[];
  rating: 'like' | 'dislike' | null;
  /** A person wrote it in place of the agent; who is not shown. */
  person: boolean;
  /** `stopped`: a person stopped it. `cutOff`: the model reached its output limit. */
  stopped: boolean;
  cutOff: boolean;
};
/** The attachments of a message. Links to the gateway's own files have no origin: the widget knows where it is. */
type WidgetAttachment = { type: string; url: string | null; name: string | null };

/** Shapes a message for the visitor. */
export function toWidgetMessage(context: Context, message: Message): WidgetMessage {
  const { id, role, content, createdAt, createdBy, metadata, feedback } = message;
  return {
    id,
    role: role as WidgetMessage['role'],
    content: content ?? '',
    createdAt,
    attachments: toWidgetAttachments(context, message),
    person: createdBy !== null,
    rating: (feedback as { rating?: WidgetMessage['rating'] } | null)?.rating ?? null,
    ...completionFields(metadata as Completion),
  };
}

function toWidgetAttachments(context: Context, message: Message): WidgetAttachment[] {
  const own = addressOf(context.config);
  return (shownAttachments(context, message) as WidgetAttachment[]).map(({ type, url, name }) => ({
    type,
    url: url?.startsWith(`${own}/files/`) ? url.slice(own.length) : url,
    name,
  }));
}

export type Completion = { references?: unknown; stopped?: boolean; finishReason?: string };

/** What is known once an answer has ended. */
export const completionFields = ({ references, stopped, finishReason }: Completion) => ({
  references: citedIn(references),
  stopped: stopped === true,
  cutOff: finishReason === 'length',
});
