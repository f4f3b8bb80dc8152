import { convertToHtml, images } from 'mammoth';
import { ExtractFailure } from '../../sandbox/extract-failure.ts';
import { aboutFile } from './about.ts';
import { readMarkup } from './html.ts';
import type { Extracted } from './types.ts';
import { coreProperties } from './xml.ts';
import { readZip, withXmlOnly } from './zip.ts';

const styles = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => h2:fresh"];

/** A Word document by its headings, with lists and tables. Rejects with `ExtractFailure`. */
export async function readDocx(bytes: Uint8Array): Promise<Extracted> {
  const core = readZip(bytes, (name) => name === 'docProps/core.xml').get('docProps/core.xml');
  try {
    const { value } = await convertToHtml(
      { buffer: Buffer.from(withXmlOnly(bytes).buffer) },
      { styleMap: styles, ignoreEmptyParagraphs: true, externalFileAccess: false, convertImage: noImages },
    );
    return { ...aboutFile(coreProperties(core)), sections: readMarkup(value) };
  } catch (error) {
    if (error instanceof ExtractFailure) throw error;
    throw new ExtractFailure('The Word document could not be read: it is damaged', { cause: error });
  }
}

// Pictures would come as base64 in the markup.
const noImages = images.imgElement(async () => ({ src: '' }));
