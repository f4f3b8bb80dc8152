import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import type { Section } from '../../search/types.ts';
import { removeBoilerplate } from './boilerplate.ts';
import { cleanLine } from './clean.ts';
import { isSimple, refuseCostlyHtml } from './html-limits.ts';
import { outlineOf } from './html-outline.ts';
import { lineOf } from './html-text.ts';
import { linksOf } from './links.ts';
import type { Extracted } from './types.ts';

/** So many characters are a page, whatever stood around them; with fewer, what stood around them may be the page. */
const enough = 250;

/**
 * A page's own words, with the title, description and image that it gives of itself. What surrounds them is taken out, then
 * Readability picks the article; where that would leave out most of the page (a price list, a page of questions), all but
 * what surrounds it is taken, and where that leaves little, all but its navigation.
 */
export function readHtml(html: string, url: string | null, links = false): Extracted {
  refuseCostlyHtml(html);
  try {
    const { document } = parseHTML(wholePage(html));
    const about = describe(document, url);
    const found = links ? linksOf(document, url) : null;
    const everything = outlineOf(document);
    removeBoilerplate(document);
    const rest = outlineOf(document);
    // Readability changes the document, so it comes last; it takes the article's title out, so that is put back.
    const article = isSimple(document) ? new Readability(document, { serializer: (node) => node }).parse() : null;
    const picked = article?.content ? outlineOf(article.content, about.heading ?? article.title) : [];
    const title = cleanLine(about.title || article?.title || about.heading, 300);
    const description = cleanLine(about.description ?? article?.excerpt, 1_000);
    const own = length(rest) >= Math.min(enough, length(everything) / 2) ? rest : everything;
    const sections = length(picked) * 2 > length(own) ? picked : own;
    return {
      ...(title && { title }),
      ...(description && { description }),
      ...(about.img && { img: about.img }),
      ...(found && { links: found }),
      sections,
    };
  } catch (error) {
    throw new ExtractFailure('The page could not be read: it is too large or too deeply nested', { cause: error });
  }
}

/** The sections of markup that is a part of a file, such as a chapter: all of it, without Readability. */
export function readMarkup(html: string): Section[] {
  refuseCostlyHtml(html);
  return outlineOf(parseHTML(wholePage(html)).document);
}

/** The parser implies no tags, and what reads its document needs a body; HTML allows to leave both out. */
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
