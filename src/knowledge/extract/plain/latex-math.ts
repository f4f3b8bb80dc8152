import { grouped, lowered, rootOf, superscript } from '../equations.ts';

const words = (text: string) =>
  Object.fromEntries(text.split(/\s+/).map((pair) => pair.split('=') as [string, string]));
const letters =
  'alpha=α beta=β gamma=γ delta=δ epsilon=ε varepsilon=ε zeta=ζ eta=η theta=θ iota=ι kappa=κ lambda=λ mu=μ nu=ν xi=ξ pi=π rho=ρ sigma=σ tau=τ upsilon=υ phi=φ varphi=φ chi=χ psi=ψ omega=ω Gamma=Γ Delta=Δ Theta=Θ Lambda=Λ Xi=Ξ Pi=Π Sigma=Σ Upsilon=Υ Phi=Φ Psi=Ψ Omega=Ω';
/** Commands that stand for one sign. */
export const signs: Record<string, string> = words(
  `${letters} times=× cdot=· div=÷ pm=± mp=∓ leq=≤ le=≤ geq=≥ ge=≥ neq=≠ ne=≠ approx=≈ equiv=≡ sim=~ infty=∞ sum=∑ prod=∏ int=∫ partial=∂ nabla=∇ in=∈ notin=∉ subset=⊂ subseteq=⊆ cup=∪ cap=∩ emptyset=∅ forall=∀ exists=∃ neg=¬ land=∧ wedge=∧ lor=∨ vee=∨ to=→ rightarrow=→ leftarrow=← Rightarrow=⇒ Leftrightarrow=⇔ mapsto=↦ degree=° circ=∘ ldots=… dots=… cdots=⋯ prime=′ ell=ℓ hbar=ℏ angle=∠ perp=⊥ parallel=∥ langle=⟨ rangle=⟩ lfloor=⌊ rfloor=⌋ lceil=⌈ rceil=⌉ setminus=∖ propto=∝ ast=* star=⋆ bullet=•`,
);
/** Names of functions, which are words. */
const functions =
  /^(sin|cos|tan|cot|sec|csc|arcsin|arccos|arctan|sinh|cosh|tanh|log|ln|lg|exp|lim|max|min|sup|inf|det|gcd|mod|deg|dim|ker|Pr|arg)$/;
const maxDepth = 24;

/** A formula on one line, as those of other files: `x = (−b ± √(b^2 − 4ac))/(2a)`. */
export function formulaOf(tex: string, depth = 0): string {
  if (depth > maxDepth) return '';
  let at = 0;
  let line = '';
  const argument = (): string => {
    while (tex[at] === ' ') at++;
    if (tex[at] === '{') {
      const end = groupEnd(tex, at);
      const inner = tex.slice(at + 1, end);
      at = end + 1;
      return formulaOf(inner, depth + 1);
    }
    const [one = ''] = /^(\\[A-Za-z]+|\\?.)/su.exec(tex.slice(at, at + 50)) ?? [];
    at += one.length;
    return formulaOf(one, depth + 1);
  };
  while (at < tex.length) {
    const [token = ''] = /^(\\[A-Za-z]+|\\?[\s\S])/u.exec(tex.slice(at, at + 50)) ?? [];
    at += token.length || 1;
    const name = token.slice(1);
    if (token === '^') line += superscript(argument());
    else if (token === '_') line += lowered(argument());
    else if (/^\\[dt]?frac$/.test(token)) line += `${grouped(argument())}/${grouped(argument())}`;
    else if (token === '\\sqrt') {
      const [degree = ''] = /^\[[^\]]{0,20}\]/.exec(tex.slice(at, at + 22)) ?? [];
      at += degree.length;
      line += rootOf(argument(), degree.slice(1, -1));
    } else if (/^\\(begin|end|label|tag|color|hspace|vspace|operatorname\*?)$/.test(token)) {
      const given = argument();
      if (name.startsWith('operatorname') || name === 'tag') line += name === 'tag' ? ` (${given})` : given;
    } else if (token === '\\\\') line += '\u2028';
    else if (/^\\[,;:! ]$|^\\q?quad$/.test(token)) line += ' ';
    else if (/^\\[{}%$#_|&]$/.test(token)) line += name;
    else if (token.startsWith('\\'))
      line += Object.hasOwn(signs, name) ? signs[name] : functions.test(name) ? `${name} ` : '';
    else if (!/[{}&]/.test(token)) line += token;
    else if (token === '&') line += ' ';
  }
  return line.replace(/[ \t\n]+/g, ' ').trim();
}

/** The position of the brace that closes the one at `start`; the end, if none does. */
export function groupEnd(tex: string, start: number): number {
  let depth = 0;
  for (let at = start; at < tex.length; at++) {
    if (tex[at] === '\\') at++;
    else if (tex[at] === '{') depth++;
    else if (tex[at] === '}' && --depth === 0) return at;
  }
  return tex.length;
}
