// The script that a page embeds. It derives the base URL from its own, and loads the widget once the page has a body.
(() => {
  const { src } = document.currentScript;
  const options = { channel: new URL(src).searchParams.get('channel'), base: new URL('.', src).href };
  const load = () => void import(new URL('widget/VERSION/main.js', src).href).then(({ start }) => start(options));
  if (document.body) load();
  else addEventListener('DOMContentLoaded', load, { once: true });
})();
