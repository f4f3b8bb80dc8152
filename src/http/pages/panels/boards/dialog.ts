import { h } from '../dom.ts';

type Child = Parameters<typeof h>[2];
type End<Chosen> = (chosen: Chosen | null) => void;

/**
 * Opens a dialog with what `contentOf` returns. Resolves with what that passes to `end`; null if the dialog was closed
 * without.
 */
export function openDialog<Chosen>(
  id: string,
  heading: string,
  contentOf: (end: End<Chosen>) => Child[],
): Promise<Chosen | null> {
  const { promise, resolve } = Promise.withResolvers<Chosen | null>();
  const end: End<Chosen> = (chosen) => {
    resolve(chosen);
    dialog.close();
  };
  const title = h('h2', { id: `${id}-title` }, heading);
  const dialog = h('dialog', { id, 'aria-labelledby': title.id }, title, ...contentOf(end));
  dialog.addEventListener('close', () => {
    dialog.remove();
    resolve(null);
  });
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}

/** A control of a form below its label. */
export const field = (label: string, control: HTMLElement): HTMLElement =>
  h('p', {}, h('label', { for: control.id }, label), control);

/** What a form says of its values. */
export const formState = (): HTMLElement => h('p', { role: 'alert', class: 'panel-hint' });

/** A form with its buttons: that which submits it, `more`, and Cancel. */
export const formOf = (
  { submit, onsubmit, end }: { submit: string; onsubmit: () => void | Promise<void>; end: (chosen: null) => void },
  fields: Child[],
  ...more: Child[]
): HTMLElement => {
  let isSent = false;
  return h(
    'form',
    {
      onsubmit: async (event: Event) => {
        event.preventDefault();
        if (isSent) return;
        isSent = true;
        try {
          await onsubmit();
        } finally {
          isSent = false;
        }
      },
    },
    ...fields,
    h(
      'p',
      { class: 'actions' },
      h('button', { type: 'submit' }, submit),
      ...more,
      h('button', { type: 'button', onclick: () => end(null) }, 'Cancel'),
    ),
  );
};
