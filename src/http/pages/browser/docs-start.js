const { docs, slug } = JSON.parse(document.querySelector('#options').textContent);
const byId = (id) => document.getElementById(id);
const addressOf = (found) => `${docs}${found.slug && '/'}${found.slug}${found.id && '#'}${found.id}`;
let loading;

showOwnAddress();
addCopyButtons();
foldOnNarrowScreens();
addSearch();
void followMovedAnchor();
addEventListener('hashchange', () => void followMovedAnchor());

/** The documents write the address of a gateway on this machine; this one may have another. */
function showOwnAddress() {
  const own = new URL('.', new URL(docs, location.href)).href.slice(0, -1);
  for (const code of document.querySelectorAll('article code'))
    code.textContent = code.textContent.replaceAll('http://127.0.0.1:4000', own);
}

function addCopyButtons() {
  for (const pre of document.querySelectorAll('article pre')) {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' });
    const block = Object.assign(document.createElement('div'), { className: 'code' });
    pre.replaceWith(block);
    block.append(pre, button);
    button.addEventListener('click', () => void copy(button, pre.textContent.trimEnd()));
  }
}

/** Browsers offer the clipboard to secure addresses only; elsewhere a person copies what is selected. */
async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not allowed';
  }
  setTimeout(() => (button.textContent = 'Copy'), 2_000);
}

/** On a narrow screen, the list of pages is behind a button, and the table of contents is closed. */
function foldOnNarrowScreens() {
  const [menu, pages, contents] = [byId('menu'), byId('pages'), byId('contents')];
  const narrow = matchMedia('(max-width: 50rem)');
  const fold = () => {
    menu.hidden = !narrow.matches;
    pages.hidden = narrow.matches;
    menu.setAttribute('aria-expanded', 'false');
    if (contents) contents.open = !matchMedia('(max-width: 75rem)').matches;
  };
  menu.addEventListener('click', () => {
    pages.hidden = !pages.hidden;
    menu.setAttribute('aria-expanded', String(!pages.hidden));
  });
  narrow.addEventListener('change', fold);
  fold();
}

/** Every section of every page, fetched at the first need of it; null if that fails, until the next need. */
function loadSections() {
  loading ??= fetch(`${docs}/search.json`)
    .then((response) => (response.ok ? response.json() : Promise.reject(response)))
    .catch(() => (loading = null));
  return loading;
}

/** A heading that moved to another page keeps its old links: the page that has it now is opened. */
async function followMovedAnchor() {
  const id = decodeURIComponent(location.hash.slice(1));
  if (!id || byId(id)) return;
  const moved = (await loadSections())?.filter((section) => section.id === id && section.slug !== slug);
  if (moved?.length === 1) location.replace(addressOf(moved[0]));
}

const simple = (text) =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();

/** The words of a text, without the marks around them: an error message quotes names. */
const wordsOf = (text) =>
  text
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, ''))
    .filter(Boolean);

/** Where a text has a word, or one that begins with it: `on` is not in `wrong`. */
const beginning = (word) => new RegExp(`(?<![\\p{L}\\p{N}])${word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}`, 'gu');

/** What is as long as this is an error message, which was pasted. */
const message = 5;

/** Which pairs of words that follow each other in a query do so in a text too. */
const pairsIn = (words, text) => {
  const folded = ` ${wordsOf(text).join(' ')} `;
  return words.slice(1).map((word, at) => folded.includes(` ${words[at]} ${word} `));
};

/**
 * The sections with every word, those with the words in their headings first. If none has every word, those with the
 * most of them, and at least half: an error message that was pasted has ids and names that no page knows. It is found
 * where its words follow each other, in the troubleshooting first. What has changed follows what is.
 */
