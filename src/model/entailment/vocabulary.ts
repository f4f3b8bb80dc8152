import { mainLanguages } from '../../text/language.ts';
import { anyTermOf } from '../../text/lexemes.ts';
import { stopWords } from '../../text/stop-words.ts';
import { termsOf } from '../reply/text.ts';
import { ordinary } from './grammar.ts';

/** Words that are taken for one another, in English, Portuguese and Spanish, folded; other forms of them too. */
const synonyms =
  `cost price charge fee pay paid rate priced|deliver ship shipping shipment dispatch arrive parcel package|
buy purchase bought acquire|return bring|refund reimburse money|begin start commence|end finish conclude over|client customer buyer shopper|
guest visitor people person anyone everyone|help assist support|phone call telephone ring|email mail|item product article goods|
need require must necessary mandatory obligatory compulsory have|receive get obtain|use employ|
make create produce manufacture made|build built construct constructed erect|large big|small little|fast quick rapid|repair fix mend|
place location located situated lie stand site|last take duration long|car vehicle|kid child children|guarantee warranty|
choose select pick|contact reach|staff team employee|store shop outlet|holiday vacation|company firm business|answer reply respond|
cancel cancellation|change modify alter|register enrol enroll signup subscribe|design designed drew plan planned|run manage lead head|
keep store hold|stay remain|leave depart departure|reach arrive|doctor physician|teach instruct|class lesson course|book reserve booking reservation|
weigh weight|measure size|own possess|offer provide give|send sent|write wrote written author|found founded establish|
open opening abrir aberto funcionar abertura horario abierto abre abren apertura|
allow permit accept welcome admit permitir aceitar admitir permitido aceito aceite aceptar aceptan acepta admiten entrada|include contain comprise incluir conter incluso incluye|
available disponivel disponible|possible possivel posible|day daily everyday dia diario diaria diariamente|week weekly semana semanal|
month monthly mes mensal mensual|year annual yearly annually ano anual|
custar preco valor pagar tarifa taxa cobrar custo|entregar entrega enviar envio chegar chegada encomenda|comprar compra adquirir|
devolver devolucao devolucoes devolvido|reembolsar reembolso reembolsado restituir|comecar inicio iniciar|terminar fim acabar encerrar|
cliente comprador|visitante hospede pessoa|ajudar auxiliar apoiar|telefonar ligar telefone|correio email|item produto artigo artigos itens|
precisar necessario exigir obrigatorio preciso deve|receber obter|usar utilizar|fazer fabricar produzir|
construir erguer construido construida|grande|rapido veloz|consertar reparar conserto reparo|local lugar ficar localizado situado situada localizada|
durar levar demorar prazo duracao|carro veiculo automovel|crianca menino filho|garantia|escolher selecionar|contatar contactar falar|
funcionario equipe equipa|loja estabelecimento|ferias|empresa companhia|responder resposta|cancelar cancelamento|mudar alterar trocar modificar|
inscrever registrar cadastrar registar|projetar desenhar projetado projetada projeto|gerir dirigir administrar chefiar|guardar armazenar|partir sair saida|
medico|ensinar|aula curso|reservar reserva|pesar peso|medir tamanho|oferecer fornecer dar|mandar|fundar fundado fundada|
costar precio pagar tarifa cobrar coste costo cuesta cuestan valer vale|entregar entrega enviar envio llegar llegada paquete|
devolver devolucion devoluciones devuelto|reembolsar reembolso|empezar comenzar inicio empieza comienza|terminar acabar fin|cliente comprador|
visitante huesped persona|ayudar asistir|telefonear llamar telefono|correo email|articulo producto|
necesitar requerir necesario obligatorio exigir necesita debe|recibir obtener|hacer fabricar producir|construir levantar construido construida|
lugar ubicar ubicado situado ubicada situada encontrar estar|durar tardar plazo duracion dura tarda|coche vehiculo automovil auto carro|nino nina hijo|
contener|elegir escoger|contactar|empleado equipo personal|tienda comercio|vacaciones|empresa compania|responder respuesta contestar|
cancelar cancelacion anular|cambiar modificar|inscribir registrar|disenar disenado disenada proyectar|gestionar dirigir administrar|guardar almacenar|
salir partir salida|medico doctor|ensenar|clase curso|reservar reserva|pesar peso|ofrecer dar|
mandar|fundar fundado fundada`
    .replaceAll('\n', '')
    .split('|')
    .map((group) => group.split(' '));

