/** What the demo workspace is called: while it is made, as a part of a template, and for its users. */
export const names = {
  unfinished: 'Demo (being made)',
  copied: 'Demo (copied)',
  finished: 'Aurora Outdoor (demo)',
};
