import { ClosedHtml } from '../reply/closed-html.ts';
import { Citer, citeReferences } from '../reply/references.ts';
import type { JudgedRequest } from '../restricted/grounds.ts';
import type { Reference } from '../types.ts';

/**
 * A request that is being replied to. `clean` sanitizes the model's HTML; `grounded`: only statements backed by what
 * the agent knows are kept; `repairsCalls`: the model learns which calls cannot be made, and may try again.
 */
export type Answering = JudgedRequest & {
  clean?: (html: string) => string;
  grounded?: boolean;
  repairsCalls?: boolean;
};

/** Returns a reply's content with its citations verified and numbered, and its HTML sanitized. */
export function cite(request: Answering, content: string): { content: string; references: Reference[] } {
  const { passages, format, agent, jsonSchema, clean } = request;
  // With a schema of the caller's, a `references` key is theirs.
  if (format === 'json' && jsonSchema) return { content, references: [] };
  if (format === 'json') return citeReferences({ content, passages, format, enabled: agent.references });
  const cited = new CitedReply(request);
  return { content: cited.push(clean ? unfence(content) : content, true), references: cited.references };
}

/** Like `cite`, for a streamed reply in any format but JSON. The output does not depend on how the reply is chunked. */
export class CitedReply {
  readonly #citer: Citer;
  readonly #html: ClosedHtml | null;
  readonly #clean: (html: string) => string;
  readonly #ends = new TrimmedText();

  constructor({ passages, format, agent, clean }: Answering) {
    this.#citer = new Citer(passages, agent.references);
    this.#html = format === 'html' ? new ClosedHtml() : null;
    this.#clean = clean ?? ((html) => html);
  }

  get references(): Reference[] {
    return this.#citer.references;
  }

  /** Returns the text that is final now, beyond what was returned before. `ended`: this is the last delta. */
  push(delta: string, ended: boolean): string {
    if (!this.#html) return this.#ends.push(this.#citer.push(delta, ended));
    const parts = [...this.#html.push(delta), ...(ended ? [this.#html.end()] : [])];
    return parts.map((part) => this.#ends.push(this.#part(part))).join('');
  }

  #part(html: string): string {
    return this.#clean(this.#citer.push(this.#ends.isEmpty ? html.replace(fence, '') : html, true));
  }
}

/** Trims streamed text at both ends. */
export class TrimmedText {
  isEmpty = true;
  #gap = '';

  push(delta: string): string {
    const text = this.isEmpty ? delta.trimStart() : delta;
    const body = text.trimEnd();
    if (!body) {
      if (!this.isEmpty) this.#gap += text;
      return '';
    }
    const kept = this.#gap + body;
    this.#gap = text.slice(body.length);
    this.isEmpty = false;
    return kept;
  }
}

/** Some models wrap their HTML in a fence. */
const fence = /^\s*```(?:html)?[ \t]*\n?/i;
const unfence = (html: string): string => html.trimEnd().replace(/\n?```$/, '');
