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

const german = `aber alle allem allen aller alles als also am an ander andere anderen anderer anderes auch auf aus bei beim bin bis bist
bitte da dabei dadurch dafur damit danach daran darauf daraus darf darin das dass davon dazu dein deine deinem deinen deiner dem den denen
denn der deren des dessen die dies diese diesem diesen dieser dieses dir doch dort du durch durfen durfte ein eine einem einen einer eines
er es etwa etwas euch euer eure fur gab gegen geworden gibt gilt hab habe haben habt hallo hast hat hatte hatten hattest hier ihm ihn ihnen
ihr ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jedoch jene kann kannst kein keine keinem keinen keiner konnen konnt
konnte konnten macht man mehr mein meine meinem meinen meiner mich mir mit mochte mochten muss mussen musste mussten nach nachdem nein nicht
nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit sich sie sind so sogar solche solchen soll sollen sollte sollten
sondern sowie uber um und uns unser unsere unserem unseren unserer unter viel viele vielen vom von vor wann war waren warum was welche
welchem welchen welcher welches wenn wer werde werden wessen wem wen weshalb wie wieso wieviel wieviele will wir wird wo wobei wodurch wofur
woher wohin womit woran worden worin wovon wozu wollen wollte wurde wurden wurdest zu zum zur zwar zwischen danke heisst heissen`;

const french = `a ai aie ainsi alors apres as au aucun aucune aujourd auquel aussi autre autres aux auxquels avaient avait avant avec avez
avoir avons bonjour c ca car ce ceci cela celle celles celui ces cet cette ceux chaque chez ci combien comme comment contre d dans de depuis
des desquels donc dont du duquel durant elle elles en encore entre es est et etaient etait etant ete etes etre eu fait font furent fut ici il
ils j je l la laquelle le lequel les lesquelles lesquels leur leurs lors lui m ma mais me meme memes merci mes moi moins mon n ne ni nos notre
nous on ont ou par parce pas pendant peu peut peuvent peux plus pour pourquoi pourrait puis puisque qu quand quel quelle quelles quels que
qui quoi s sa sans se sera serait ses seulement si sinon soit son sont sous suis sur t ta tandis te tes ton tous tout toute toutes tres tu un
une vers voici voila vos votre vous voudrais y`;

const italian = `a abbiamo ad agli ai al alcuna alcune alcuni alcuno alla alle allo allora altra altre altri altro anche ancora avendo avere
aveva avevano avete c che chi ci ciao cio ciascun coi col come con contro cosa cosi cui d da dagli dai dal dalla dalle dallo degli dei del
della delle dello dentro di dopo dove due durante e ed era erano essa esse essere essi esso fa fino fra fu furono gli grazie ha hai hanno ho
i il in io l la le lei li lo loro lui m ma me mentre mi mia mie miei mio molta molte molti molto ne negli nei nel nella nelle nello no noi non
nostra nostre nostri nostro o ogni oppure per perche percio pero piu poi possiamo posso possono prima puo qual quale quali quando quanta
quante quanti quanto quasi quella quelle quelli quello questa queste questi questo qui quindi s sara se sei senza si sia siamo siano sono
sopra sotto stata state stati stato su sua sue sugli sui sul sulla sulle suo suoi t te ti tra tu tua tue tuo tuoi tutta tutte tutti tutto un
una uno v vi voi vorrei vostra vostre vostri vostro`;

const listOf = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Keyed by `Language`. */
export const stopWords = {
  e: listOf(english),
  p: listOf(portuguese),
  s: listOf(spanish),
  d: listOf(german),
  f: listOf(french),
  i: listOf(italian),
};
