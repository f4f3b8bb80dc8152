import type { MainLanguage } from '../../text/language.ts';
import { partOf } from '../prompt/prompt.ts';
import type { PassageOrigin } from '../types.ts';

type Contact = { name?: string; email?: string; phone?: string };

/** Everything that the embedded model says in its own words. */
export type Phrases = {
  hello: (agent: string) => string;
  welcome: string;
  identity: (agent: string) => string;
  unknown: string;
  onlyQuotes: string;
  according: (title: string | null, place: PassageOrigin) => string;
  closest: string;
  thanks: (contact: Contact) => string;
  askContact: string;
  attachment: string;
  result: (tool: string) => string;
  notExecuted: (tool: string) => string;
  missing: (tool: string, names: string[]) => string;
};

const source = (title: string | null, page: string | null, none: string) =>
  [title ?? none, page].filter(Boolean).join(', ');
const listed = ({ email, phone }: Contact, and: string) => [email, phone].filter(Boolean).join(` ${and} `);

const en: Phrases = {
  hello: (agent) => `Hello! I am ${agent}. How can I help?`,
  welcome: "You're welcome. Is there anything else?",
  identity: (agent) =>
    `I am ${agent}, an assistant and not a person. I run on Parley's built-in model: it answers by quoting passages of the knowledge base and knows nothing else.`,
  unknown: "I don't know: I found nothing about that in my knowledge base.",
  onlyQuotes: "I am a built-in model that answers by quoting it, so I can't say more.",
  according: (title, place) =>
    `According to ${source(title, partOf(place, { page: 'page', slide: 'slide', rows: 'rows' }), 'the knowledge base')}:`,
  closest: 'This is the closest that I found.',
  thanks: (contact) => {
    const contactText = listed(contact, 'and');
    return `Thank you${contact.name ? `, ${contact.name}` : ''}!${contactText ? ` I have noted ${contactText}.` : ''}`;
  },
  askContact: 'May I have your name and your e-mail or phone, so that we can get back to you?',
  attachment: "I can't see images or hear audio: please write what it is about.",
  result: (tool) => `${tool} answered:`,
  notExecuted: (tool) => `${tool} was not executed, so I have no result.`,
  missing: (tool, names) => `To use ${tool} I need: ${names.join(', ')}.`,
};

const pt: Phrases = {
  hello: (agent) => `Olá! Eu sou ${agent}. Como posso ajudar?`,
  welcome: 'De nada. Posso ajudar em algo mais?',
  identity: (agent) =>
    `Eu sou ${agent}, um assistente e não uma pessoa. Uso o modelo embutido do Parley: ele responde citando trechos da base de conhecimento e não sabe nada além dela.`,
  unknown: 'Não sei: não encontrei nada sobre isso na minha base de conhecimento.',
  onlyQuotes: 'Sou um modelo embutido que responde citando essa base; por isso não posso dizer mais.',
  according: (title, place) =>
    `Segundo ${source(title, partOf(place, { page: 'página', slide: 'slide', rows: 'linhas' }), 'a base de conhecimento')}:`,
  closest: 'Isto é o mais próximo que encontrei.',
  thanks: (contact) => {
    const contactText = listed(contact, 'e');
    return `Agradeço o contato${contact.name ? `, ${contact.name}` : ''}!${contactText ? ` Anotei ${contactText}.` : ''}`;
  },
  askContact: 'Pode me dizer seu nome e seu e-mail ou telefone, para podermos retornar o contato?',
  attachment: 'Não consigo ver imagens nem ouvir áudio: por favor, escreva do que se trata.',
  result: (tool) => `${tool} respondeu:`,
  notExecuted: (tool) => `${tool} não foi executada, então não tenho um resultado.`,
  missing: (tool, names) => `Para usar ${tool} preciso de: ${names.join(', ')}.`,
};

const es: Phrases = {
  hello: (agent) => `¡Hola! Soy ${agent}. ¿En qué puedo ayudar?`,
  welcome: 'De nada. ¿Puedo ayudar en algo más?',
  identity: (agent) =>
    `Soy ${agent}, un asistente y no una persona. Uso el modelo integrado de Parley: responde citando pasajes de la base de conocimiento y no sabe nada más.`,
  unknown: 'No lo sé: no encontré nada sobre eso en mi base de conocimiento.',
  onlyQuotes: 'Soy un modelo integrado que responde citando esa base; por eso no puedo decir más.',
  according: (title, place) =>
    `Según ${source(title, partOf(place, { page: 'página', slide: 'diapositiva', rows: 'filas' }), 'la base de conocimiento')}:`,
  closest: 'Esto es lo más cercano que encontré.',
  thanks: (contact) => {
    const contactText = listed(contact, 'y');
    return `¡Gracias${contact.name ? `, ${contact.name}` : ''}!${contactText ? ` Anoté ${contactText}.` : ''}`;
  },
  askContact: '¿Me dice su nombre y su correo o teléfono, para que podamos responderle?',
  attachment: 'No puedo ver imágenes ni oír audio: por favor, escriba de qué se trata.',
  result: (tool) => `${tool} respondió:`,
  notExecuted: (tool) => `${tool} no se ejecutó, así que no tengo un resultado.`,
  missing: (tool, names) => `Para usar ${tool} necesito: ${names.join(', ')}.`,
};

export const phrases: Record<MainLanguage, Phrases> = { e: en, p: pt, s: es };
