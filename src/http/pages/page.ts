import { pageScript } from './assets.ts';

type Page = {
  title: string;
  styles: string[];
  scripts: string[];
  /** What the scripts read from `#options`, as JSON. */
  options: unknown;
  /** HTML to show besides what the scripts render. */
  body?: string;
};
/** Links to the pages: their text, their path, and whether the page that has them is, or is below, that one. */
export type PageLinks = [text: string, href: string, isCurrent: boolean][];

/** `isMain`: what is rendered does not say itself which part of the page is the main one. */
type Shell = Page & { header?: string; isMain?: boolean };

/** A page whose scripts render into `#root`, and say in `#notice` what a person must know. */
export function pageResponse({ header = '', body = '', isMain = false, ...page }: Shell): Response {
  const root = '<div id="root"></div>';
  const html = documentHtml({
    ...page,
    body: `${header}<noscript><p style="margin: 0; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif">This page needs JavaScript: allow it for this address, and load the page again.</p></noscript>
    <p id="notice" role="status" style="margin: 0; padding: 0.6rem 1rem; font: 14px/1.4 system-ui, sans-serif; color: #1e1b4b; background: #e0e7ff" hidden></p>
    ${isMain ? `<main>${root}</main>` : root}
    ${body}`,
  });
  return new Response(html, {
    headers: { 'Content-Type': 'text/html; charset=utf-8', ...pageHeaders, Vary: 'Accept' },
  });
}

/** A page without styles is light or dark as the browser is. */
const plainColors = '\n    <meta name="color-scheme" content="light dark">';

/** The HTML of a page that uses scripts and styles of this service only. */
export function documentHtml({ title, styles, scripts, options, body = '' }: Page): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="${icon}">${styles.length === 0 ? plainColors : ''}
    ${styles.map((href) => `<link rel="stylesheet" href="${escapeHtml(href)}">`).join('\n    ')}
    <script type="application/json" id="options">${JSON.stringify(options).replaceAll('<', '\\u003c')}</script>
    ${scripts.map((src) => `<script defer src="${escapeHtml(src)}"></script>`).join('\n    ')}
  </head>
  <body>
    ${body}
  </body>
</html>
`;
}

/** How somebody signs in on a page: whether it may get a token from /demo/session, and what it says if it gets none. */
export type SignIn = { session: boolean; notice: string };

/** `outside`: whether an identity provider issues tokens for the gateway. */
export const signInOf = (session: boolean, outside: boolean): SignIn => ({
  session,
  notice: `Nobody is signed in here. ${howToSignIn(session, outside)}`,
});

/** What somebody does to sign in on a page. */
export function howToSignIn(session: boolean, outside: boolean): string {
  const open = session ? 'Open the address that “npm run --silent open” prints, or enter' : 'Enter';
  const provider = outside ? 'a token from your identity provider, or ' : 'a token, ';
  const one = outside ? 'one ' : '';
  const operator = session
    ? `${one}which “npm run --silent token” prints`
    : `${one}which the operator creates with “npm run --silent token -- --workspace wsp_…”`;
  return `${open} ${provider}${operator}.`;
}

export const sessionScript = pageScript('session.js');

/**
 * The policy allows no inline script, foreign host or frame; the editors need inline styles, to measure and colour
 * text.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "worker-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The headers of a page besides its type. */
export const pageHeaders = { 'Content-Security-Policy': policy };

/** A page of text with at most a form, and no scripts or styles, so that its policy need not allow any. */
export const textPage = ({ title, body }: { title: string; body: string }): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>${plainColors}
  </head>
  <body>
    <h1>${escapeHtml(title)}</h1>
    ${body}
  </body>
</html>
`;

/** A speech bubble, the mark of Parley. */
export const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#4338ca" d="M6 4h20a4 4 0 0 1 4 4v11a4 4 0 0 1' +
  '-4 4H15l-7 6v-6H6a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4z"/><g fill="#fff"><circle cx="10" cy="13.5" r="2"/>' +
  '<circle cx="16" cy="13.5" r="2"/><circle cx="22" cy="13.5" r="2"/></g></svg>';
const icon = `data:image/svg+xml,${encodeURIComponent(mark)}`;

/** The same for a bar with a name beside it, which says what the mark shows. */
export const barMark = mark.replace('<svg ', '<svg aria-hidden="true" ');

const paths = { GraphiQL: 'graphql', Reference: 'reference', Dashboards: 'dashboards', Docs: 'docs' };
/** The links of a page, the same on all, so that nothing jumps from one to the next. `session`: of the demo. */
export const linksFrom = (session: boolean, page?: keyof typeof paths): PageLinks =>
  Object.entries({ ...paths, ...(session && { Widget: 'demo/widget' }) }).map(([text, href]) => [
    text,
    href,
    text === page,
  ]);

/** Links to the pages of the gateway; `up` leads from the page to the root, where their paths are relative. */
export const pageLinks = (links: PageLinks, up = ''): string =>
  `<nav aria-label="Pages">${links.map(([text, href, isCurrent]) => `<a href="${escapeHtml(up + href)}"${isCurrent ? ' aria-current="true"' : ''}>${escapeHtml(text)}</a>`).join(' ')}</nav>`;

/** Escapes text for HTML, between tags or in a double-quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
