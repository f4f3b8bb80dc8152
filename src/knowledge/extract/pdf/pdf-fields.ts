import { cleanText } from '../clean.ts';

type Widget = {
  subtype?: string;
  fieldType?: string;
  fieldName?: string;
  alternativeText?: string;
  fieldValue?: unknown;
  buttonValue?: string;
  exportValue?: string;
  checkBox?: boolean;
  radioButton?: boolean;
  pushButton?: boolean;
  password?: boolean;
  annotationFlags?: number;
  options?: { exportValue?: string; displayValue?: string }[];
  contentsObj?: { str?: string };
};

/** Annotation flags: Hidden and NoView. */
const unseen = 2 | 32;

/** Reads the filled-in form fields of a page, and its text notes; `empty` counts the fields that were left blank. */
export function readFields(annotations: object[]): { lines: string[]; empty: number } {
  const lines: string[] = [];
  let empty = 0;
  for (const annotation of annotations as Widget[]) {
    if ((annotation.annotationFlags ?? 0) & unseen) continue;
    if (annotation.subtype === 'FreeText') lines.push(cleanText(annotation.contentsObj?.str ?? ''));
    if (annotation.subtype !== 'Widget' || annotation.pushButton || annotation.password) continue;
    const value = cleanText(valueOf(annotation));
    if (value) lines.push(`${nameOf(annotation)}: ${value}`);
    else if (/^(Tx|Ch)$/.test(annotation.fieldType ?? '')) empty++;
  }
  return { lines: [...new Set(lines)].filter((line) => line.trim()), empty };
}

function valueOf(widget: Widget): string {
  const { fieldValue, options = [] } = widget;
  if (widget.checkBox) return fieldValue && fieldValue !== 'Off' && fieldValue === widget.exportValue ? 'yes' : '';
  if (widget.radioButton) return fieldValue && fieldValue === widget.buttonValue ? String(fieldValue) : '';
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter((value) => typeof value === 'string');
  return values
    .map((value) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value)
    .join(', ');
}

/** The label of a field: its alternative text, or else the last part of a name like `form.person.name`. */
const nameOf = ({ alternativeText, fieldName }: Widget): string =>
  cleanText(alternativeText || (fieldName ?? '').split('.').at(-1) || 'Field').replace(/\s*:\s*$/, '');