/** Words that state nothing of their own. */
const neutral = new Set(
  `also just simply please able available possible do does make take get give go come want like find see know use
  according information passage document documents knowledge base text states says stated mentioned yes yeah sure certainly course indeed
  however therefore thus so note total exactly currently kindly basically time back there here thing way sir madam well only even still both
  tambem apenas simplesmente favor disponivel possivel fazer ir vir querer encontrar ver saber segundo conforme acordo informacao trecho documento
  base texto sim claro certamente portanto assim total exatamente atualmente aqui so ainda pode podem poderá coisa voce senhor ja dela dele
  tambien solo solamente simplemente disponible posible hacer ir venir querer encontrar ver saber segun informacion pasaje documento texto si claro
  ciertamente por tanto total exactamente actualmente aqui aun puede pueden podra cosa usted senor ya`.split(/\s+/),
);

/** Words of which a text that has one does not mean another of its group. */
const exclusive = `before antes prior|after depois apos despues tras;more mais mas|less fewer menos;
morning mornings manha manhas manana mananas|afternoon afternoons tarde tardes|evening evenings|night nights noite noites noche noches;
north norte|south sur sul|east leste este|west oeste;left esquerda izquierda|right direita derecha;
daily diario diaria diariamente|weekly semanal semanalmente|monthly mensal mensual mensalmente mensualmente|yearly annual annually anual anualmente;
increase raise rise grow aumentar subir|decrease reduce fall drop diminuir reduzir disminuir reducir bajar;large larger big bigger greater grande maior maiores mayor mayores|small smaller little pequeno pequena pequena menor menores;
faster quicker|slower;older|newer;higher|lower;better melhor melhores mejor mejores|worse pior piores peor peores;easier simpler|harder;longer|shorter;
previous preceding anterior anteriores precedente|next following seguinte seguintes siguiente siguientes;earlier|later;superior superiores|inferior inferiores;
hot quente caliente|cold frio fria;inside indoors dentro|outside outdoors fora fuera;mandatory obligatory compulsory obrigatorio obrigatoria obligatorio obligatoria|optional opcional facultativo facultativa;
first primeiro primeira primer primero primera|second segundo segunda|third terceiro terceira tercero tercera tercer|fourth quarto quarta cuarto cuarta|fifth quinto quinta|sixth sexto sexta|last ultimo ultima;
once|twice|thrice;adult adults adulto adultos adulta|child children kid kids crianca criancas nino ninos|senior seniors idoso idosos;
above acima encima|below under abaixo debajo;black preto preta negro negra|white branco branca blanco blanca|red vermelho vermelha rojo roja|green verde|blue azul|yellow amarelo amarela amarillo amarilla`
  .replaceAll('\n', '')
  .split(';')
  .map((group) => group.split('|').map((words) => words.split(' ')));

/** Words that a source must have itself: they promise something. */
const promises = new Set(
  'free gratis gratuito gratuita gratuitos gratuitas gratuitamente complimentary unlimited ilimitado ilimitada lifetime vitalicio vitalicia always sempre siempre guaranteed'.split(
    ' ',
  ),
);

