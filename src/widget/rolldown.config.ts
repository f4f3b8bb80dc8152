import { defineConfig } from 'rolldown';

/** Bundles what runs in the page into the one script that pages embed. */
export default defineConfig({
  input: 'src/widget/browser/main.ts',
  platform: 'browser',
  tsconfig: false,
  transform: { target: 'es2022', jsx: { runtime: 'automatic', importSource: 'preact' } },
  output: {
    file: 'src/widget/generated/widget.js',
    // A classic script knows its own address (`document.currentScript`), with the channel in it.
    format: 'iife',
    minify: true,
    banner: '/*! The widget of Parley. Contains Preact (MIT License), https://github.com/preactjs/preact */',
  },
});
