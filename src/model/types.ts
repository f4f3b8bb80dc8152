import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelPrice, ModelSettings } from '../config/models.ts';
import type { AgentFreedom, AgentPurpose, ConversationStage } from '../database/generated/prisma/enums.ts';
import type { Breaker } from './breaker.ts';

/** The format of a reply's content. */
export type ReplyFormat = 'markdown' | 'text' | 'html' | 'json';

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/** What the model is told about the agent it speaks for. */
export type ModelAgent = {
  name: string;
  instructions: string | null;
  welcome: string | null;
  freedom: AgentFreedom;
  purpose: AgentPurpose;
  /** Whether replies carry citations. */
  references: boolean;
  /** The name of a configured model; null: the default. */
  model?: string | null;
  /** The model to use when the first one fails. */
  fallbackModel?: string | null;
  /** From 0 to 2; null: the model's default. */
  temperature?: number | null;
  maxOutputTokens?: number | null;
  /** For a whole reply, retries and tools included; capped by the service's own timeout. */
  timeoutMs?: number | null;
};

/**
 * A tool that the model may call; `parameters` is the JSON schema of its arguments. A tool with `execute` is run here,
 * and the model continues with its result; if it rejects, the model is told that it failed, but not why. A call of any
 * other tool ends the turn, for the caller to run it and continue.
 */
export type ToolDefinition = {
  name: string;
  description?: string | null;
  parameters?: Record<string, unknown> | null;
  execute?: (input: Record<string, JsonValue>, options: { callId: string; signal: AbortSignal }) => Promise<string>;
};

/** The result of a tool call. */
export type ToolResult = { toolCallId: string; name: string; content: string };

/** Calls of tools with `execute` and their results, with the text that the model wrote before them. */
export type ReplyStep = { content: string | null; toolCalls: ToolCall[]; results: ToolResult[] };

export type ToolCall = { id: string; name: string; arguments: Record<string, JsonValue> };

/**
 * The model layer fetches nothing: only `data` (bytes, or base64) is sent to a model, and `text` included in the
 * message.
 */
export type ModelAttachment = {
  type: 'image' | 'audio' | 'file';
  url?: string | null;
  data?: string | Uint8Array | null;
  /** Text read from a file. */
  text?: string | null;
  mimeType?: string | null;
  name?: string | null;
  size?: number | null;
};

/** A message of the conversation. Histories are oldest first. */
export type HistoryMessage = {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
  name?: string | null;
  toolCallId?: string | null;
  toolCalls?: ToolCall[] | null;
  attachments?: ModelAttachment[] | null;
};

