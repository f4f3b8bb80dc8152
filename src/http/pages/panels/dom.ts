type Properties = Record<string, unknown>;
type Child = Node | string | null | false | undefined;

/** Creates an element. `on…` are listeners; true and false set and omit an attribute. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === 'value') (element as HTMLInputElement).value = String(value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== false && child !== undefined));
  return element;
}

/** An icon from the path of its lines, 24 units wide. */
export function icon(path: string): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.classList.add('panel-icon');
  const lines = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  lines.setAttribute('d', path);
  svg.append(lines);
  return svg;
}

export const linkIcon = 'M10 14a4 4 0 0 0 6 0l4-4a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-4 4a4 4 0 0 0 6 6l1-1';

/** A labelled choice of values. */
export function choice(
  label: string,
  options: [value: string, text: string][],
  chosen: string,
  onchange: (value: string) => void,
): HTMLElement {
  const select = h('select', {
    onchange: () => onchange(select.value),
  });
  for (const [value, text] of options) select.append(h('option', { value, selected: value === chosen }, text));
  select.value = chosen;
  return h('label', { class: 'panel-choice' }, h('span', {}, label), select);
}

/** A button that copies the result of `make`, and confirms it. */
export const copyButton = (label: string, make: () => Promise<Blob | string> | string): HTMLElement => {
  const button = h(
    'button',
    {
      type: 'button',
      class: 'graphiql-button panel-button',
      onclick: async () => {
        const made = await make();
        const done =
          typeof made === 'string'
            ? navigator.clipboard.writeText(made)
            : navigator.clipboard.write([new ClipboardItem({ [made.type]: made })]);
        await done.then(
          () => say(`${label}: copied.`),
          () => say('The browser did not allow copying.'),
        );
      },
    },
    label,
  );
  return button;
};

/** Offers a file for download. */
export function download(name: string, content: Blob | string, type: string): void {
  const url = URL.createObjectURL(typeof content === 'string' ? new Blob([content], { type }) : content);
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Shows a short message, which screen readers announce. */
export function say(text: string): void {
  const status = document.querySelector<HTMLElement>('#panel-status');
  if (!status) return;
  status.textContent = text;
  setTimeout(() => {
    if (status.textContent === text) status.textContent = '';
  }, 4_000);
}
