/** What a group's text is. `skip`: nothing that is read. */
export type Destination =
  | 'body'
  | 'skip'
  | 'fonts'
  | 'styles'
  | 'title'
  | 'subject'
  | 'info'
  | 'number'
  | 'note'
  | 'html';

/** Groups by the control word that they begin with; any other keeps the destination of its parent. */
export const destinations: Record<string, Destination> = {
  fonttbl: 'fonts',
  stylesheet: 'styles',
  info: 'info',
  listtext: 'number',
  pntext: 'number',
  footnote: 'note',
  htmltag: 'html',
  ...Object.fromEntries(
    (
      'colortbl pict header headerl headerr headerf footer footerl footerr footerf ftnsep ftnsepc ftncn aftnsep ' +
      'nonesttables nonshppict fldinst datafield objdata objclass objname sp mmath revtbl listtable listoverridetable ' +
      'themedata colorschememapping latentstyles datastore xmlnstbl generator annotation atnid atnauthor bkmkstart bkmkend xe tc tcn'
    )
      .split(' ')
      .map((word) => [word, 'skip']),
  ),
};

/** Groups marked with `\*`, to be skipped by readers that do not know them, whose text is read. */
export const known = new Set(['shpinst', 'shptxt', 'htmltag', 'pntext', 'listtext', 'shppict', 'footnote']);

/** Control words for characters. */
export const characters: Record<string, string> = {
  tab: '\t',
  line: '\n',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  endash: '–',
  emdash: '—',
  emspace: ' ',
  enspace: ' ',
  qmspace: ' ',
};
