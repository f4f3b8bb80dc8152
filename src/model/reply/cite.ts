import type { JudgedRequest } from '../restricted/grounds.ts';
import type { Reference } from '../types.ts';
import { ClosedHtml } from './closed-html.ts';
import { Citer, citeReferences } from './references.ts';

/**
 * A request that is being answered. `clean` makes HTML of the model fit to be shown; `grounded`: only what rests on what the
 * agent knows is told.
 */
export type Answering = JudgedRequest & { clean?: (html: string) => string; grounded?: boolean };

/** Words of a reply with their citations checked and numbered; HTML is made fit to be shown. */
export function cite(request: Answering, content: string): { content: string; references: Reference[] } {
  const { passages, format, agent, jsonSchema, clean } = request;
  // What the caller's schema calls references is the caller's.
  if (format === 'json' && jsonSchema) return { content, references: [] };
  if (format === 'json') return citeReferences({ content, passages, format, enabled: agent.references });
  const cited = new CitedReply(request);
  return { content: cited.push(clean ? unfence(content) : content, true), references: cited.references };
}

/** The same of a reply that is being written, but in JSON: in whichever pieces it comes, it is told the same. */
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

  /** What may be told now, beside what was before. `ended`: nothing follows. */
  push(delta: string, ended: boolean): string {
    if (!this.#html) return this.#ends.push(this.#citer.push(delta, ended));
    const parts = [...this.#html.push(delta), ...(ended ? [this.#html.end()] : [])];
    return parts.map((part) => this.#ends.push(this.#part(part))).join('');
  }

  #part(html: string): string {
    return this.#clean(this.#citer.push(this.#ends.isEmpty ? html.replace(fence, '') : html, true));
  }
}

/** A text that is being written, without the white space at its ends. */
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
    const told = this.#gap + body;
    this.#gap = text.slice(body.length);
    this.isEmpty = false;
    return told;
  }
}

/** Some models put one around their HTML. */
const fence = /^\s*```(?:html)?[ \t]*\n?/i;
const unfence = (html: string): string => html.trimEnd().replace(/\n?```$/, '');
