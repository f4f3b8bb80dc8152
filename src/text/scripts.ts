import { stemmer as stemGreek } from '@orama/stemmers/greek';
import { stemmer as stemRussian } from '@orama/stemmers/russian';
import { stemArabic } from './arabic.ts';
import { fold } from './fold.ts';

/**
 * A script whose words have one stem, whatever the language of the text around them. `id`: one letter. `grammar`: words
 * that a question is asked with, folded; they are indexed, but not searched beside others.
 */
export type Script = { id: string; stem(word: string): string; grammar: ReadonlySet<string> };

const words = (list: string): ReadonlySet<string> => new Set(fold(list).split(/\s+/));

const arabic =
  words(`ما ماذا من متى أين كيف كم هل أي أية لماذا في على إلى عن مع هو هي هذا هذه ذلك تلك إن أن أو لا التي الذي الذين يمكنني
  ماهي ماهو كان كانت يكون تكون قد تم بين بعد قبل عند عندما كل بعض غير حول خلال منذ حتى لم لن ثم لكن بل إذا كما لدى له لها
  لهم به بها فيه فيها منه منها عليه عليها أنا أنت نحن هم يمكن اسم يسمى تسمى`);
const russian =
  words(`и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня
  еще нет о об из ему когда даже ну ли если уже или ни быть был была были него до вас вам там потом себя ей может они тут где есть
  надо для мы их чем без чего тоже под будет кто кого кому этот этого этом эта эти это того тому том тот та те какой какая какие какое
  каких каким какого какую какому каком здесь мой чтобы куда зачем почему откуда можно при сколько чей чья который которая которые которого
  которой которым которых является являются называется назывались какова каков насколько`);
const greek =
  words(`και το η ο οι τα του της των τον την τους τις σε με για από που πως πώς τι ποιος ποια ποιο ποιοι ποιες πότε πού πόσο πόσα πόσοι
  πόσες γιατί είναι ήταν έχει έχουν είχε θα να δεν δε μη ένα ένας μια μία στο στη στην στον στα στις στους αυτό αυτή αυτός ή αν ως κατά
  μετά πριν μου σου μας σας ποιον ποιαν ποιους`);

/** Folding makes й an и; after a vowel, the stemmer needs it back. */
const stemCyrillic = (word: string): string => stemRussian(word.replace(/(?<=[аеиоуыэюя])и$/, 'й'));

const scripts: [letter: RegExp, Script][] = [
  [/^\p{scx=Arabic}/u, { id: 'a', stem: stemArabic, grammar: arabic }],
  [/^\p{scx=Cyrillic}/u, { id: 'c', stem: stemCyrillic, grammar: russian }],
  [/^\p{scx=Greek}/u, { id: 'g', stem: stemGreek, grammar: greek }],
];
/** Greek is the first of them in Unicode. */
const firstLetter = 0x370;

/** Returns the script of a folded word; null for Latin ones, whose stem depends on the language, and for all others. */
export function scriptOf(word: string): Script | null {
  if (word.charCodeAt(0) < firstLetter) return null;
  return scripts.find(([letter]) => letter.test(word))?.[1] ?? null;
}
