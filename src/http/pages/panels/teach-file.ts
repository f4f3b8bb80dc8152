import { h, icon, say } from './dom.ts';
import { openOperation } from './editor.ts';

const query = `# Makes a knowledge base of your file, once you run it. Then attach it to an agent: attachBase.
mutation TeachFile($input: CreateBaseInput!) {
  createBase(input: $input) {
    base { id description status }
  }
}
`;
/** More would make the editor slow, which shows the variables. */
const maxBytes = 2_000_000;

/** The button that opens an operation with files in its variables. Files can be dropped anywhere on the page, too. */
export function teachButton(): HTMLElement {
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
  // Before the editor sees it, which would insert the file's name.
  const drag = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.type === 'drop') void teach([...event.dataTransfer.files]);
  };
  document.addEventListener('dragover', drag, true);
  document.addEventListener('drop', drag, true);
  return h(
    'span',
    {},
    input,
    h(
      'button',
      { type: 'button', class: 'bar-button', onclick: () => input.click() },
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
