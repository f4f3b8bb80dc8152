/** Stop words, without accents: function words, and words that merely phrase a question. */
const english = `a about above after again all also am an and any are aren as at be because been before being below between
both but by can cannot could couldn d did didn do does doesn doing don down during each else ever every few for from further
get give got had hadn has hasn have haven having he her here hers him his how however i if in into is isn it its just know
let like ll m many may me might mine more most much must my need no nor not now of off on once one only onto or other our ours
out over own please re s same say see shall she should so some such t tell than thank thanks that the their theirs them then
there these they thing things this those through to too under until up upon us ve very want was wasn we were what when
where whether which while who whom whose why will with within without won would wouldn yes yet you your yours hello hi`;

const portuguese = `a ai ainda alem algo alguem algum alguma algumas alguns ali ambos ao aos apenas aquela aquelas aquele
aqueles aqui aquilo as assim ate atraves bem boa bom cada ca com como consigo contra cujo da dai dar das de dela delas dele
deles depois desde dessa dessas desse desses desta destas deste destes deve devem deveria devo disso disto do dos e ela elas
ele eles em embora enquanto entao entre era eram essa essas esse esses esta estao estar estas estava este esteja estes estou
eu existe faz fazer fica ficar foi fora foram fosse gostaria ha isso isto ja la lhe lhes mais mas me mesma mesmo meu meus
minha minhas muita muitas muito muitos na nao nas nem nenhum nenhuma nessa nesse nesta neste no nos nossa nossas nosso nossos
num numa o obrigada obrigado oi ola onde os ou outra outras outro outros para pela pelas pelo pelos pode podem poderia
por porque posso pra pro precisa preciso pois qual quais qualquer quando quanta quantas quanto quantos que quem quer
queria quero sabe saber sao se sei seja sem sempre sendo ser sera seria seu seus si so sobre sua suas tal tambem tao te tem
tenho ter teria teu teus teve tinha toda todas todo todos tu tua tuas tudo um uma umas uns vai vamos voce voces vos vou`;

const spanish = `a al algo alguien algun alguna algunas alguno algunos alli ante antes aqui asi aun aunque bien buena bueno
buenas buenos cada como con contra cual cuales cualquier cuando cuanta cuantas cuanto cuantos cuyo da dar de debe deben
debo del desde despues donde dos durante e el ella ellas ello ellos en entonces entre era eran eres es esa esas ese eso esos
esta estaba estamos estan estar estas este esto estos estoy fue fueron gracias gustaria ha hace hacen hacer hacia han hasta
hay haya he hola ir la las le les lo los mas me menos mi mia mias mientras mio mios mis misma mismas mismo mismos mucha
muchas mucho muchos muy nada ni ningun ninguna ninguno no nos nosotros nuestra nuestras nuestro nuestros o os otra otras otro
otros para pero podemos podria podrian por porque puede pueden puedo pues que quien quienes quiere quiero
quisiera sabe saber se sea segun ser sera si sido siempre sin sino sobre sois solamente solo somos son soy su sus suya suyas
suyo suyos tal tambien tampoco tan tanto te tener tengo tiene tienen toda todas todavia todo todos tras tu tus tuya tuyo un una
unas uno unos usted ustedes va vamos vosotros voy vuestra vuestro y ya yo`;

const listOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Keyed by `Language`. */
export const stopWords = { e: listOf(english), p: listOf(portuguese), s: listOf(spanish) };
