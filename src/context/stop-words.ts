// Words that never name a topic: English function words, and the keywords and commonplaces of source code. Pure data.

export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about above after again all also an and any are as at be because been before being below between both but by can could did do does doing ' +
    'down during each few for from further had has have having he her here him his how i if in into is it its itself just like may me might more most ' +
    'must my no nor not now of off on once one only or other our out over own per same she should so some such than that the their them then there these ' +
    'they this those through to too two under until up upon us use used uses using very was we were what when where which while who whom why will with ' +
    'within without would yes you your ' +
    'abstract args array async await bool boolean break byte case catch char class const constructor continue def default delete dict elif else end enum ' +
    'err error except export exports extends extern false final finally float fn func function get global goto impl implements import include int ' +
    'interface js json key lambda len let list local long loop map match mod module mut name new nil none null number obj object package param params pass ' +
    'path print private prop props protected pub public py raise readonly require result return returns self set short static std str string struct super ' +
    'switch sys template test tests throw throws todo true try ts type typedef typeof uint undefined union unknown usr val value values var void ' +
    'volatile while yield src lib index main data file files text item items node void assert equal describe expect foo bar http https www com org html every never another pure types given gives something nothing anything thing things still many much first last next'
  ).split(' '),
);
