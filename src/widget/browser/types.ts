/** What everybody may know of the agent. */
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
  /** It was said here, and has not been answered yet: nobody knows whether it arrived. */
  pending?: boolean;
};
export type Conversation = { id: string; status: string; messages: Message[] };
export type Session = { token: string; secret: string; agent: Face; conversation: Conversation | null };
/** A question that may be asked again by its key without being asked twice. */
export type Question = {
  key: string;
  body: { conversationId: string | null; content: string; utm?: Record<string, string> };
};
/** A part of a stream, as the AI SDK names them. */
export type Part =
  | { type: 'start'; messageId: string; messageMetadata: { conversationId: string } }
  | { type: 'text-start' | 'text-end' }
  | { type: 'text-delta'; delta: string }
  | { type: 'finish'; messageMetadata: { references: Reference[]; stopped: boolean; cutOff: boolean } }
  | { type: 'data-turn'; data: Conversation }
  | { type: 'error'; message: string; code: string };
