import { type DocumentNode, GraphQLError, type ParseOptions, parse, type Source } from 'graphql';
import { ParleyError } from '../core/errors.ts';
import { limits } from '../core/limits.ts';

/** Refuses a text that is too long to be an operation, before it costs anything. */
export function checkLength(text: string): void {
  if (text.length <= limits.document && Buffer.byteLength(text) <= limits.document) return;
  throw new ParleyError('payload_too_large', `query: is larger than ${limits.document / 1_000} KB`);
}

/**
 * Parses an operation. A comment counts as a token: graphql does not count them, but the document holds every one. Throws
 * `GraphQLError`.
 */
export function parseDocument(source: string | Source, options: ParseOptions = {}): DocumentNode {
  const document = parse(source, { ...options, maxTokens: limits.tokens });
  if (tokensOf(document) > limits.tokens) {
    throw new GraphQLError(`Document contains more than ${limits.tokens} tokens, comments included.`);
  }
  return document;
}

/** Bytes that a document takes in memory, at most by estimate: its text, and the tokens and nodes made of it. */
export const bytesOfDocument = (document: DocumentNode): number =>
  1_000 + 2 * (document.loc?.source.body.length ?? 0) + 500 * tokensOf(document);

function tokensOf({ loc }: DocumentNode): number {
  let count = 0;
  // The first and the last mark the ends of the text.
  for (let token = loc?.startToken.next; token?.next; token = token.next) count += 1;
  return count;
}