function search(sections, query) {
  const words = wordsOf(simple(query));
  if (words.length === 0) return [];
  const patterns = words.map(beginning);
  const isMessage = words.length >= message;
  const scored = sections.map((section) => {
    const [page, heading, text] = [simple(section.page), simple(section.heading), simple(section.text)];
    const timesIn = (all, pattern) => all.match(pattern)?.length ?? 0;
    const points = patterns.map(
      (pattern) =>
        (timesIn(heading, pattern) ? 10 : 0) + (timesIn(page, pattern) ? 4 : 0) + Math.min(3, timesIn(text, pattern)),
    );
    const phrase = heading === simple(query).trim() ? 20 : text.includes(simple(query).trim()) ? 3 : 0;
    const known = points.filter((each) => each > 0).length;
    const pairs = isMessage ? pairsIn(words, text) : [];
    const matching = pairs.filter(Boolean).length;
    const isSame = matching > 1 && (pairs[0] || matching >= pairs.length / 2);
    const same = isSame ? 5 * matching + (section.slug === 'troubleshooting' ? 1_000 : 0) : 0;
    return { section, known, points: points.reduce((sum, each) => sum + each, phrase + same) };
  });
  const isPast = ({ section }) => section.slug === 'changelog';
  const most = scored.reduce((sum, one) => (isPast(one) ? sum : Math.max(sum, one.known)), words.length / 2);
  const least = isMessage ? words.length / 2 : most;
  return scored.filter(({ known }) => known >= least).sort((a, b) => isPast(a) - isPast(b) || b.points - a.points);
}

function addSearch() {
  const [input, results, count, found] = ['search', 'results', 'count', 'found'].map(byId);
  input.closest('search').hidden = false;
  const links = () => [...found.querySelectorAll('a')];
  const close = () => (results.hidden = true);
  /** Not if, while the texts were on their way, a person typed on or closed the results. */
  const isAsked = (query) => input.value.trim() === query && !results.hidden;

  async function openFirst() {
    const query = input.value.trim();
    await update();
    if (isAsked(query)) links()[0]?.click();
  }

  async function update() {
    const query = input.value.trim();
    results.hidden = query === '';
    // Until the texts are there.
    count.textContent = 'Searching…';
    const sections = await loadSections();
    if (!isAsked(query)) return;
    const hits = search(sections ?? [], query);
    const howMany = hits.length === 0 ? 'Nothing found' : `${hits.length} ${hits.length === 1 ? 'place' : 'places'}`;
    count.textContent = sections ? howMany : 'The texts could not be loaded';
    found.replaceChildren(...hits.slice(0, 20).map(({ section }) => resultOf(section, query)));
  }
  input.addEventListener('focus', () => void loadSections());
  input.addEventListener('input', () => void update());
  input.closest('search').addEventListener('keydown', (event) => {
    const all = links();
    const index = all.indexOf(document.activeElement);
    if (event.key === 'Escape') {
      close();
      input.focus();
    } else if (event.key === 'Enter' && document.activeElement === input) void openFirst();
    else if (event.key === 'ArrowDown') all[Math.min(index + 1, all.length - 1)]?.focus();
    else if (event.key === 'ArrowUp') (all[index - 1] ?? input).focus();
    else return;
    event.preventDefault();
  });
  found.addEventListener('click', close);
  document.addEventListener('pointerdown', (event) => input.closest('search').contains(event.target) || close());
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea, [contenteditable]');
    if (isTyping || !(event.key === '/' || (event.key === 'k' && (event.ctrlKey || event.metaKey)))) return;
    event.preventDefault();
    input.focus();
  });
}

function resultOf(section, query) {
  const link = Object.assign(document.createElement('a'), { href: addressOf(section) });
  const title = document.createElement('strong');
  title.textContent = section.heading || section.page;
  const where = section.heading && section.heading !== section.page ? ` · ${section.page}` : '';
  const text = document.createElement('span');
  text.append(...excerpt(section.text, query));
  link.append(title, where, text);
  const item = document.createElement('li');
  item.append(link);
  return item;
}

/** Some text around the first word that was found, which is marked. */
function excerpt(text, query) {
  // As long as the text itself: its diacritics stay.
  const lower = text.toLowerCase();
  const matches = wordsOf(query.toLowerCase())
    .map((word) => [lower.search(beginning(word)), word.length])
    .filter(([at]) => at >= 0);
  const [at, length] = matches.sort(([a], [b]) => a - b)[0] ?? [0, 0];
  const from = Math.max(0, at - 60);
  const hit = document.createElement('mark');
  hit.textContent = text.slice(at, at + length);
  return [`${from ? '…' : ''}${text.slice(from, at)}`, hit, text.slice(at + length, at + length + 100)];
}
