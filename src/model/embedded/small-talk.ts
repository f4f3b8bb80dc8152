import { fold } from '../../text/fold.ts';

export const greetings =
  'hi hello hey there good morning afternoon evening day oi ola opa bom dia boa tarde noite tudo bem hola buenas buenos dias tardes noches que tal';
export const thanks =
  'thank thanks you very much so a lot ok okay great perfect cheers bye goodbye obrigado obrigada muito valeu otimo perfeito tchau ate logo gracias muchas perfecto adios';

const greetingWords = new Set(greetings.split(' '));
const thankWords = new Set(thanks.split(' '));

const identity = [
  /\b(are|r) you (a |an |really |just )*(human|person|robot|bot|chat ?bot|ai|machine|real|program|computer)\b/,
  /\b(who|what) (exactly )?(are|r) you\b|\bwhat (ai |language )?model\b|\bwhich (ai |language )?model\b|\bam i (talking|speaking|chatting) (to|with)\b/,
  /\bquem e voce|o que e voce|\bvoce e (um |uma )?(robo|bot|humano|humana|pessoa|ia|maquina|real)\b|\bqual (e o seu )?modelo (voce )?(usa|e)|\bque modelo (voce )?(usa|e)\b/,
  /\bquien eres|\bque eres|\beres (un |una )?(robot|bot|humano|humana|persona|ia|maquina|real)\b|\bque modelo (usas|eres)\b/,
];

const wordsOf = (text: string): string[] => fold(text).match(/\p{L}+/gu) ?? [];

/** A greeting and nothing else, possibly with the agent's name, or an empty message. */
export const isGreeting = (text: string, agent: string): boolean => {
  const own = new Set(wordsOf(agent));
  return wordsOf(text).every((word) => greetingWords.has(word) || own.has(word)) && !/\d/.test(text);
};

/** Thanks or goodbye and nothing else. */
export const isThanks = (text: string): boolean =>
  wordsOf(text).every((word) => thankWords.has(word)) && !/\d/.test(text);

/** Asks who or what is replying. */
export const asksIdentity = (text: string): boolean => identity.some((pattern) => pattern.test(fold(text)));
