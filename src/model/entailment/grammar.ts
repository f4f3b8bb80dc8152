// Words of English, Portuguese and Spanish that give a sentence its structure, folded.

export const negators =
  /^(?:not|cannot|no|never|none|nobody|nothing|neither|nor|without|nao|nem|nunca|ninguem|nenhum|nenhuma|sem|sin|ningun|ninguna|ninguno|jamas|tampoco|nadie|ni|non|nicht|kein|keine|pas|.+n't)$/;
/** These add nothing to a negation before them: "não há nenhum". */
export const concords =
  /^(?:nor|nem|nenhum|nenhuma|ninguem|nunca|ningun|ninguna|ninguno|jamas|nadie|ni|never|nothing|none|tampoco|pas)$/;
export const contrasts =
  /^(?:but|however|although|though|except|unless|whereas|while|mas|porem|contudo|embora|exceto|salvo|enquanto|pero|aunque|excepto|mientras|sino|senao)$/;
export const joins =
  /^(?:and|or|e|y|ou|o|u|plus|because|since|when|if|so|porque|pois|quando|cuando|se|si|que|which|who|where|onde|donde)$/;
export const has = /^(?:has|have|is|are|was|tem|tiene|tienen|é|es|son|sao|foi|fue)$/;
export const limits = /^(?:later|mais|mas|tarde|tardar|over)$/;
/** What makes a statement hold only in some cases; "se" not in Spanish. */
export const conditions =
  /^(?:if|unless|except|provided|when|whenever|while|se|exceto|salvo|caso|quando|enquanto|si|excepto|cuando|mientras)$/;
export const ranges = /^(?:to|and|or|a|e|y|ou|o|until|ate|hasta|through|[-–—])$/;
export const costs =
  /^(?:charge|charges|cost|costs|fee|fees|custo|custos|coste|costes|costo|costos|cargo|cargos|taxa|taxas)$/;
/** Words that are never names, though a title may write them with a capital. */
export const grammar =
  /^(?:.|the|an|and|or|for|with|of|to|in|on|at|by|from|you|your|our|we|it|its|is|are|this|that|os|as|um|uma|de|do|da|dos|das|em|no|na|nos|nas|para|por|com|seu|sua|ele|ela|voce|el|la|los|las|un|una|del|al|en|con|su|sus|usted|ella)$/;
/** What follows a verb rather than a name: "Haga su pedido". */
export const determiners =
  /^(?:the|a|an|your|our|this|these|any|all|no|o|a|os|as|um|uma|seu|sua|seus|suas|el|la|los|las|un|una|su|sus|tu|tus|of|de|do|da|del|to|com|con|with)$/;
/** Endings of ordinary words rather than of names. */
export const ordinary =
  /(?:s|ing|tion|ment|ness|ity|ed|ly|er|able|ance|ence|cao|coes|mente|dade|agem|mento|cion|ciones|dad|miento|aje|ar|ir|ado|ada|ido|ida|ando|endo|iendo)$/;