/** The position of a passage in its source, as far as it applies: see `Section` in src/knowledge/extract/extract.ts. */
export type PassageOrigin = {
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

/** A passage retrieved for this turn; lists are best first. */
export type ModelPassage = {
  id: string;
  sourceId: string;
  baseId: string;
  text: string;
  title?: string | null;
  url?: string | null;
  /** Its position in the source. */
  place: PassageOrigin;
  /** The relevance; comparable within one request only. */
  score?: number;
  /** How rare the words of the question are in the workspace, the same for all passages. */
  rarities?: ReadonlyMap<string, number>;
};

/** Which fields of the visitor are known, and which to ask for, in order; never their values. */
export type Visitor = { known: string[]; missing: { name: string; description: string; options: string[] }[] };

export type ReplyRequest = {
  agent: ModelAgent;
  /** Set for agents that collect leads. */
  visitor?: Visitor | null;
  stage?: ConversationStage | null;
  format: ReplyFormat;
  /** The schema for a JSON reply. */
  jsonSchema?: Record<string, unknown> | null;
  /** A summary of the conversation before `earlier` and `history`. */
  summary?: string | null;
  /** The visitor's messages between the two, which are condensed as well. */
  earlier?: HistoryMessage[];
  /** The conversation, with the newest messages last; the oldest are condensed if they do not fit. */
  history: HistoryMessage[];
  passages: ModelPassage[];
  tools: ToolDefinition[];
  /** How many rounds of calls of tools with `execute` the model may make before it has to reply; 8 by default. */
  maxSteps?: number;
  /** `none`: `tools` only describe past calls. */
  toolChoice?: 'none';
  /** The caller reviews the reply before anyone else sees it: unbacked statements of a restricted agent are kept. */
  unchecked?: boolean;
  /** Whether somebody reads a streamed reply as it is written; by default, somebody does. */
  isFollowed?: boolean;
  /** Stops the turn: a whole reply then fails with `unavailable`, a streamed one ends where it is. */
  signal?: AbortSignal;
  /** Receives the reasons of failed attempts; defaults to the service's log. */
  log?: ModelLog;
};

/** A conversation to summarise: the previous summary, and the messages that it does not cover, oldest first. */
export type SummaryRequest = {
  agent: ModelAgent;
  previous: string | null;
  messages: HistoryMessage[];
  signal?: AbortSignal;
  log?: ModelLog;
};

/** A summary that covers the first `covered` messages. */
export type Summary = { summary: string; covered: number };

/** The source of a statement in the reply. `quote` occurs in the passage, apart from white space. */
export type Reference = { passageId: string; sourceId: string; baseId: string; quote: string };

/** The size of a reply's last prompt, in estimated tokens. */
export type PromptSize = {
  /** Everything: instructions, passages, messages and tools. */
  tokens: number;
  passages: number;
  /** How many passages were sent: as many as fit, best first. */
  shown: number;
  history: number;
  /** How many messages were sent, and how many older ones were condensed instead, as no summary covers them yet. */
  messages: number;
  omitted: number;
  /** Whether a summary of what came before was included. */
  summary: boolean;
};

/** One attempt at getting a reply from a model. */
export type ModelAttempt = {
  model: string;
  /** `resting`: it was not called, as its circuit breaker was open. */
  outcome: 'answered' | 'failed' | 'resting' | 'stopped';
  /** Why it failed, without what the provider said; null if it did not. */
  reason: string | null;
  ms: number;
  /** What the provider reported about the failure, for owners. */
  failure?: ProviderFailure;
};

/** A provider's error report, without keys or parts of the conversation. */
export type ProviderFailure = {
  provider: string;
  /** The HTTP status of its response; null if there was none. */
  status: number | null;
  reason: string | null;
  /** The provider's id of the request. */
  requestId: string | null;
};

/** Receives failures, with fields that identify whose they are. */
export type ModelLog = { warn(what: object, message: string): void };

/** Null: the model did not report it. */
export type TokenUsage = { promptTokens: number | null; completionTokens: number | null; cachedTokens: number | null };

/**
 * What was done with a sentence of a restricted agent that was not delivered as it was, or that a model judged.
 * `statement`: as the model wrote it, shortened. `by`: the rule or judge that decided; null where nothing backs it, or
 * a passage's own words stand for it as without a judge. `passageIds`: of the passages that it rests on.
 */
export type Check = {
  statement: string;
  outcome: 'delivered' | 'quoted' | 'admitted' | 'withheld';
  by: 'judge' | 'fact' | 'negation' | 'opposite' | 'condition' | 'order' | 'wording' | null;
  passageIds: string[];
};

export type Reply = {
  /** The name of the model that replied. */
  model: string;
  /** Calls of tools with `execute` made before the reply, oldest first. */
  steps: ReplyStep[];
  /** Null exactly when `toolCalls` is set. The mark `[1]` in it refers to the first of `references`, and so on. */
  content: string | null;
  /** Calls of the caller's tools, which end the turn. */
  toolCalls: ToolCall[] | null;
  /** The total of all model calls. */
  usage: TokenUsage;
  /** The cost by the configured price; null without one. */
  cost: number | null;
  prompt: PromptSize;
  attempts: ModelAttempt[];
  /** Time until the first word or call, in milliseconds; null if the reply was not streamed. */
  firstTokenMs: number | null;
  totalMs: number;
  references: Reference[];
  /** How many sentences of a restricted agent were withheld because nothing backs them. */
  withheld: number;
  /** What was done with sentences of a restricted agent, in order; at most 60. */
  checks: Check[];
  /** Why the model stopped; `stopped`: someone stopped it. */
  finish: 'stopped' | 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'other';
};

/** A model that agents may choose, as shown to people. */
export type ModelChoice = {
  name: string;
  /** `openai` (any compatible endpoint), `anthropic`, `google` or `embedded`. */
  provider: ModelSettings['provider'] | 'embedded';
  /** The provider's name for it. */
  model: string;
  isDefault: boolean;
  contextTokens: number | null;
  price: ModelPrice | null;
  /** Whether it accepts images, and recordings. */
  images: boolean;
  audio: boolean;
};

/** A model and how to call it. `reads`: which media types it accepts; `secret`: its API key, never to be logged. */
export type Candidate = ModelChoice & {
  reads(mediaType: string): boolean;
  secret: string | null;
  breaker: Breaker;
  /** Loads the model's SDK on first use: a provider that is not used costs no memory. */
  load(request: ReplyRequest): Promise<LanguageModelV4>;
};
