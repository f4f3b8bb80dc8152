import type { ComponentChild } from 'preact';

const paths = {
  chat: 'M4 5h16v11H11l-5 4v-4H4z',
  close: 'M6 6l12 12M18 6L6 18',
  down: 'M6 9l6 6 6-6',
  back: 'M15 5l-7 7 7 7',
  history: 'M4 12a8 8 0 1 0 2.6-5.9M4 4v4h4M12 8v4.5l3 2',
  fresh: 'M12 20h9M16.5 3.5a2.1 2.1 0 0 1 3 3L7 19l-4 1 1-4z',
  sound: 'M11 5L6 9H3v6h3l5 4zM15.5 8.5a5 5 0 0 1 0 7M18.5 5.5a9 9 0 0 1 0 13',
  silent: 'M11 5L6 9H3v6h3l5 4zM22 9l-6 6M16 9l6 6',
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M8 8h8v8H8z',
  like: 'M7 11l4-8a3 3 0 0 1 3 3v3h5.5a2 2 0 0 1 2 2.3l-1.3 8a2 2 0 0 1-2 1.7H7zM7 11H3v10h4',
  dislike: 'M17 13l-4 8a3 3 0 0 1-3-3v-3H4.5a2 2 0 0 1-2-2.3l1.3-8a2 2 0 0 1 2-1.7H17zM17 13h4V3h-4',
  attach: 'M21 11l-9 9a6 6 0 0 1-8.5-8.5l9-9a4 4 0 0 1 5.7 5.7l-9 9a2 2 0 0 1-2.9-2.9l8.3-8.3',
  file: 'M14 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V8zM14 3v5h5',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20c1-4 4-5 7-5s6 1 7 5',
};

/** A decorative icon: what it means is said by the label of its button. */
export const Icon = ({ name }: { name: keyof typeof paths }): ComponentChild => (
  <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
);

type Properties = {
  icon: keyof typeof paths;
  label: string;
  onClick?: () => void;
  disabled?: boolean;
  pressed?: boolean;
  class?: string;
  type?: 'button' | 'submit';
};

/** A button that shows only an icon, with its label as name and tooltip. */
export const IconButton = ({ icon, label, pressed, type = 'button', ...rest }: Properties): ComponentChild => (
  <button type={type} aria-label={label} title={label} aria-pressed={pressed} {...rest}>
    <Icon name={icon} />
  </button>
);
