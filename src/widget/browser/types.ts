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
/** `url`: relative to the gateway if the file is stored there; null while it is being sent. */
export type Attachment = { type: string; url: string | null; name: string | null };
/** What a visitor may attach: the kinds of files that the agent reads, how many, and how many bytes together. */
export type Attachable = { types: string[]; count: number; bytes: number };
export type Message = {
  id: string;
  role: 'user' | 'assistant';
  content: string;
  createdAt: string;
  attachments: Attachment[];
  references: Reference[];
  rating: 'like' | 'dislike' | null;
  /** A person wrote it in place of the agent. */
  person: boolean;
  stopped: boolean;
  cutOff: boolean;
  /** Sent but not answered yet; it may not have arrived. */
  pending?: boolean;
};
/** What is shown of a conversation beside its messages. */
export type Standing = {
  status: string;
  /** A person has taken over from the agent. */
  person: boolean;
  /** How satisfied the visitor was, from 1 to 5; null if they did not say. */
  satisfaction: number | null;
  /** Whether they are asked, or may change it. */
  asksSatisfaction: boolean;
};
export type Conversation = Standing & { id: string; messages: Message[] };
export type ConversationSummary = {
  id: string;
  status: string;
  lastAt: string;
  excerpt: string;
  role: Message['role'];
};
export type Session = {
  token: string;
  /** Null for a user of the page's site: only a token of the site lets them in again. */
  secret: string | null;
  agent: Face;
  attachable: Attachable;
  form: FormField[];
  greetings: Greeting[];
  conversation: Conversation | null;
};
/** A field that the visitor is asked for before the first message. */
export type FormField = { name: string; type: string; options: string[]; required: boolean };
/** What the widget says of its own accord. */
export type Greeting = { text: string; seconds: number | null; path: string | null; onExit: boolean };
/** A question; its idempotency key makes it safe to send again. */
export type Question = {
  key: string;
  body: {
    conversationId: string | null;
    content: string;
    attachments?: string[];
    utm?: Record<string, string>;
    lead?: object;
    greeting?: string;
  };
  /** The names of its files. */
  files?: string[];
};
/** A stream part, named as in the AI SDK. */
export type Part =
  | { type: 'start'; messageId: string; messageMetadata: { conversationId: string } }
  | { type: 'text-start' | 'text-end' }
  | { type: 'text-delta'; delta: string }
  | { type: 'finish'; messageMetadata: { references: Reference[]; stopped: boolean; cutOff: boolean } }
  | { type: 'data-turn'; data: Conversation }
  | { type: 'error'; message: string; code: string };
/** Why a file is not attached. */
export type UploadFault = 'tooLarge' | 'unreadable' | 'limited' | 'notUploaded';
/** A file that the visitor adds to a message. `progress`: the part that was sent, from 0 to 1. */
export type Upload = {
  key: string;
  name: string;
  size: number;
  progress: number;
  /** Stands for the stored file in the message; null until it is stored. */
  handle: string | null;
  fault: UploadFault | null;
};
