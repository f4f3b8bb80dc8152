import { type Asset, pageScript, pageStyle, serveAssets } from './assets.ts';
import { browserModule } from './browser-module.ts';
import { barMark, type PageLinks, pageLinks, pageResponse, type SignIn, sessionScript } from './page.ts';

type Options = {
  /** URL of the OpenAPI description. */
  description: string;
  signIn: SignIn;
  links: PageLinks;
};

/** The REST reference, rendered by Scalar from the OpenAPI description. */
export function referencePage({ description, signIn, links }: Options): Response {
  return pageResponse({
    title: 'Parley REST reference',
    styles: ['reference/page.css'],
    scripts: ['reference/session.js', 'reference/scalar.js', 'reference/start.js'],
    options: { ...signIn, description },
    header: `<a class="skip" href="#root">Skip to the operations</a><section id="bar" aria-label="Parley"><strong>${barMark}Parley</strong> ${pageLinks(links)}</section>`,
  });
}

const script = 'text/javascript; charset=utf-8';
const assets: Record<string, Asset> = {
  'page.css': pageStyle('skip.css', 'reference-page.css'),
  'scalar.js': { type: script, load: async () => (await import('./scalar-script.ts')).scalarScript() },
  'session.js': sessionScript,
  'examples.js': { type: script, load: () => browserModule(new URL('browser/reference-examples.ts', import.meta.url)) },
  'start.js': pageScript('reference-start.js'),
};

/** GET /reference/{name}: a file of the reference page. */
export const referenceAsset = serveAssets(assets);
