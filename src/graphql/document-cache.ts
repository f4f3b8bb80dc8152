import type { DocumentNode } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { bytesOfDocument, checkLength, parseDocument } from './document.ts';

/** Bytes of the documents that are kept, together. */
const mostBytes = 32 * 2 ** 20;

/**
 * Parses and validates, and keeps the documents that were valid. Yoga's own caches count documents, however large they are,
 * and keep the errors of those that are not valid, which take more than the documents.
 */
export function createDocumentCache() {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: mostBytes,
    maxEntrySize: mostBytes / 8,
    sizeCalculation: bytesOfDocument,
  });
  const valid = new WeakSet<DocumentNode>();
  const plugin: Plugin = {
    onParams({ params: { query } }) {
      if (typeof query === 'string') checkLength(query);
    },
    onParse({ params: { source }, setParsedDocument, setParseFn }) {
      const known = documents.get(typeof source === 'string' ? source : source.body);
      if (known) setParsedDocument(known);
      else setParseFn(parseDocument);
    },
    onValidate({ params: { documentAST }, setResult }) {
      if (valid.has(documentAST)) return setResult([]);
      return ({ result }) => {
        const text = documentAST.loc?.source.body;
        if (result.length > 0 || text === undefined) return;
        valid.add(documentAST);
        documents.set(text, documentAST);
      };
    },
  };
  return { plugin, documents };
}
