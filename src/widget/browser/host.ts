import type { Settings } from './settings.ts';
import { styles } from './styles.ts';

/** From here on, the open widget fills the screen. As in styles.ts. */
const phone = '(max-width: 480px), (max-height: 480px)';
export const isPhone = (): boolean => matchMedia(phone).matches;
export const isTouch = (): boolean => matchMedia('(pointer: coarse)').matches;

type Face = { color: string; left: boolean };

/**
 * Adds the element of a widget, with its shadow root, to the page. Styles are adopted and values set from script, which
 * a page's Content-Security-Policy allows.
 */
export function makeRoot({ color, left }: Face, tag: HTMLScriptElement, { channel, theme }: Settings): ShadowRoot {
  const host = document.createElement('div');
  const side = left ? 'left' : 'right';
  const others = document.querySelectorAll('[data-parley]').length;
  host.id = others ? `parley-widget-${others + 1}` : 'parley-widget';
  // Launchers of several widgets stand side by side.
  const place = document.querySelectorAll(`[data-parley="${side}"]`).length;
  host.dataset.parley = side;
  host.dataset.channel = channel ?? '';
  const root = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets = [sheet];
  stayOnPage(host);
  host.style.setProperty('--color', color);
  host.style.setProperty('--on-color', readableOn(color));
  host.style.setProperty('--place', `${place * 68}px`);

  const dark = matchMedia('(prefers-color-scheme: dark)');
  const paint = () => {
    const chosen = theme();
    host.dataset.theme = chosen === 'auto' ? (dark.matches ? 'dark' : 'light') : chosen;
  };
  dark.addEventListener('change', paint);
  // A page with a switch of its own sets the attribute of the tag.
  new MutationObserver(paint).observe(tag, { attributeFilter: ['data-theme'] });
  paint();
  followKeyboard(host);
  return root;
}

/** How often the widget comes back to a body that goes on removing it: a page may mean it. */
const maxReturns = 20;

/**
 * Keeps a widget on a page whose body is replaced, or filled anew, as Turbo, Astro and others do to go to another page.
 * A body that comes from such a library's cache holds a copy of the widget, without its content.
 */
function stayOnPage(host: HTMLElement): void {
  let watched: HTMLElement | null = null;
  let returns = 0;
  const observer = new MutationObserver(stay);
  stay();

  function stay(): void {
    const { body, documentElement } = document;
    if (!body) return;
    if (body !== watched) {
      observer.disconnect();
      observer.observe(documentElement, { childList: true });
      observer.observe(body, { childList: true });
      watched = body;
      returns = 0;
    }
    for (const copy of document.querySelectorAll<HTMLElement>('[data-parley]')) {
      if (copy !== host && copy.id === host.id && !copy.shadowRoot) copy.remove();
    }
    if (host.isConnected || returns++ > maxReturns) return;
    body.append(host);
  }
}

/** Keeps the widget in the part of the screen that an on-screen keyboard leaves; iOS does not shrink `dvh` for it. */
function followKeyboard(host: HTMLElement): void {
  const visible = globalThis.visualViewport;
  if (!visible) return;
  const fit = () => {
    host.style.setProperty('--height', `${visible.height}px`);
    host.style.setProperty('--top', `${visible.offsetTop}px`);
  };
  visible.addEventListener('resize', fit);
  visible.addEventListener('scroll', fit);
  fit();
}

let scrolling: string | null = null;
/** While a widget fills the screen, the page behind it does not scroll. */
export function lockPage(locked: boolean): void {
  const { style } = document.documentElement;
  if (locked === (scrolling !== null)) return;
  if (locked) scrolling = style.overflow;
  style.overflow = locked ? 'hidden' : (scrolling ?? '');
  if (!locked) scrolling = null;
}

/** Black or white, whichever has the higher contrast on a colour such as `#0f766e`: at least 4.5:1 on any colour. */
const readableOn = (colour: string): string => (luminance(colour) > 0.179 ? '#000' : '#fff');

function luminance(colour: string): number {
  const hex = colour.length === 4 ? colour.replaceAll(/[\da-f]/gi, '$&$&') : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
