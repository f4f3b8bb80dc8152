import type { Context } from '../../context.ts';
import type { Agent, Conversation, Lead, Message, Turn } from '../../database/generated/prisma/client.ts';
import type { Extraction, Visitor, WantedField } from '../../model/service.ts';
import { fold } from '../../text/fold.ts';
import type { TracedCapture } from '../conversations/message-trace.ts';
import { turnLog } from '../turns/failure.ts';
import type { TurnRequest } from '../turns/input.ts';
import { type Captured, leadValue } from './captured-lead.ts';
import {
  type CapturedValue,
  captureContacts,
  captureOthers,
  checkValue,
  findWantedFields,
  isColumn,
} from './captured-values.ts';

/** How many of the last messages a model reads for contact details. */
const readCount = 12;

/** A turn from which lead data is extracted. */
type LeadExtractionRequest = {
  agent: Agent;
  request: TurnRequest;
  conversation: Conversation;
  turn: Turn;
  signal: AbortSignal;
};

type Said = Pick<Message, 'id' | 'position' | 'role' | 'content'>;

export type LeadExtraction = {
  /**
   * Extracts what is stated plainly, and starts a model beside the reply if the agent collects leads and something is
   * still missing. Resolves to what the reply should know about the visitor; null for other agents or on failure. Never
   * rejects.
   */
  begin(history: Said[]): Promise<Visitor | null>;
  /** What has been found so far. */
  soFar(): { captured: Captured | null; trace: TracedCapture | null };
  /** Resolves to what the model found after the last `soFar`; null if that had everything. Never rejects. */
  later(): Promise<{ captured: Captured | null; trace: TracedCapture } | null>;
};

/** Starts the extraction: contact details that are stated plainly are known at once. */
export function startLeadExtraction(context: Context, extraction: LeadExtractionRequest): LeadExtraction {
  const { agent, request, conversation, turn } = extraction;
  const texts = textsOf(request);
  const utm = request.utm ?? null;
  // They count more than what is read from messages.
  const stated = (context.viewer.visitor?.stated ?? []).map((value) => ({ ...value, from: null }) as CapturedValue);
  const unstated = (values: CapturedValue[]) =>
    values.filter(({ field }) => !stated.some((value) => value.field === field));
  const capturedByField = new Map(stated.map((value) => [value.field, value]));
  const add = (values: CapturedValue[]) => unstated(values).forEach((value) => capturedByField.set(value.field, value));
  add(readContact(context, texts));
  const captured = (values: CapturedValue[]): Captured | null => (values.length > 0 ? { values, utm } : null);
  let reading: Promise<{ values: CapturedValue[]; trace: TracedCapture } | null> | null = null;
  let trace: TracedCapture | null = null;
  let isReported = true;

  const read = async (fields: WantedField[], history: Said[]) => {
    isReported = false;
    const found = await readByModel(context, extraction, fields, history);
    add(found.values);
    trace = found.trace;
    return found;
  };
  return {
    async begin(history) {
      if (agent.purpose !== 'leads') return null;
      try {
        const where = { workspaceId: turn.workspaceId, id: conversation.leadId ?? '' };
        const [fields, lead] = await Promise.all([
          findWantedFields(context),
          conversation.leadId ? context.database.lead.findFirst({ where }) : null,
        ]);
        const userTexts = transcribedTexts(history, turn, texts);
        if (userTexts.some((text, index) => text !== texts[index])) add(readContact(context, userTexts));
        add(captureOthers(userTexts, fields));
        const visitor = visitorOf(fields, lead, capturedByField);
        const isNew = userTexts.some((text) => /[\p{L}\p{N}]/u.test(text));
        if (isNew && visitor.missing.length > 0 && !conversation.preview) reading = read(fields, history);
        reading?.catch(() => {});
        return visitor;
      } catch (error) {
        context.log.error({ err: error, turnId: turn.id }, 'contact details of a visitor could not be extracted');
        return null;
      }
    },
    soFar() {
      if (trace) isReported = true;
      return { captured: captured([...capturedByField.values()]), trace };
    },
    async later() {
      if (isReported || !reading) return null;
      isReported = true;
      const found = await reading.catch(() => null);
      return found && { captured: captured(unstated(found.values)), trace: found.trace };
    },
  };
}

/** Contact details that are stated plainly. A failure is logged, as it must not prevent the reply. */
function readContact({ log }: Context, texts: string[]): CapturedValue[] {
  try {
    return captureContacts(texts);
  } catch (error) {
    log.error({ err: error }, 'contact details of a visitor could not be extracted');
    return [];
  }
}

/** The user's messages in a request. */
const textsOf = ({ message, messages }: TurnRequest): string[] =>
  [...(messages ?? []), ...(message ? [message] : [])]
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content ?? '');

/**
 * The same messages with the transcripts of recordings, from the history. None if a reply is regenerated: its messages
 * were read before.
 */
