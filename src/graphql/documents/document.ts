import { type DocumentNode, GraphQLError, type ParseOptions, parse, type Source } from 'graphql';
import { ParleyError } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { grouped } from '../../core/validation.ts';

/** Throws 413 `payload_too_large` for a text too long for an operation, before it is parsed. */
export function checkLength(text: string): void {
  if (text.length <= limits.document && Buffer.byteLength(text) <= limits.document) return;
  throw new ParleyError(
    'payload_too_large',
    `query: is larger than ${limits.document / 1_000} KB. Send values as variables, or several operations.`,
  );
}

/**
 * Parses an operation. Comments count as tokens: graphql does not count them, but keeps each in the document. Throws
 * `GraphQLError`.
 */
export function parseDocument(source: string | Source, options: ParseOptions = {}): DocumentNode {
  const document = parse(source, { ...options, maxTokens: limits.tokens });
  if (tokensOf(document) > limits.tokens) {
    throw new GraphQLError(
      `The document has more than ${grouped(limits.tokens)} tokens, comments included: send several operations.`,
    );
  }
  return document;
}

/** Estimates how many bytes of memory a document takes at most: its text, and its tokens and nodes. */
export const bytesOfDocument = (document: DocumentNode): number =>
  1_000 + 2 * (document.loc?.source.body.length ?? 0) + 500 * tokensOf(document);

function tokensOf({ loc }: DocumentNode): number {
  let count = 0;
  // The first and last tokens mark the start and end of the file.
  for (let token = loc?.startToken.next; token?.next; token = token.next) count += 1;
  return count;
}
