import type { AgentFreedom, AgentPurpose, ConversationStage } from '../database/generated/prisma/enums.ts';

/** How the content of a reply is written. */
export type ReplyFormat = 'markdown' | 'text' | 'html' | 'json';

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** What the model is told of the agent it speaks for. */
export type ModelAgent = {
  name: string;
  instructions: string | null;
  welcome: string | null;
  freedom: AgentFreedom;
  purpose: AgentPurpose;
  /** Replies carry citations. */
  references: boolean;
  /** The name of a configured model; null: the default one. */
  model?: string | null;
  /** The model that answers when the first one cannot. */
  fallbackModel?: string | null;
  /** From 0 to 2; null: as the model has it. */
  temperature?: number | null;
  maxOutputTokens?: number | null;
  /** For a whole reply, tries and tools included; never more than the service allows. */
  timeoutMs?: number | null;
};

/**
 * A tool that the model may call; `parameters` is the JSON schema of its arguments. One with `execute` is called here,
 * and the model goes on with what it answers; a rejection is told to the model as a failure without its words. A call
 * of any other tool ends the turn, and the caller goes on with the result.
 */
export type ToolDefinition = {
  name: string;
  description?: string | null;
  parameters?: Record<string, unknown> | null;
  execute?: (input: Record<string, JsonValue>, options: { callId: string; signal: AbortSignal }) => Promise<string>;
};

/** What a tool answered to a call. */
export type ToolResult = { toolCallId: string; name: string; content: string };

/** Calls of tools with `execute` and what they answered, with what the model said before them. */
export type ReplyStep = { content: string | null; toolCalls: ToolCall[]; results: ToolResult[] };

export type ToolCall = { id: string; name: string; arguments: Record<string, JsonValue> };

/** The model layer fetches nothing: only `data` (bytes, or base64) is shown to a model, and `text` told in the message. */
export type ModelAttachment = {
  type: 'image' | 'audio' | 'file';
  url?: string | null;
  data?: string | Uint8Array | null;
  /** What was read of a file. */
  text?: string | null;
  mimeType?: string | null;
  name?: string | null;
  size?: number | null;
};

/** A message of the conversation, oldest first in a history. */
export type HistoryMessage = {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
  name?: string | null;
  toolCallId?: string | null;
  toolCalls?: ToolCall[] | null;
  attachments?: ModelAttachment[] | null;
};

/** Where a passage stands in its source, as far as it applies: see `Section` in src/knowledge/extract/extract.ts. */
export type PassagePlace = {
  page?: number | null;
  slide?: number | null;
  sheet?: string | null;
  rows?: string | null;
  chapter?: string | null;
  /** In seconds. */
  time?: number | null;
  heading?: string | null;
  question?: string | null;
};

/** A piece of a source that was found for this turn, best first. */
export type ModelPassage = {
  id: string;
  sourceId: string;
  baseId: string;
  text: string;
  title?: string | null;
  url?: string | null;
  /** Where it stands in its source. */
  place: PassagePlace;
  /** How well it matches; compares within one request only. */
  score?: number;
};

/** Which fields of the visitor are known, and which are to be learned, in the order in which to ask; never their values. */
export type Visitor = { known: string[]; missing: { name: string; description: string; options: string[] }[] };

export type ReplyRequest = {
  agent: ModelAgent;
  /** Of an agent that collects leads. */
  visitor?: Visitor | null;
  stage?: ConversationStage | null;
  format: ReplyFormat;
  /** What a reply in JSON has to obey. */
  jsonSchema?: Record<string, unknown> | null;
  /** What was said before `earlier` and `history`, in short. */
  summary?: string | null;
  /** What the visitor said between the two, which is told in short too. */
  earlier?: HistoryMessage[];
  /** The conversation with the new messages last; what does not fit is told in short, oldest first. */
  history: HistoryMessage[];
  passages: ModelPassage[];
  tools: ToolDefinition[];
  /** How often tools with `execute` may be called, several at once, before the model has to answer; 8 when left out. */
  maxSteps?: number;
  /** `none`: `tools` are only there for calls of the past. */
  toolChoice?: 'none';
  /** Whoever asks reads what comes before anybody else does: what a restricted agent may not say is not taken out. */
  unchecked?: boolean;
  /** Stops the turn; a whole reply then fails with `unavailable`, a streamed one is what was said so far. */
  signal?: AbortSignal;
  /** Hears why a try failed; the log of the service when left out. */
  log?: ModelLog;
};

/** A conversation to put into notes: what its notes say so far, and the messages that are not in them, oldest first. */
export type SummaryRequest = {
  agent: ModelAgent;
  previous: string | null;
  messages: HistoryMessage[];
  signal?: AbortSignal;
  log?: ModelLog;
};

/** Notes that hold the first `covered` of the messages. */
export type Summary = { summary: string; covered: number };

/** Where a statement of the reply comes from. `quote` stands in the passage, but for white space. */
export type Reference = { passageId: string; sourceId: string; baseId: string; quote: string };

/** How large the last prompt of a reply was, in tokens by estimate. */
export type PromptSize = {
  /** All of it: instructions, passages, messages and tools. */
  tokens: number;
  passages: number;
  /** How many passages were sent, best first: those that fit. */
  shown: number;
  history: number;
  /** How many messages were sent, and how many older ones were told in short instead, as they are in no summary yet. */
  messages: number;
  omitted: number;
  /** Whether what came before went with it in short. */
  summary: boolean;
};

/** One try to get an answer of a model. */
export type ModelAttempt = {
  model: string;
  /** `resting`: it was not asked, since it had failed several times in a row. */
  outcome: 'answered' | 'failed' | 'resting' | 'stopped';
  /** Why it failed, without what the provider said; null when it did not. */
  reason: string | null;
  ms: number;
  /** What the provider said of a failure, for owners. */
  failure?: ProviderFailure;
};

/** What a provider said when it failed, without keys and without what was said in the conversation. */
export type ProviderFailure = {
  provider: string;
  /** The status of its answer; null when none came. */
  status: number | null;
  reason: string | null;
  /** The id by which the provider finds the request. */
  requestId: string | null;
};

/** Where failures are noted, with what tells whose they are. */
export type ModelLog = { warn(what: object, message: string): void };

/** Null: the model did not tell. */
export type TokenUsage = { promptTokens: number | null; completionTokens: number | null; cachedTokens: number | null };

export type Reply = {
  /** The name of the model that answered. */
  model: string;
  /** What happened before the answer: calls of tools with `execute`, oldest first. */
  steps: ReplyStep[];
  /** Null exactly when `toolCalls` is set. The mark `[1]` in it is the first of `references`, and so on. */
  content: string | null;
  /** Calls of the caller's tools, which end the turn. */
  toolCalls: ToolCall[] | null;
  /** Of all calls of the model together. */
  usage: TokenUsage;
  /** What the tokens cost, by the configured price; null where none is. */
  cost: number | null;
  prompt: PromptSize;
  attempts: ModelAttempt[];
  /** When the first word or call came, in milliseconds since the model was asked; null for a reply that came whole. */
  firstTokenMs: number | null;
  totalMs: number;
  references: Reference[];
  /** How many sentences of a restricted agent were not told, as they rest on nothing that it knows. */
  withheld: number;
  /** Why the model stopped; `stopped`: a person stopped it. */
  finish: 'stopped' | 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'other';
};
