import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { LRUCache } from 'lru-cache';
import { bytesOfDocument, checkLength, parseDocument } from './document.ts';
import { validateDocument } from './validate.ts';

/** Maximum size of the cache, in bytes. */
const maxBytes = 32 * 2 ** 20;

/**
 * Caches valid documents by their text. Yoga's own caches limit the number of documents, however large, and also cache
 * the errors of invalid ones, which take more memory than documents do.
 */
export function createDocumentCache() {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: maxBytes,
    maxEntrySize: maxBytes / 8,
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
    onValidate({ params: { documentAST }, setResult, setValidationFn }) {
      if (valid.has(documentAST)) return setResult([]);
      setValidationFn((schema, document) => validateDocument(schema as GraphQLSchema, document as DocumentNode));
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
