// The one tag of a page. It reads where it came from, and loads the widget from there once the page has its body.
(() => {
  const { src } = document.currentScript;
  const options = { channel: new URL(src).searchParams.get('channel'), base: new URL('.', src).href };
  const load = () => void import(new URL('widget/VERSION/main.js', src).href).then(({ start }) => start(options));
  if (document.body) load();
  else addEventListener('DOMContentLoaded', load, { once: true });
})();
