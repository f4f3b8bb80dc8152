import { isReadable } from './html-limits.ts';
import { writeEquations } from './mathml.ts';

/** How many elements of a kind are rewritten on a page, which bounds the time. */
const maxRewritten = 2_000;

/**
 * Rewrites a page, in place, to what a person reads in a browser: streamed parts where a script moves them, the content
 * of shadow roots and of frames that are written in the page, the answers behind the buttons of an accordion, the page
 * within a form, and equations.
 */
export function rewriteAsShown(document: Document): void {
  placeStreamed(document);
  openShadowRoots(document);
  openFrames(document);
  openAccordions(document);
  unwrapForms(document);
  writeEquations(document);
}

const each = (root: Document | Element, selector: string): Element[] =>
  [...root.querySelectorAll(selector)].slice(0, maxRewritten);

/**
 * React sends what a page waits for as `<div hidden id="S:0">`, and a script puts it where `<template id="B:0">` is.
 */
function placeStreamed(document: Document): void {
  const placeholders = new Map(
    each(document, 'template[id]').flatMap((placeholder): [string, Element][] => {
      const [, number] = /^[BP]:(\w+)$/.exec(placeholder.id) ?? [];
      return number ? [[number, placeholder]] : [];
    }),
  );
  for (const part of each(document, '[hidden][id]')) {
    const [, number = ''] = /^S:(\w+)$/.exec(part.id) ?? [];
    if (!number) continue;
    const placeholder = placeholders.get(number);
    if (placeholder?.id.startsWith('B')) removeFallback(placeholder);
    if (placeholder) placeholder.replaceWith(...part.childNodes);
    else part.replaceWith(...part.childNodes);
    part.remove();
  }
}

/** What stands there until the part arrives: all after the place, up to the comment that ends it. */
function removeFallback(placeholder: Element): void {
  for (let node = placeholder.nextSibling; node; node = placeholder.nextSibling) {
    if (node.nodeType === 8 && node.nodeValue === '/$') return;
    node.remove();
  }
}

/** A declarative shadow root takes the place of what its host contains, which stands where the slots are. */
function openShadowRoots(document: Document): void {
  for (const root of each(document, 'template[shadowrootmode], template[shadowroot]')) {
    const host = root.parentElement;
    if (!host) continue;
    const shown = document.createElement('div');
    shown.innerHTML = root.innerHTML;
    root.remove();
    const light = [...host.childNodes];
    for (const slot of each(shown, 'slot')) {
      const name = slot.getAttribute('name') ?? '';
      const assigned = light.filter((node) => nameOfSlot(node) === name);
      if (assigned.some((node) => node.textContent?.trim())) slot.replaceWith(...assigned);
      else slot.replaceWith(...slot.childNodes);
    }
    host.replaceChildren(...shown.childNodes);
  }
}

const nameOfSlot = (node: Node): string => (node.nodeType === 1 ? ((node as Element).getAttribute('slot') ?? '') : '');

/** A frame whose page stands in its `srcdoc` becomes the content of that page, which says nothing of the outer one. */
function openFrames(document: Document): void {
  for (const frame of each(document, 'iframe[srcdoc]')) {
    const page = frame.getAttribute('srcdoc') ?? '';
    if (isHidden(frame) || !isReadable(page)) continue;
    const shown = document.createElement('div');
    shown.innerHTML = page.replaceAll(/<!doctype[^<>]*>|<\/?(?:html|body|head)(?:\s[^<>]*)?>/gi, '');
    for (const about of shown.querySelectorAll('title, meta, link, base, script, style')) about.remove();
    frame.replaceWith(shown);
  }
}

/** Menus, dialogs and lists of choices open by a click too, but are no text of the page. */
const noText = 'nav, header, dialog, form, [role="menu"], [role="dialog"], [role="listbox"], [role="navigation"]';

/** What a button of the page opens is shown, and the button's words, which are its heading, are text. */
function openAccordions(document: Document): void {
  for (const button of each(document, 'button, [role="button"], [role="tab"], a[aria-controls]')) {
    if (button.closest(noText)) continue;
    const heading = button.closest('h1, h2, h3, h4, h5, h6, dt, [role="heading"]');
    const [controlled] = (button.getAttribute('aria-controls') ?? '').split(/\s+/).filter(Boolean);
    const panel = (controlled && document.getElementById(controlled)) || heading?.nextElementSibling;
    const isOpened = panel && !panel.matches(noText) && (controlled || isHidden(panel));
    if (isOpened) show(panel);
    if (!heading && !(isOpened && button.hasAttribute('aria-expanded'))) continue;
    const words = document.createElement(heading ? 'span' : 'p');
    words.append(...button.childNodes);
    button.replaceWith(words);
  }
  for (const found of each(document, '[hidden="until-found" i]')) show(found);
}

const isHidden = (element: Element): boolean =>
  element.hasAttribute('hidden') ||
  element.getAttribute('aria-hidden') === 'true' ||
  /display\s*:\s*none/i.test(element.getAttribute('style') ?? '');

function show(element: Element): void {
  element.removeAttribute('hidden');
  element.removeAttribute('aria-hidden');
  if (isHidden(element)) element.removeAttribute('style');
}

/** A form that holds a page, as those of ASP.NET do, and not fields, becomes a plain block. */
function unwrapForms(document: Document): void {
  const all = (document.body?.textContent ?? '').length;
  for (const form of each(document, 'form')) {
    const isPage = form.querySelector('h1, main, article') !== null || (form.textContent ?? '').length * 2 > all;
    if (!isPage || !form.querySelector('p, li, td, h1, h2, h3, div')) continue;
    const block = document.createElement('div');
    block.append(...form.childNodes);
    form.replaceWith(block);
  }
}