function transcribedTexts(history: Said[], { inputFrom }: Turn, texts: string[]): string[] {
  const userMessages = history.filter(({ role, position }) => role === 'user' && position >= inputFrom);
  return userMessages.length === texts.length ? userMessages.map(({ content }) => content ?? '') : texts;
}

/** What is known of a visitor and what to ask for: the name, an email or phone, then the custom fields. */
function visitorOf(fields: WantedField[], lead: Lead | null, captured: Map<string, unknown>): Visitor {
  const isKnown = (field: string) => captured.has(field) || (lead && leadValue(lead, field)) != null;
  const reachable = isKnown('email') || isKnown('phone');
  const contact = { name: 'e-mail or phone', description: 'how to reach the visitor', options: [] };
  const custom = fields.filter(({ name }) => !isColumn(name) && !isKnown(name));
  const name = fields.filter((field) => field.name === 'name' && !isKnown('name'));
  return {
    known: fields.map((field) => field.name).filter(isKnown),
    missing: [...name, ...(reachable ? [] : [contact]), ...custom].map((field) => ({
      name: field.name,
      description: field.description,
      options: field.options,
    })),
  };
}

async function readByModel(
  { model, now, log }: Context,
  { agent, turn, signal }: LeadExtractionRequest,
  fields: WantedField[],
  history: Said[],
): Promise<{ values: CapturedValue[]; trace: TracedCapture }> {
  const rows = history.filter(({ role, content }) => (role === 'user' || role === 'assistant') && content);
  const last = rows.slice(-readCount);
  const messages = last.map(({ role, content }) => ({ role: role as 'user' | 'assistant', content: content ?? '' }));
  const extraction = await model.extract({
    agent,
    fields,
    messages,
    today: now(),
    signal: withoutStop(signal),
    log: turnLog(log, turn),
  });
  if (extraction.error) {
    log.warn({ err: extraction.error, turnId: turn.id }, 'a model could not extract contact details of a visitor');
  }
  const values = extraction.values.flatMap((found): CapturedValue[] => {
    const field = fields.find(({ name }) => name === found.field);
    const value = field && checkValue(field, found.value);
    const from = field && value !== undefined && sourceMessage(field, String(value), last, last[found.message]);
    if (!from || value === undefined) return [];
    const fillsGap = from.position < turn.inputFrom;
    return [{ field: found.field, fieldId: field.id, value, from: { messageId: from.id }, fillsGap }];
  });
  return { values, trace: tracedOf(extraction, values) };
}

function tracedOf({ error, usage, ...extraction }: Extraction, values: CapturedValue[]): TracedCapture {
  const { model, cost, attempts, ms } = extraction;
  return { model, cost, attempts, ms, ...usage, failed: error !== null, fields: values.map(({ field }) => field) };
}

/** Stopping a reply does not stop the extraction from the messages before it. */
function withoutStop(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = () => signal.reason !== 'stopped' && controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return controller.signal;
}

/**
 * The user's message that states a value, `stated` first. Undefined if the value must occur in it word for word and
 * does not: the model made it up.
 */
function sourceMessage({ name, type }: WantedField, value: string, rows: Said[], stated?: Said): Said | undefined {
  const userMessages = rows.filter(({ role }) => role === 'user').toReversed();
  const candidates = stated?.role === 'user' ? [stated, ...userMessages] : userMessages;
  const isEvidence = evidenceOf.get(name) ?? evidenceOf.get(type);
  return isEvidence ? candidates.find(({ content }) => isEvidence(value, content ?? '')) : candidates[0];
}

type Evidence = (value: string, text: string) => boolean;

const containsValue: Evidence = (part, text) => compact(part) !== '' && compact(text).includes(compact(part));
/**
 * Matches the first name as a whole word ("Ana" is not in "banana"); anywhere in scripts that may not separate words.
 */
const containsFirstName: Evidence = (value, text) => {
  const [first = ''] = value.split(/\s+/);
  const userMessages = new Set(wordsOf(text));
  return /\p{Script=Latin}/u.test(first)
    ? wordsOf(first).every((word) => userMessages.has(word))
    : containsValue(first, text);
};
const containsAddress: Evidence = (value, text) => containsValue(value.replace(/^https?:\/\/(?:www\.)?/, ''), text);
const evidenceOf = new Map<string, Evidence>([
  ['name', containsFirstName],
  ['company', containsFirstName],
  // Accepts "ana at example dot com"; the local part alone is not enough.
  ['email', (value, text) => value.split('@').every((part) => containsValue(part.split('.')[0] ?? '', text))],
  ['phone', (value, text) => containsValue(value.slice(-6), text)],
  ['site', containsAddress],
  ['url', containsAddress],
  ['cpf', containsValue],
  ['cnpj', containsValue],
]);

const wordsOf = (text: string): string[] => fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];
const compact = (text: string): string => fold(text).replace(/[^\p{L}\p{N}]+/gu, '');