/** Verbs that a sentence goes on with about the same subject. */
const predicates = new Set(
  `costs cost holds hold lasts last takes take weighs covers cover includes serves draws measures pays starts ends comes runs
  custa custam dura duram serve leva pesa cobre inclui paga tem mede comeca termina cabe
  cuesta cuestan duran pesa cubre incluye paga tiene mide empieza termina alcanza sirve`.split(/\s+/),
);
const channels = new Set(
  `address email mail e-mail write link site website page web online contact phone telephone call number
  endereco correio escreva escrever pagina telefone ligue contato contate acesse visite
  direccion correo escriba escribir pagina enlace telefono llame contacto visite visit see veja vea reach`.split(/\s+/),
);

/** What says the opposite of another word. */
const opposites = new Map(
  [
    [
      'open',
      'closed close closes shut shuts fechado fechada fechados fechadas fecha fecham fechar cerrado cerrada cerrados cerradas cierra cierran cerrar',
    ],
    [
      'allow',
      'forbidden forbid forbids prohibited prohibit banned ban disallowed proibido proibida proibidos proibidas prohibido prohibida prohibidos prohibidas vedado vedada vetado vetada',
    ],
    ['available', 'unavailable indisponivel indisponiveis'],
    ['possible', 'impossible impossivel imposible'],
    ['include', 'excluded exclude excludes excluding excluido excluida excluidos excluidas exclui excluye excluyen'],
    ['valid', 'invalid invalido invalida'],
    ['able', 'unable incapaz'],
    [
      'accept',
      'refuse refused refuses rejected reject declined decline recusado recusada recusa recusam rechazado rechazada rechaza rechazan',
    ],
    ['refundable', 'nonrefundable'],
  ].flatMap(([base = '', words = '']) => words.split(' ').map((word) => [word, base] as const)),
);

/** The word that a negative word negates; null for others. */
export const negatedBy = (word: string): string | null => opposites.get(word) ?? null;
/** A promise, or what is counted: "every month". */
export const isPromise = (word: string): boolean => promises.has(word) || times.test(word);
const times = /^(?:minute|hour|day|week|month|year|minuto|hora|dia|semana|mese?|ano)s?$/;
export const isPredicate = (word: string): boolean => predicates.has(word);
/** Whether a word names how to reach somebody: it says nothing beside the address itself. */
export const isChannel = (word: string): boolean => channels.has(word);
export const isNeutral = (word: string): boolean => neutral.has(word);
export const isStopWord = (word: string): boolean => mainLanguages.some((language) => stopWords[language].has(word));

/** The stems of a word in any language. */
const stemsOf = (word: string): string[] => [
  ...termsOf(word),
  ...mainLanguages.map((language) => anyTermOf(word, language)),
];

const groups = new Map<string, string[]>();
for (const [index, words] of synonyms.entries()) {
  for (const stem of new Set(words.flatMap(stemsOf))) groups.set(stem, [...(groups.get(stem) ?? []), `=${index}`]);
}

/** What a word is known by: two words that share a key mean the same. */
export function keysOf(word: string): string[] {
  const found = known.get(word);
  if (found) return found;
  const stems = stemsOf(word);
  const keys = [...new Set([...stems, ...stems.flatMap((stem) => groups.get(stem) ?? [])])];
  if (known.size >= maxKnown) known.clear();
  // A substring keeps its whole text in memory; a copy does not.
  if (word.length < 40) known.set(Buffer.from(word).toString(), keys);
  return keys;
}

const known = new Map<string, string[]>();
const maxKnown = 5_000;

/** A word of the vocabulary, or with the ending of an ordinary one, begins a sentence as any word does. */
export const looksLikeName = (word: string): boolean => !isKnownWord(word) && !ordinary.test(word);

const isKnownWord = (word: string): boolean =>
  isNeutral(word) || isStopWord(word) || keysOf(word).some((key) => key.startsWith('='));

const sides = new Map(
  exclusive.flatMap((group, index) =>
    group.flatMap((words, side) => words.map((word) => [word, { group: index, side }] as const)),
  ),
);
/** The group of bounds, which are several words as a rule. */
export const boundGroup = -1;
/** The group of words that exclude each other, and the side of a word in it. */
export const sideOf = (word: string): { group: number; side: number } | null => sides.get(word) ?? null;
