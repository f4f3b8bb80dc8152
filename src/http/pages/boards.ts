import { barMark, escapeHtml, type PageLinks, pageLinks, pageResponse, type SignIn } from './page.ts';

type Options = {
  /** The board's name or ID; null for the list of boards. */
  name: string | null;
  signIn: SignIn;
  /** Links to other pages, by their path from the root of the gateway. */
  links: PageLinks;
};

/** The page of a board, or of all. Its scripts read what the signed-in person may see; the page itself has no data. */
export function boardsPage({ name, signIn, links }: Options): Response {
  const root = name === null ? '' : '../';
  const of = (file: string) => `${root}graphiql/${file}`;
  return pageResponse({
    title: 'Dashboards · Parley',
    styles: [of('boards.css')],
    scripts: ['session', 'token', 'boards'].map((script) => of(`${script}.js`)),
    options: { ...signIn, endpoint: `${root}graphql`, root, name, byLink: name !== null },
    header: `<a class="skip" href="#content">Skip to the content</a>
    <header id="bar">
      <a class="home" href="${escapeHtml(root)}dashboards">${barMark}Parley</a>
      ${pageLinks(links, root)}
    </header>`,
    body: `<main id="content" tabindex="-1"><h1${name === null ? '' : ' class="waiting"'}>Dashboards</h1></main>`,
  });
}
