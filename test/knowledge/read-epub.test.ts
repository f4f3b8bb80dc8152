import { expect, test } from 'vitest';
import { extractFile } from '../support/knowledge/extract-source.ts';
import { zip } from '../support/knowledge/office-files.ts';

test('a book whose description has prefixes is read in its order, with its chapters', async () => {
  const parts = {
    'META-INF/container.xml':
      '<ocf:container><ocf:rootfiles><ocf:rootfile full-path="book.opf"/></ocf:rootfiles></ocf:container>',
    'book.opf':
      '<opf:package><opf:metadata><dc:title>Lighthouses</dc:title></opf:metadata><opf:manifest>' +
      '<opf:item id="b" href="b.xhtml"/><opf:item id="a" href="a.xhtml"/>' +
      '<opf:item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/></opf:manifest>' +
      '<opf:spine><opf:itemref idref="a"/><opf:itemref idref="b"/></opf:spine></opf:package>',
    'toc.ncx':
      '<ncx:ncx><ncx:navMap><ncx:navPoint><ncx:navLabel><ncx:text>The lamp</ncx:text></ncx:navLabel>' +
      '<ncx:content src="a.xhtml"/></ncx:navPoint></ncx:navMap></ncx:ncx>',
    'a.xhtml': '<html><body><p>It burns oil.</p></body></html>',
    'b.xhtml': '<html><body><p>It turns.</p></body></html>',
  };
  const { title, sections } = await extractFile(zip(parts));
  expect(title).toBe('Lighthouses');
  expect(sections).toEqual([
    { chapter: 'The lamp', text: 'It burns oil.' },
    { chapter: 'The lamp', text: 'It turns.' },
  ]);
});
