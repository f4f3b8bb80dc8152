import sanitize from 'sanitize-html';

/**
 * What a reply in HTML may hold: text, lists, tables, code and links. No picture, whose address would tell a stranger
 * what was said when it is fetched; no style, no script, nothing that reaches out of the page.
 */
const rules: sanitize.IOptions = {
  allowedTags:
    'p br hr h1 h2 h3 h4 h5 h6 blockquote ul ol li dl dt dd strong em b i u s sub sup mark small a code pre kbd table caption thead tbody tfoot tr th td'.split(
      ' ',
    ),
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    ol: ['start'],
    th: ['colspan', 'rowspan'],
    td: ['colspan', 'rowspan'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowProtocolRelative: false,
  transformTags: { a: sanitize.simpleTransform('a', { rel: 'nofollow noopener noreferrer' }) },
};

/** HTML of a model that a page may show as it is. */
export const cleanHtml = (html: string): string => sanitize(html, rules);
