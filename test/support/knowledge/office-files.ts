import { strToU8, zipSync } from 'fflate';

const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
export const zip = (parts: Record<string, string>) =>
  zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])));
const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const others = ['m', 'mc', 'wp', 'wps', 'v', 'r', 'dgm', 'pic']
  .map((prefix) => `xmlns:${prefix}="urn:${prefix}"`)
  .join(' ');
/** A Word document with this body; `more` holds other parts of the file. */
export const docx = (body: string, head = '', more: Record<string, string> = {}) =>
  zip({
    ...more,
    'word/document.xml': `<?xml version="1.0"?>${head}<w:document ${word} ${others}><w:body>${body}</w:body></w:document>`,
    '_rels/.rels': `<Relationships><Relationship Id="r" Type="${relations}/officeDocument" Target="word/document.xml"/></Relationships>`,
    '[Content_Types].xml': '<Types/>',
  });
export const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
/** Slides in order: their XML, of `<p:sld>`. */
export const pptx = (...slides: string[]) =>
  zip({
    'ppt/presentation.xml': `<p:presentation><p:sldIdLst>${slides.map((_, at) => `<p:sldId r:id="r${at}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': `<Relationships>${slides.map((_, at) => `<Relationship Id="r${at}" Target="slides/slide${at}.xml"/>`).join('')}</Relationships>`,
    ...Object.fromEntries(slides.map((slide, at) => [`ppt/slides/slide${at}.xml`, slide])),
  });
/** A workbook of one sheet: its rows, and what its XML has around them; `formats` are those of cells `s="1"` and on. */
export const xlsx = (
  cells: string,
  head = '',
  { before = '', after = '', formats = [] as string[], properties = '' } = {},
) =>
  zip({
    'xl/workbook.xml': `<workbook xmlns:r="${relations}">${properties}<sheets><sheet name="A" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': `${head}<worksheet>${before}<sheetData>${cells}</sheetData>${after}</worksheet>`,
    'xl/styles.xml': `<styleSheet><numFmts>${formats.map((code, at) => `<numFmt numFmtId="${at + 200}" formatCode="${code.replace(/"/g, '&quot;').replace(/</g, '&lt;')}"/>`).join('')}</numFmts><cellXfs><xf numFmtId="0"/>${formats.map((_, at) => `<xf numFmtId="${at + 200}"/>`).join('')}</cellXfs></styleSheet>`,
  });
export const epub = (chapter: string) =>
  zip({
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="book.opf"/></rootfiles></container>',
    'book.opf':
      '<package><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>',
    'a.xhtml': chapter,
  });

const odfPrefixes = ['office', 'text', 'table', 'draw', 'style', 'presentation', 'xlink', 'dc', 'manifest']
  .map((prefix) => `xmlns:${prefix}="urn:${prefix}"`)
  .join(' ');
/**
 * An OpenDocument file of this body (`<office:text>…`); `styles` are its automatic styles, `more` other parts of it.
 */
export const odf = (body: string, { styles = '', head = '', more = {} as Record<string, string> } = {}) =>
  zip({
    'META-INF/manifest.xml': `<manifest:manifest ${odfPrefixes}/>`,
    'content.xml':
      `<?xml version="1.0"?>${head}<office:document-content ${odfPrefixes}>` +
      `<office:automatic-styles>${styles}</office:automatic-styles><office:body>${body}</office:body></office:document-content>`,
    ...more,
  });
