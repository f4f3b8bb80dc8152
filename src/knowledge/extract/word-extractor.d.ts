declare module 'word-extractor' {
  type Options = { filterUnicode?: boolean; includeHeadersAndFooters?: boolean };
  /** The text of a document; the package has no types of its own. */
  type Document = Record<'getBody' | 'getTextboxes' | 'getFootnotes' | 'getEndnotes', (options: Options) => string>;
  export default class WordExtractor {
    extract(source: Buffer): Promise<Document>;
  }
}
