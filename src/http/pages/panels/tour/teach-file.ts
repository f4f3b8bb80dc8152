import { h, icon, say } from '../dom.ts';
import { openOperation } from '../editor.ts';

/** More would make the editor slow, which shows the variables. */
const maxBytes = 2_000_000;

let query = '';
const input = h('input', {
  type: 'file',
  multiple: true,
  hidden: true,
  'aria-label': 'Files to teach',
  onchange: async () => {
    await teach([...(input.files ?? [])]);
    input.value = '';
  },
});

/** Asks for files, and opens the operation with them in its variables. */
export const chooseFiles = (): void => input.click();

/** The button that does so, with the operation to open. Files can be dropped anywhere on the page, too. */
export function teachButton(operation: string): HTMLElement {
  query = operation;
  // Before the editor sees it, which would insert the file's name.
  const drag = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    event.stopPropagation();
    document.body.classList.toggle('is-dropping', event.type === 'dragover');
    if (event.type === 'drop') void teach([...event.dataTransfer.files]);
  };
  document.addEventListener('dragover', drag, true);
  document.addEventListener('drop', drag, true);
  // The files leave the window.
  document.addEventListener('dragleave', ({ relatedTarget }) => {
    if (!relatedTarget) document.body.classList.remove('is-dropping');
  });
  return h(
    'span',
    {},
    input,
    h(
      'button',
      { type: 'button', class: 'bar-button', onclick: chooseFiles },
      icon('M12 16V4m-5 5 5-5 5 5M4 16v4h16v-4'),
      'Teach a file',
    ),
  );
}

async function teach(files: File[]): Promise<void> {
  const [first] = files;
  if (!first) return;
  if (files.reduce((sum, { size }) => sum + size, 0) > maxBytes) {
    say('More than 2 MB: give the address of the file instead (file.url).');
    return;
  }
  const sources = await Promise.all(files.map(async (file) => ({ type: 'file', file: await sourceOf(file) })));
  await openOperation({ query, variables: { input: { description: titleOf(first), sources } } });
  say('Run the operation to teach it.');
}

const titleOf = ({ name }: File): string => name.replace(/\.\w+$/, '');

async function sourceOf(file: File): Promise<object> {
  const ext = /\.(\w+)$/.exec(file.name)?.[1]?.toLowerCase();
  const base64 = new Uint8Array(await file.arrayBuffer()).toBase64();
  return { title: titleOf(file), ...(ext && { ext }), data: { base64 } };
}
