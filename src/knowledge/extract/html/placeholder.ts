/** A page with more text than this has content, whatever else it says. */
const maxLength = 600;

/** Sentences of pages that stand in for others, in the languages that most pages have. */
const standIns: [RegExp, string][] = [
  [
    /^(please wait|loading|carregando|cargando|chargement|caricamento|wird geladen|laden|загрузка|読み込み中|加载中)[\s.…!]*$/iu,
    'The page only shows that it is loading: its text is made by JavaScript, which is not run',
  ],
  [
    /(enable|activate|turn on) javascript|javascript (is|to be) (disabled|enabled|required)|requires javascript|(ative|habilite|active|habilita) (o )?javascript|aktivieren sie javascript|activez javascript/iu,
    'The page only asks for JavaScript, which is not run',
  ],
  [
    /verify(ing)? (that )?you are (a )?human|are you a robot|checking (if the site connection is secure|your browser)|just a moment\.\.\.|unusual traffic|complete the captcha|attention required! \| cloudflare/iu,
    'The page only asks whether its reader is a person: its server refuses programs',
  ],
  [
    /^(?=[\s\S]*\bcookies?\b)(?=[\s\S]*\b(accept|agree|consent|reject|manage|aceitar|aceptar|accepter|akzeptieren|zustimmen|accetta)\b)/iu,
    'The page only asks for consent to cookies',
  ],
  [
    /^\W*(error\W*)?(404|403|500|502|503|504)\b|\b(page|seite|página|pagina) (not found|nicht gefunden|não encontrada|no encontrada|non trovata)\b|\b(access denied|internal server error|bad gateway|service unavailable|too many requests|application error|a client-side exception has occurred)\b/iu,
    'The page only shows an error',
  ],
];

/** Why a page has no content, if all that it says is that it is loading, refuses, or failed; or null. */
export function placeholderReason(title: string | undefined, text: string): string | null {
  if (text.length > maxLength) return null;
  const said = text.trim();
  const found = standIns.find(([words], index) => words.test(said) && (index !== 3 || isShort(said)));
  if (found) return found[1];
  // An error page may have a friendly text: its title says what it is.
  return /^\W*(404|403|500|502|503|just a moment|access denied)\b/iu.test(title ?? '') && isShort(said)
    ? 'The page only shows an error'
    : null;
}

const isShort = (text: string): boolean => text.length <= maxLength / 2;
