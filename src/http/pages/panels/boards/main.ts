import { h } from '../dom.ts';
import { showBoard } from './board.ts';
import { showList } from './list.ts';
import { isByLink, options } from './page.ts';

const main = document.querySelector<HTMLElement>('#content');
if (main)
  (options.name === null ? showList(main) : showBoard(main, options.name)).then(
    // Where there is no token, nothing takes the place of the heading.
    () => main.querySelector('h1.waiting')?.classList.remove('waiting'),
    (error: Error) => {
      main.replaceChildren(
        h('h1', {}, 'Dashboards'),
        h('p', { role: 'alert' }, error.message),
        isByLink ? '' : h('p', {}, h('a', { href: `${options.root}dashboards` }, 'All boards')),
      );
    },
  );
