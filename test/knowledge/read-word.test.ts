import { describe, expect, test } from 'vitest';
import { extractFile, extractHtml, textOf } from '../support/knowledge/extract-source.ts';
import { docx, paragraph } from '../support/knowledge/office-files.ts';

const run = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
const math = (body: string) => docx(`<w:p><w:r><w:t>Speed: </w:t></w:r><m:oMath>${body}</m:oMath></w:p>`);
const lines = async (file: Uint8Array) => textOf(await extractFile(file));

describe('a Word document is read with', () => {
  test.each([
    ['a fraction', `${run('v=')}<m:f><m:num>${run('s')}</m:num><m:den>${run('t+1')}</m:den></m:f>`, 'v=s/(t+1)'],
    ['a power', `<m:sSup><m:e>${run('x')}</m:e><m:sup>${run('2')}</m:sup></m:sSup>`, 'x^2'],
    ['an index', `<m:sSub><m:e>${run('a')}</m:e><m:sub>${run('n+1')}</m:sub></m:sSub>`, 'a_(n+1)'],
    ['a root', `<m:rad><m:radPr/><m:deg/><m:e>${run('b&lt;4')}</m:e></m:rad>`, '√(b<4)'],
    [
      'a sum',
      `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${run('i=1')}</m:sub><m:sup>${run('n')}</m:sup><m:e>${run('i')}</m:e></m:nary>`,
      '∑_(i=1)^n i',
    ],
    ['brackets', `<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e>${run('0')}</m:e></m:d>`, '[0]'],
  ])('an equation: %s', async (_name, body, said) => {
    expect(await lines(math(body))).toBe(`Speed: ${said}`);
  });

  test('an equation that stands by itself', async () => {
    const alone = `<w:p><m:oMathPara><m:oMathParaPr><m:jc m:val="left"/></m:oMathParaPr><m:oMath>${run('E=mc')}</m:oMath></m:oMathPara></w:p>`;
    expect(await lines(docx(paragraph('So:') + alone))).toBe('So:\n\nE=mc');
  });

  test('its text boxes, each once, whichever program wrote it', async () => {
    const box = (text: string) => `<w:txbxContent>${paragraph(text)}</w:txbxContent>`;
    const drawing = (text: string) => `<w:drawing><wp:inline><wps:txbx>${box(text)}</wps:txbx></wp:inline></w:drawing>`;
    const old = (text: string) => `<w:pict><v:textbox>${box(text)}</v:textbox></w:pict>`;
    const both = `<mc:AlternateContent><mc:Choice Requires="wps">${drawing('Closed on Mondays.')}</mc:Choice><mc:Fallback>${old('Closed on Mondays.')}</mc:Fallback></mc:AlternateContent>`;
    const newer = `<mc:AlternateContent><mc:Choice Requires="wps">${drawing('Ring twice.')}</mc:Choice></mc:AlternateContent>`;
    const body = [both, newer, drawing('Mind the step.')].map((inner) => `<w:p><w:r>${inner}</w:r></w:p>`).join('');
    expect(await lines(docx(paragraph('Open from nine.') + body))).toBe(
      'Open from nine.\n\nClosed on Mondays.\n\nRing twice.\n\nMind the step.',
    );
  });

  test('the words of its SmartArt', async () => {
    const point = (text: string, type = '') =>
      `<dgm:pt${type}><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
    const data = `<dgm:dataModel><dgm:ptLst>${point('', ' type="doc"')}${point('Book')}${point('Pay &amp; print')}</dgm:ptLst></dgm:dataModel>`;
    const art =
      '<w:p><w:r><w:drawing><wp:inline><dgm:relIds r:dm="rId7" r:lo="rId8"/></wp:inline></w:drawing></w:r></w:p>';
    const file = docx(paragraph('Steps') + art, '', {
      'word/_rels/document.xml.rels':
        '<Relationships><Relationship Id="rId7" Target="diagrams/data1.xml"/></Relationships>',
      'word/diagrams/data1.xml': data,
    });
    expect(await lines(file)).toBe('Steps\n\nBook\n\nPay & print');
  });

  test('the numbers of its lists, and a word on pictures that are not read', async () => {
    const item = (text: string) =>
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
    const picture = '<w:p><w:r><w:drawing><wp:inline><pic:pic/></wp:inline></w:drawing></w:r></w:p>';
    const numbering = `<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;
    const kind = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering';
    const read = await extractFile(
      docx(item('Knock.') + item('Wait.') + picture, '', {
        'word/_rels/document.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${kind}" Target="numbering.xml"/></Relationships>`,
        'word/numbering.xml': numbering,
      }),
    );
    expect(textOf(read)).toBe('1. Knock.\n2. Wait.');
    expect(read.warnings).toEqual(['1 picture is not read']);
  });

  test('equations and boxes that are never closed, or nest without end, in no more time', async () => {
    const open = '<m:oMath><mc:AlternateContent><w:drawing>'.repeat(20_000);
    await expect(extractFile(docx(open))).rejects.toThrow(/damaged|too deeply nested/);
  });
});

test('a numbered list of a page keeps its numbers', async () => {
  const html = '<h1>Fire</h1><ol start=3><li>Leave</li><li>Call<ul><li>112</li></ul></li><li>Wait</li></ol>';
  expect(textOf(await extractHtml(html))).toBe('3. Leave\n4. Call\n- 112\n5. Wait');
});
