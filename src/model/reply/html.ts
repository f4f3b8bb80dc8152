import sanitize from 'sanitize-html';

/**
 * The HTML allowed in a reply: text, lists, tables, code and links. No images, whose URLs would leak the conversation
 * when fetched, and no styles, scripts or anything else that reaches outside the page.
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

/** Sanitizes a model's HTML for display. */
export const cleanHtml = (html: string): string => sanitize(html, rules);
