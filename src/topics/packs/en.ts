// English.

import { items, type Pack } from './pack.js';

export const EN: Pack = {
  language: 'en',
  shift: items(
    `let's change the subject | let's change the topic | let us change the subject | changing the subject |
     changing topics | change of topic | change of subject | new subject | on another note | on a different note | on a separate note |
     on another topic | on a different topic | on an unrelated note | unrelated question | unrelated to this | something else entirely |
     completely different question | completely different topic | a different question | another topic | different subject |
     let's switch topics | let's switch to | switching topics | switching to a different | let's move on to |
     let's talk about something else | let's talk about something different | can we talk about something else | turning to another`,
  ),
  back: items(
    `back to | going back to | returning to | return to the | let's return to | let's get back to | circling back | circle back to |
     as for the earlier | regarding the earlier | about the earlier | earlier you | you mentioned earlier | we discussed earlier |
     we talked about earlier | we were talking about | from before | as i asked before | picking up where | pick up where we left |
     revisit | revisiting | continuing with the | returning now to`,
  ),
  ack: items(
    `yes | yeah | yep | yup | yes please | no | nope | nah | no thanks | no thank you | ok | okay | k | kk | mmk | sure | sure thing | of course |
     thanks | thank you | thank you very much | thanks a lot | thx | ty | great | perfect | excellent | awesome | nice | cool | good | fine |
     very good | sounds good | sounds great | looks good | lgtm | got it | understood | i see | right | correct | exactly | agreed | agree |
     proceed | please proceed | continue | please continue | go ahead | go on | carry on | go for it | let's go | do it | do that | please do |
     please | that works | works for me | that's fine | that is fine | that's right | done | next | keep going | try again | retry | hmm | oh | ah |
     wow | well done | good job | nice work | ship it | approved | confirmed | confirm | alright | all right | y | n | absolutely | definitely |
     great thanks | ok thanks | perfect thanks | yes that's right | yes that is correct | makes sense | i agree | fair enough`,
  ),
  close: items(
    `that's all | that is all | that will be all | that's everything | that is everything | that's it | nothing else | no more questions |
     that'll be all | all i need | all i needed | everything i need | i'm all set | all set | goodbye | good bye | bye | have a good | have a great |
     have a nice | take care | see you | thanks for your help | thank you for your help | for all your help | for the help | that's all i`,
  ),
  connect: items(
    `and | but | also | so | then | or | because | what about | how about | and what | what else | in addition | additionally | furthermore |
     moreover | besides | next | after that | afterwards | finally | lastly | instead | rather | actually | wait | however | why | why not |
     in that case | if so | then what | still | again | plus | based on | given that | now | more | what if | as well | too | i mean | like |
     which | where | when | who | whose | how many | how much | how long | how far | which one | any other | anything else | are there any other |
     does it | is it | do they | are they | can it | will it | would it | could it | did it | was it | were they | is there | are there |
     with | for | at | to | from | in | on | it | its | it's | they | them | he | she | his | her | this | that | these | those`,
  ),
  request: items(
    `i need | i need to | i need a | i want | i want to | i would like | i'd like | i am looking for | i'm looking for | i'm looking to | looking for |
     i am trying to | i'm trying to | can you help me | could you help me | please help | help me | i need help | need help | can you find |
     find | find me | find a | show me | give me | get me | tell me | tell me about | what is | what's | what are | who is | who was | who are |
     where is | where can i | how do i | how do you | how can i | how to | how does | how would | explain | describe | write | create | make |
     build | implement | add | fix | design | suggest | recommend | can you recommend | do you know | can you tell me | could you tell me |
     please tell me | i have | i've | i've been | i just | i was | i recently | i am planning | i'm planning | i'm thinking | i'm having |
     navigate | directions to | schedule | remind me | set a | set up | check | check the | look at | look up | search for | book | please book |
     give me the | translate | summarize | provide | generate | list | name | compare | analyze | consider | imagine | suppose | let's |
     please find | please give me | where's | is there a | are there any | do i have | when is | what time is | will it`,
  ),
  anaphor: items(
    `it | its | it's | that | this | these | those | them | they | their | he | him | his | she | her | one | ones | the same | the other |
     the first | the second | the third | the last | the former | the latter | above | previous | the previous | earlier | aforementioned |
     your answer | your response | your reply | you said | you mentioned | you suggested | the answer | the list | the story | the result |
     rewrite | rephrase | elaborate | shorten | expand on | more detail | more details | in more detail | there | then | again | instead`,
  ),
  stop: items(
    `a | an | the | of | in | on | at | to | for | from | with | by | as | is | are | was | were | be | been | being | am | do | does | did |
     have | has | had | will | would | could | should | can | may | might | must | shall | and | or | but | if | so | not | no | yes | i | you |
     we | he | she | they | it | me | us | him | her | them | my | your | our | their | his | its | this | that | these | those | what | which |
     who | whom | how | when | where | why | there | here | then | than | just | please | about | any | some | all | also | very | too | up |
     out | into | i'm | i'd | i've | i'll | you're | it's | that's | what's | let's | don't | doesn't | didn't | can't | won't | isn't | aren't |
     ok | okay | thanks | thank | want | need | like | get | got | make | know | tell | help | looking | look | let | go | going | s | t | re | ve`,
  ),
};
