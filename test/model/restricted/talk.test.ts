import { describe, expect, test } from 'vitest';
import { keepGrounded } from '../../../src/model/restricted/keep-grounded.ts';
import { isSmallTalk } from '../../../src/model/restricted/talk.ts';
import { passage, request } from '../../support/model/model-requests.ts';
import { growth } from '../../support/random/growth.ts';

/** What people who answer chats of support write around an answer. */
const courtesies: Record<string, string[]> = {
  english: [
    'Hello! If you have any questions, I am here to help.',
    'Let me know if you have any questions.',
    'Let me know if there is anything else you may need.',
    'If there is anything else, please let me know.',
    'Please let me know what you need.',
    'Please do not hesitate to ask.',
    "Please don't hesitate to contact us.",
    'Feel free to ask.',
    'Feel free to contact us if you need anything else.',
    'You can ask me anything.',
    'If you need help, just ask.',
    'I am here if you need me.',
    'I am happy to help you with anything else you have.',
    'You are welcome! Have a nice day.',
    'Thank you for your message.',
    'Thanks for contacting us.',
    'I hope this helps!',
    'Glad I could help.',
    'I apologize for the inconvenience.',
    'Take care and have a great day!',
    'It was a pleasure to help you.',
    'One moment, please.',
    'Is there anything else I can help you with?',
  ],
  portuguese: [
    'Olá! Se você tiver alguma dúvida, estou aqui para ajudar.',
    'Se precisar de mais alguma coisa, é só avisar.',
    'Se tiver mais perguntas, é só perguntar.',
    'Se você tem alguma dúvida, me avise.',
    'Se houver algo mais em que eu possa ajudar, me avise.',
    'Me avise se precisar de algo.',
    'Não hesite em perguntar.',
    'Não hesite em entrar em contato.',
    'Fique à vontade para perguntar.',
    'Você pode me perguntar qualquer coisa.',
    'Estou à disposição.',
    'Estamos aqui para ajudar.',
    'Posso ajudar no que precisar.',
    'Qualquer dúvida, estou aqui.',
    'De nada! Tenha um ótimo dia.',
    'Obrigado pelo seu contato.',
    'Agradeço a sua mensagem.',
    'Peço desculpas pelo transtorno.',
    'Um momento, por favor.',
    'É um prazer ajudar.',
    'Espero ter ajudado.',
    'Seja bem-vindo!',
    'Posso ajudar em mais alguma coisa?',
  ],
  spanish: [
    '¡Hola! Si tiene alguna pregunta, estoy aquí para ayudarle.',
    'Si usted tiene alguna duda, dígame.',
    'Si necesita algo más, no dude en preguntar.',
    'Si hay algo más en lo que pueda ayudarle, dígame.',
    'Avíseme si necesita algo más.',
    'Dígame si tiene otra pregunta.',
    'No dude en contactarnos.',
    'No dudes en preguntar.',
    'Puede preguntarme lo que quiera.',
    'Estoy a su disposición.',
    'Quedo a su disposición.',
    'Estamos aquí para ayudar.',
    'Cualquier duda, aquí estoy.',
    'De nada. ¡Que tenga un buen día!',
    'Gracias por su mensaje.',
    'Gracias por contactarnos.',
    'Le pido disculpas por las molestias.',
    'Disculpe la espera.',
    'Un momento, por favor.',
    'Es un placer ayudarle.',
    'Ha sido un placer ayudarle.',
    'Espero haber ayudado.',
    '¿Puedo ayudarle en algo más?',
  ],
};

/** What a courtesy must not decide, in no word that states anything. */
const decisions = [
  'Sorry, you cannot.',
  "Sorry, you can't do that here.",
  'You can do that here.',
  'You can, if you need.',
  'If you need help, you can.',
  'Sorry, you may not.',
  'You have that here.',
  'There is none here, sorry.',
  'There is help here.',
  'Here you can.',
  'You must, sorry.',
  'You can contact us here.',
  'Desculpe, não.',
  'Você pode, sim, aqui.',
  'Pode aqui, obrigado.',
  'Aqui pode, obrigado.',
  'Aqui se pode, obrigado.',
  'Pode-se aqui, obrigado.',
  'Se precisar de ajuda, pode.',
  'Sim, aqui.',
  'Qualquer dia, obrigado.',
  'Alguna tarde, gracias.',
  'Free here, thanks.',
  'Você precisa, desculpe.',
  'Há ajuda aqui.',
  'Lo siento, no.',
  'Usted puede aquí.',
  'Sí, aquí.',
  'Sí puede aquí.',
  'Si puede aquí.',
  'Aquí se puede, gracias.',
  'Usted necesita eso aquí.',
  'Hay ayuda aquí.',
  'No hay nada aquí, disculpe.',
];

const told = (said: string) =>
  keepGrounded(
    request('Can I bring my dog?', {
      passages: [passage('The museum shop sells postcards.')],
      agent: { instructions: null, welcome: null, freedom: 'restricted' },
    }),
    said,
  );

describe.each(Object.keys(courtesies))('a courtesy is told as it is, in %s', (language) => {
  test.each(courtesies[language] ?? [])('%s', (said) => {
    expect(told(said)).toMatchObject({ text: said, withheld: 0 });
  });
});

test.each(decisions)('a courtesy that decides is an answer, which no source gives: %s', (said) => {
  const { text, withheld } = told(said);
  expect(text).not.toContain(said);
  expect(withheld).toBe(1);
});

test.each(['aあ', 'you ', 'if ', 'you a', "a'", 'não '])(
  'a courtesy eight times as long takes eight times as long to read: %s',
  async (piece) => {
    const read = (length: number) => isSmallTalk(`Hello ${piece.repeat(length / piece.length)}`, new Set());
    expect(await growth(12_000, read)).toBeLessThan(5);
  },
);
