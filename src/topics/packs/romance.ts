// Spanish, Portuguese and Italian.

import { items, type Pack } from './pack.js';

export const ES: Pack = {
  language: 'es',
  shift: items(
    `cambiemos de tema | cambiando de tema | cambio de tema | cambiar de tema | nuevo tema | otro tema | en otro tema | sobre otro tema |
     otra pregunta | una pregunta diferente | pregunta diferente | nueva pregunta | otra cosa | pasemos a otra cosa | hablemos de otra cosa |
     sin relacion | no tiene relacion | por otro lado otra pregunta`,
  ),
  back: items(
    'volviendo a | volviendo al | volvamos a | volvamos al | regresando a | regresemos a | de vuelta a | retomando | retomemos',
  ),
  ack: items(
    `si | si por favor | no | no gracias | ok | okay | vale | de acuerdo | bien | muy bien | perfecto | genial | excelente | exacto |
     correcto | claro | claro que si | gracias | muchas gracias | por favor | continua | continue | sigue | siga | adelante | procede |
     proceda | hazlo | dale | entendido | ya veo | listo | esta bien | por supuesto | vamos`,
  ),
  close: items(
    'eso es todo | es todo | nada mas | adios | hasta luego | que tengas un buen dia | gracias por tu ayuda | gracias por su ayuda',
  ),
  connect: items(
    `y | pero | tambien | entonces | o | porque | y que | que tal | que hay de | ademas | luego | despues | finalmente | en vez | por que |
     cuantos | cuantas | cual | ahora | y si | otra vez`,
  ),
  request: items(
    `necesito | quiero | quisiera | me gustaria | busco | estoy buscando | puedes | puede | podrias | podria | como puedo | que es | cual es |
     cuales son | quien es | donde esta | explica | explicame | escribe | crea | encuentra | muestrame | dame | ayudame`,
  ),
  anaphor: items(
    'eso | esto | ese | esa | esos | esas | este | esta | estos | estas | ello | lo | la | los | las | el mismo | la misma | ahi | alli',
  ),
  stop: items(
    `el | la | los | las | un | una | unos | unas | de | del | y | o | pero | es | son | era | ser | estar | esta | hay | ha | he | han | yo |
     tu | usted | nosotros | me | te | se | nos | mi | mis | tus | su | sus | nuestro | a | al | en | con | sin | por | para | sobre | que | quien |
     como | cuando | donde | no | si | ya | mas | muy | tambien | lo | le | les | este | ese | eso | esto | puede | puedo | puedes | hacer`,
  ),
};

export const PT: Pack = {
  language: 'pt',
  shift: items(
    `mudando de assunto | mudar de assunto | mudanca de assunto | vamos mudar de assunto | novo assunto | outro assunto | um outro assunto |
     novo topico | outro topico | outra pergunta | uma pergunta diferente | pergunta diferente | nova pergunta | outra coisa |
     vamos falar de outra coisa | sem relacao | nada a ver`,
  ),
  back: items(
    'voltando a | voltando ao | voltemos a | voltemos ao | de volta a | de volta ao | retomando | retornando a | retornando ao',
  ),
  ack: items(
    `sim | sim por favor | nao | nao obrigado | nao obrigada | ok | okay | ta | ta bom | esta bem | bem | muito bem | perfeito | otimo |
     excelente | exato | exatamente | correto | certo | claro | obrigado | obrigada | muito obrigado | muito obrigada | valeu | por favor |
     continue | continua | prossiga | siga | pode continuar | vai | faca isso | entendi | entendido | pronto | com certeza | vamos | beleza`,
  ),
  close: items(
    'e tudo | isso e tudo | e so isso | so isso | mais nada | nada mais | adeus | tchau | ate logo | tenha um bom dia | obrigado pela ajuda',
  ),
  connect: items(
    `e | mas | tambem | entao | ou | porque | e se | que tal | e quanto | alem disso | depois | finalmente | em vez | por que | quantos |
     quantas | qual | agora | de novo`,
  ),
  request: items(
    `preciso | eu preciso | quero | eu quero | gostaria | eu gostaria | procuro | estou procurando | voce pode | voce poderia | pode me |
     como posso | o que e | qual e | quais sao | quem e | onde fica | onde esta | explique | escreva | crie | encontre | mostre | me de | me ajude`,
  ),
  anaphor: items(
    'isso | isto | esse | essa | esses | essas | este | esta | estes | estas | aquele | aquela | ele | ela | eles | elas | o mesmo | a mesma | la',
  ),
  stop: items(
    `o | a | os | as | um | uma | uns | umas | de | do | da | dos | das | e | ou | mas | sao | era | ser | estar | esta | ha | tem | ter | eu |
     voce | ele | ela | nos | me | te | se | meu | minha | seu | sua | nosso | em | no | na | nos | nas | com | sem | por | para | pelo | pela |
     sobre | que | quem | como | quando | onde | nao | sim | ja | mais | muito | tambem | lhe | isso | este | essa | pode | posso | fazer`,
  ),
};

export const IT: Pack = {
  language: 'it',
  shift: items(
    `cambiamo argomento | cambiando argomento | cambio argomento | cambio di argomento | cambiare argomento | nuovo argomento |
     altro argomento | un altro argomento | un'altra domanda | altra domanda | domanda diversa | nuova domanda | un'altra cosa |
     altra cosa | passiamo ad altro | parliamo d'altro | parliamo di altro | senza alcun rapporto`,
  ),
  back: items(
    'tornando a | tornando al | tornando alla | torniamo a | torniamo al | torniamo alla | riprendendo | riprendiamo | di nuovo a',
  ),
  ack: items(
    `si | si grazie | si per favore | no | no grazie | ok | okay | va bene | d'accordo | bene | molto bene | perfetto | ottimo | eccellente |
     esatto | esattamente | corretto | giusto | certo | certamente | grazie | grazie mille | molte grazie | prego | per favore | continua |
     continui | procedi | proceda | avanti | vai | vai avanti | fallo | capito | ho capito | fatto | andiamo | bravo`,
  ),
  close: items(
    "e tutto | questo e tutto | nient'altro | arrivederci | ciao | buona giornata | grazie per l'aiuto",
  ),
  connect: items(
    `e | ma | anche | quindi | allora | o | oppure | perche | e se | che ne dici | inoltre | poi | infine | invece | quanti | quante | quale | ora | ancora`,
  ),
  request: items(
    `ho bisogno | voglio | vorrei | mi piacerebbe | cerco | sto cercando | puoi | puo | potresti | potrebbe | come posso | cos'e | che cos'e |
     qual e | quali sono | chi e | dov'e | spiega | spiegami | scrivi | crea | trova | mostrami | dammi | aiutami`,
  ),
  anaphor: items(
    'questo | questa | questi | queste | quello | quella | quelli | quelle | cio | esso | essa | lo | la | li | le | ne | ci | lo stesso | la stessa',
  ),
  stop: items(
    `il | lo | la | i | gli | le | l | un | uno | una | di | del | della | dei | delle | dello | e | o | ma | sono | era | essere | avere | ha |
     ho | hanno | io | tu | lui | lei | noi | voi | loro | mi | ti | si | ci | vi | mio | mia | tuo | tua | suo | sua | nostro | a | al | alla |
     in | nel | nella | con | su | sul | sulla | per | tra | fra | che | chi | come | quando | dove | non | piu | molto | anche | questo | quello | fare`,
  ),
};
