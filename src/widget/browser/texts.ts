const en = {
  open: 'Chat with {name}',
  close: 'Close the chat',
  fresh: 'New conversation',
  message: 'Message',
  placeholder: 'Write a message…',
  send: 'Send',
  stop: 'Stop',
  writing: '{name} is writing…',
  you: 'You',
  sources: 'Sources',
  page: 'page {page}',
  helped: 'This helped',
  notHelped: 'This did not help',
  stopped: 'Stopped.',
  cutOff: 'The answer was cut off.',
  waiting: 'A person will answer here soon.',
  off: 'We cannot answer right now. Please come back later.',
  limited: 'That was a lot at once. Please wait a moment.',
  failed: 'This could not be answered.',
  offline: 'No connection.',
  reconnecting: 'Reconnecting…',
  retry: 'Try again',
};
export type Texts = typeof en;

const pt: Texts = {
  open: 'Conversar com {name}',
  close: 'Fechar a conversa',
  fresh: 'Nova conversa',
  message: 'Mensagem',
  placeholder: 'Escreva uma mensagem…',
  send: 'Enviar',
  stop: 'Parar',
  writing: '{name} está escrevendo…',
  you: 'Você',
  sources: 'Fontes',
  page: 'página {page}',
  helped: 'Isto ajudou',
  notHelped: 'Isto não ajudou',
  stopped: 'Interrompido.',
  cutOff: 'A resposta foi cortada.',
  waiting: 'Uma pessoa vai responder aqui em breve.',
  off: 'Não podemos responder agora. Volte mais tarde, por favor.',
  limited: 'Foram muitas mensagens de uma vez. Aguarde um momento.',
  failed: 'Não foi possível responder.',
  offline: 'Sem conexão.',
  reconnecting: 'Reconectando…',
  retry: 'Tentar de novo',
};

const es: Texts = {
  open: 'Conversar con {name}',
  close: 'Cerrar la conversación',
  fresh: 'Nueva conversación',
  message: 'Mensaje',
  placeholder: 'Escribe un mensaje…',
  send: 'Enviar',
  stop: 'Detener',
  writing: '{name} está escribiendo…',
  you: 'Tú',
  sources: 'Fuentes',
  page: 'página {page}',
  helped: 'Esto ayudó',
  notHelped: 'Esto no ayudó',
  stopped: 'Detenido.',
  cutOff: 'La respuesta quedó cortada.',
  waiting: 'Una persona responderá aquí pronto.',
  off: 'No podemos responder ahora. Vuelve más tarde, por favor.',
  limited: 'Fueron muchos mensajes a la vez. Espera un momento.',
  failed: 'No se pudo responder.',
  offline: 'Sin conexión.',
  reconnecting: 'Reconectando…',
  retry: 'Intentar de nuevo',
};

/** The texts for a language such as `pt-BR`; English if there are none. */
export const textsIn = (language: string): Texts => ({ en, pt, es })[language.slice(0, 2).toLowerCase()] ?? en;

/** Replaces placeholders such as `{name}`. */
export const fill = (text: string, values: Record<string, string | number>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
