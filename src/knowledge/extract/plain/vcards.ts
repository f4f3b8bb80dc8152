import type { Section } from '../../../search/types.ts';
import { cleanLine, cleanText } from '../clean.ts';
import type { Extracted } from '../types.ts';
import { type Property, partsOf, readComponents, textOf, unescaped } from './content-lines.ts';

/** What of a card is read, by its property, in this order. */
const labels: Record<string, string> = {
  NICKNAME: 'Nickname',
  ORG: 'Organization',
  TITLE: 'Title',
  ROLE: 'Role',
  TEL: 'Phone',
  EMAIL: 'Email',
  ADR: 'Address',
  URL: 'Website',
  IMPP: 'Messenger',
  BDAY: 'Birthday',
  NOTE: 'Note',
};

/** Reads the cards of a vCard file, each a section under the person's name. Pictures, sounds and keys are left out. */
export function readVcards(text: string): Extracted {
  const cards = readComponents(text).filter(({ name }) => name === 'VCARD');
  const sections = cards.map((card): Section => {
    const [family = '', given = '', middle = ''] = partsOf(
      card.properties.find(({ name }) => name === 'N')?.value ?? '',
    );
    const name = cleanLine(textOf(card, 'FN') || [given, middle, family].join(' ')) ?? textOf(card, 'ORG');
    const lines = Object.entries(labels).flatMap(([property, label]) =>
      card.properties.filter((each) => each.name === property).flatMap((each) => lineOf(label, each) ?? []),
    );
    return { ...(name && { heading: cleanLine(name, 200) }), text: cleanText([name, ...lines].join('\n')) };
  });
  return { sections };
}

function lineOf(label: string, { name, parameters, value }: Property): string | null {
  const isParts = name === 'ADR' || name === 'ORG';
  const text = isParts ? partsOf(value).filter(Boolean).join(', ') : unescaped(value).replace(/^(tel|mailto):/i, '');
  const day = name === 'BDAY' ? text.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3') : text;
  const types = (parameters.get('TYPE') ?? '').toLowerCase().split(',');
  const type = types.filter((each) => /^(work|home|cell|mobile|fax|main)$/.test(each)).join(', ');
  return text ? `${label}${type && ` (${type})`}: ${day}` : null;
}
