import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { ExtractFailure } from '../../../sandbox/extract-failure.ts';
import type { Section } from '../../../search/types.ts';
import { cleanLine } from '../clean.ts';
import { linksOf } from '../links.ts';
import type { Extracted } from '../types.ts';
import { rewriteAsShown } from './as-shown.ts';
import { removeBoilerplate } from './boilerplate.ts';
import { isSimple, refuseCostlyHtml } from './html-limits.ts';
import { outlineOf } from './html-outline.ts';
import { lineOf } from './html-text.ts';
import { writeEquations } from './mathml.ts';
import { hintsOf } from './page-hints.ts';
import { statedQuestions } from './stated-questions.ts';

/**
 * With at least this many characters left, boilerplate removal has kept the page; with fewer, it may have removed it.
 */
const minLength = 250;

/**
 * Reads a page's main content, with its own title, description and image. Boilerplate is removed, then Readability
 * picks the article. If that would drop most of the page (a price list, a page of questions), the page without
 * boilerplate is used, or, if little of it is left, everything but the navigation.
 */
export function readHtml(html: string, url: string | null, links = false): Extracted {
  refuseCostlyHtml(html);
  try {
    const { document } = parseHTML(wholePage(html));
    rewriteAsShown(document);
    const metadata = describe(document, url);
    const found = links ? { links: linksOf(document, url), hints: hintsOf(document, url) } : null;
    const fullOutline = outlineOf(document);
    const stated = statedQuestions(document, fullOutline);
    removeBoilerplate(document);
    const mainOutline = outlineOf(document);
    // Readability modifies the document, so it runs last; it also removes the article's title, which is passed on here.
    const article = isSimple(document) ? new Readability(document, { serializer: (node) => node }).parse() : null;
    const articleOutline = article?.content ? outlineOf(article.content, metadata.heading ?? article.title) : [];
    const title = cleanLine(metadata.title || article?.title || metadata.heading, 300);
    const description = cleanLine(metadata.description ?? article?.excerpt, 1_000);
    const pageOutline = length(mainOutline) >= Math.min(minLength, length(fullOutline) / 2) ? mainOutline : fullOutline;
    const sections = length(articleOutline) * 2 > length(pageOutline) ? articleOutline : pageOutline;
    const reason = placeholderReason(
      title,
      fullOutline.map(({ heading = '', text }) => `${heading}\n${text}`).join('\n'),
    );
    if (reason) throw new ExtractFailure(reason);
    return {
      ...(title && { title }),
      ...(description && { description }),
      ...(metadata.img && { img: metadata.img }),
      ...found,
      sections: [...sections, ...stated],
    };
  } catch (error) {
    if (error instanceof ExtractFailure) throw error;
    throw new ExtractFailure('The page could not be read: it is too large or too deeply nested', { cause: error });
  }
}

/** The sections of markup that is part of a file, such as a chapter: all of it, without Readability. */
export function readMarkup(html: string): Section[] {
  refuseCostlyHtml(html);
  return readOwnMarkup(html);
}

/** The sections of markup that was made of a file which was found not to be costly. */
export function readOwnMarkup(html: string): Section[] {
  const { document } = parseHTML(wholePage(html));
  writeEquations(document);
  return outlineOf(document);
}

/** Adds the tags that HTML may omit: the parser implies none, and its callers need a body. */
function wholePage(html: string): string {
  if (/<html[\s>]/i.test(html) && /<body[\s>]/i.test(html)) return html;
  return `<!doctype html><html><body>${html.replaceAll(/<!doctype[^<>]*>|<\/?(?:html|body)(?:\s[^<>]*)?>/gi, '')}</body></html>`;
}

const length = (sections: Section[]) => sections.reduce((sum, { text }) => sum + text.length, 0);

function describe(document: Document, url: string | null) {
  const meta = (...names: string[]) =>
    names
      .map((name) => document.querySelector(`meta[property="${name}"], meta[name="${name}"]`)?.getAttribute('content'))
      .find((content) => content?.trim());
  const image = meta('og:image', 'og:image:url', 'twitter:image');
  const img = image && URL.parse(image, url ?? undefined);
  const heading = document.querySelector('h1');
  return {
    title: meta('og:title') ?? document.querySelector('title')?.textContent?.trim(),
    description: meta('og:description', 'description', 'twitter:description'),
    heading: heading && lineOf(heading),
    img: img && /^https?:$/.test(img.protocol) ? img.href : undefined,
  };
}

/** A page with more text than this has content, whatever else it says. */
const maxLength = 600;

/** Sentences of pages that stand in for others, in the languages that most pages have. */
const standIns: [RegExp, string][] = [
  [
    /^(please wait|loading|carregando|cargando|chargement|caricamento|wird geladen|laden|загрузка|読み込み中|加载中)[\s.…!]*$/iu,
    'The page only shows that it is loading: its text is made by JavaScript, which is not run',
  ],
  [
    /(enable|activate|turn on) javascript|javascript (is|to be) (disabled|enabled|required)|requires javascript|(ative|habilite|active|habilita) (o )?javascript|aktivieren sie javascript|activez javascript/iu,
    'The page only asks for JavaScript, which is not run',
  ],
  [
    /verify(ing)? (that )?you are (a )?human|are you a robot|checking (if the site connection is secure|your browser)|just a moment\.\.\.|unusual traffic|complete the captcha|attention required! \| cloudflare/iu,
    'The page only asks whether its reader is a person: its server refuses programs',
  ],
  [
    /^(?=[\s\S]*\bcookies?\b)(?=[\s\S]*\b(accept|agree|consent|reject|manage|aceitar|aceptar|accepter|akzeptieren|zustimmen|accetta)\b)/iu,
    'The page only asks for consent to cookies',
  ],
  [
    /^\W*(error\W*)?(404|403|500|502|503|504)\b|\b(page|seite|página|pagina) (not found|nicht gefunden|não encontrada|no encontrada|non trovata)\b|\b(access denied|internal server error|bad gateway|service unavailable|too many requests|application error|a client-side exception has occurred)\b/iu,
    'The page only shows an error',
  ],
];

/** Why a page has no content, if all that it says is that it is loading, refuses, or failed; or null. */
function placeholderReason(title: string | undefined, text: string): string | null {
  if (text.length > maxLength) return null;
  const said = text.trim();
  const found = standIns.find(([words], index) => words.test(said) && (index !== 3 || isShort(said)));
  if (found) return found[1];
  // An error page may have a friendly text: its title says what it is.
  return /^\W*(404|403|500|502|503|just a moment|access denied)\b/iu.test(title ?? '') && isShort(said)
    ? 'The page only shows an error'
    : null;
}

const isShort = (text: string): boolean => text.length <= maxLength / 2;
