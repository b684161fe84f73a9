// German and French.

import { items, type Pack } from './pack.js';

export const DE: Pack = {
  language: 'de',
  shift: items(
    `themenwechsel | neues thema | anderes thema | ganz anderes thema | ein anderes thema | zu einem anderen thema | andere frage |
     eine andere frage | ganz andere frage | neue frage | mal was anderes | etwas anderes | etwas ganz anderes | was anderes |
     wechseln wir das thema | lass uns das thema wechseln | lassen sie uns das thema wechseln | kommen wir zu etwas anderem |
     davon unabhangig | unabhangig davon | ganz unabhangig davon`,
  ),
  back: items(
    'zuruck zu | zuruck zum | zuruck zur | noch mal zu | nochmal zu | nochmal zum | wie vorhin | um auf | auf vorhin | von vorhin | weiter mit',
  ),
  ack: items(
    `ja | ja bitte | jawohl | jo | nein | nein danke | ne | ok | okay | gut | sehr gut | super | prima | perfekt | genau | richtig | stimmt |
     klar | alles klar | danke | vielen dank | danke schon | dankeschon | bitte | weiter | mach weiter | weitermachen | los | los geht's |
     fortfahren | bitte fortfahren | einverstanden | passt | passt so | verstanden | in ordnung | gerne | mach das | tu das | toll | fertig`,
  ),
  close: items(
    "das war alles | das ist alles | das war's | mehr brauche ich nicht | tschuss | auf wiedersehen | schonen tag",
  ),
  connect: items(
    `und | aber | auch | also | dann | oder | weil | was ist mit | und was | wie ware es | ausserdem | zusatzlich | stattdessen | doch |
     noch | danach | schliesslich | wieso | warum | welche | welcher | wie viele | wie lange | jetzt`,
  ),
  request: items(
    `ich brauche | ich mochte | ich will | ich suche | ich hatte gern | kannst du | konnen sie | konntest du | konnten sie | wie kann ich |
     wie geht | was ist | was sind | wer ist | wo ist | erklare | schreib | schreibe | erstelle | finde | zeig mir | zeige mir | gib mir | hilf mir`,
  ),
  anaphor: items(
    'es | das | dies | diese | dieser | dieses | sie | ihn | ihm | davon | damit | dazu | darin | dort | dasselbe | das gleiche',
  ),
  stop: items(
    `der | die | das | den | dem | des | ein | eine | einen | einem | einer | eines | und | oder | aber | ist | sind | war | waren | sein |
     haben | hat | habe | ich | du | er | sie | es | wir | ihr | mich | mir | dich | dir | sich | uns | mein | dein | ihre | unser | zu | zum |
     zur | in | im | an | am | auf | aus | bei | mit | nach | von | vom | vor | fur | um | uber | unter | wie | was | wer | wo | wann | warum |
     nicht | kein | keine | auch | nur | noch | schon | bitte | kann | kannst | konnen | soll | muss | wird | werden | dass | wenn | als | so`,
  ),
};

export const FR: Pack = {
  language: 'fr',
  shift: items(
    `changeons de sujet | changement de sujet | changer de sujet | nouveau sujet | autre sujet | un autre sujet | sur un autre sujet |
     autre question | une autre question | question differente | nouvelle question | passons a autre chose | dans un autre registre |
     autre chose | rien a voir | sans rapport | par ailleurs une autre question | sur un tout autre sujet`,
  ),
  back: items(
    'revenons a | revenons au | revenons aux | pour revenir a | pour revenir au | retour a | retour au | retournons a | reprenons',
  ),
  ack: items(
    `oui | oui s'il te plait | oui s'il vous plait | ouais | non | non merci | ok | okay | d'accord | bien | tres bien | parfait | super |
     genial | exactement | correct | c'est ca | merci | merci beaucoup | je vous en prie | continue | continuez | vas-y | vas y | allez-y |
     allez y | on y va | procede | procedez | entendu | compris | je vois | bien sur | ca marche | c'est bon | fais-le | fais le | voila`,
  ),
  close: items(
    "c'est tout | ce sera tout | rien d'autre | au revoir | bonne journee | a bientot | merci pour votre aide",
  ),
  connect: items(
    `et | mais | aussi | donc | alors | ou | parce que | et si | qu'en est-il | et pour | en plus | de plus | ensuite | puis | enfin | plutot |
     pourquoi | combien | lequel | laquelle | encore | maintenant`,
  ),
  request: items(
    `j'ai besoin | je veux | je voudrais | j'aimerais | je cherche | peux-tu | peux tu | pouvez-vous | pouvez vous | pourrais-tu |
     pourriez-vous | comment | qu'est-ce que | quel est | quelle est | quels sont | qui est | ou est | explique | expliquez | ecris | cree |
     trouve | trouvez | montre-moi | donne-moi | donnez-moi | aide-moi | aidez-moi`,
  ),
  anaphor: items(
    'ca | cela | ceci | ce | cette | ces | celui | celle | ceux | il | elle | ils | elles | le | la | les | lui | leur | y | en | la-bas | le meme | la meme',
  ),
  stop: items(
    `le | la | les | l | un | une | des | du | de | d | et | ou | mais | est | sont | etait | etre | avoir | a | ai | as | ont | je | j | tu | il |
     elle | on | nous | vous | ils | elles | me | te | se | mon | ma | mes | ton | ta | tes | son | sa | ses | notre | votre | leur | au | aux |
     en | dans | sur | sous | pour | par | avec | sans | que | qui | quoi | quel | quelle | comment | quand | pas | ne | plus | aussi | ce | cet |
     cette | ces | c'est | qu'est | s'il | si | y | faire | fait | peut | peux | comme | bien | tres`,
  ),
};
