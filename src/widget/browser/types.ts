/** The public properties of the agent. */
export type Face = {
  name: string;
  avatar: string | null;
  color: string;
  welcome: string | null;
  off: string | null;
  left: boolean;
  references: boolean;
  paused: boolean;
};
export type Reference = { title: string | null; url: string | null; quote: string; page: number | null };
export type Message = {
  id: string;
  role: 'user' | 'assistant';
  content: string;
  references: Reference[];
  rating: 'like' | 'dislike' | null;
  stopped: boolean;
  cutOff: boolean;
  /** Sent but not answered yet; it may not have arrived. */
  pending?: boolean;
};
export type Conversation = { id: string; status: string; messages: Message[] };
export type Session = { token: string; secret: string; agent: Face; conversation: Conversation | null };
/** A question; its idempotency key makes it safe to send again. */
export type Question = {
  key: string;
  body: { conversationId: string | null; content: string; utm?: Record<string, string> };
};
/** A stream part, named as in the AI SDK. */
export type Part =
  | { type: 'start'; messageId: string; messageMetadata: { conversationId: string } }
  | { type: 'text-start' | 'text-end' }
  | { type: 'text-delta'; delta: string }
  | { type: 'finish'; messageMetadata: { references: Reference[]; stopped: boolean; cutOff: boolean } }
  | { type: 'data-turn'; data: Conversation }
  | { type: 'error'; message: string; code: string };
