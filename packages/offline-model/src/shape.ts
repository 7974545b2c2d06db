// Recognises the intent of a clause. Only an order or a question can choose a tool. A clause that only talks about an action,
// without asking for it, is something else.

import type { Atom } from './atoms.ts';

export type Shape = 'order' | 'question' | 'statement' | 'denied' | 'conditional';

const POLITE =
  'please|hey|hi|hello|ok|okay|now|so|well|first|second|then|next|also|finally|afterwards|just|kindly|again|and|but|yes|sure|great|thanks|continuo';
const ASKED_TO = [
  '(?:can|could|would|will) (?:you|we)',
  'do you know',
  "(?:i|we)(?:['’]d| would)? (?:want|need|like)(?: you| us)? to",
  'you (?:should|must|can|could|need to|have to)',
  'your (?:task|job|goal) is to',
  "let['’]?s",
  'go ahead and',
  'try to',
  'after that',
].join('|');
const LEAD_INS = new RegExp(
  `^(?:(?:${POLITE})(?![\\w-])[ ,.!:]*|(?:${ASKED_TO})(?![\\w-]) ?,? ?|(?:\\d+ [.)]|[-*•]) )+`,
);

const DENIED = [
  /^(?:\S+ ){0,4}?(?:don['’]?t|do not|never|must not|mustn['’]t|should not|shouldn['’]t|no need to|can['’]t|cannot)(?![\w-])/,
  /^not\b/,
  /^(?:avoid|stop|quit|refrain from|prevent|undo|forget|forget about) \w+ing\b/,
];
const CONDITIONAL =
  /^(?:if|unless|whenever|once|before|after|in case|instead of|rather than|suppose|assuming|when)\b/;
const EXPLAIN =
  /^(?:why|how(?! (?:many|much|old|long|far|big|large)\b)|explain|what (?:is|are) an?\b|what does\b|what (?:if|happen))/;
const QUESTION = /^(?:what|which|who|whom|whose|where|when|how)\b/;
const NO_ORDER = new RegExp(
  `^(?:(?:i|we|you|it|he|she|they)(?:['’]\\w+)?|the|this|that|these|those|my|your|our|there|here|an?|is|are|am|was|were|did|does|do you|has|have|had|should|may|might|no|nope|because)(?![\\w-])`,
);
/** "deleted a.txt", "deleting a.txt": a statement, not a request. */
const TOLD = /^(?!(?:need|feed|embed|seed|speed|proceed|bring|string|spring|swing)\b)[a-z]{2,}(?:ed|ing)\b/;

/** The shape of the clause, and the index at which it begins after "could you please". */
export function shapeOf(atoms: readonly Atom[]): { readonly shape: Shape; readonly from: number } {
  const plain = atoms
    .slice(0, 14)
    .map((atom) =>
      ['word', 'mark', 'number'].includes(atom.kind) ? atom.value.toLowerCase().slice(0, 40) : '#',
    );
  const opening = LEAD_INS.exec(plain.join(' '))?.[0].length ?? 0;
  let from = 0;
  for (let length = 0; from < plain.length && length + (plain[from]?.length ?? 0) <= opening; from += 1)
    length += (plain[from]?.length ?? 0) + 1;
  const asked = atoms.at(-1)?.value === '?';
  const isPolite = atoms.some((atom) => atom.kind === 'word' && atom.value.toLowerCase() === 'please');
  return { shape: shapeOfWords(plain.slice(from).join(' '), { asked, isPolite, from }), from };
}

function shapeOfWords(
  words: string,
  { asked, isPolite, from }: { asked: boolean; isPolite: boolean; from: number },
): Shape {
  if (DENIED.some((pattern) => pattern.test(words))) return 'denied';
  if (QUESTION.test(words) && asked && !EXPLAIN.test(words)) return 'question';
  if (CONDITIONAL.test(words)) return 'conditional';
  if (words === '' || EXPLAIN.test(words) || TOLD.test(words)) return 'statement';
  if (QUESTION.test(words)) return 'question';
  if (!NO_ORDER.test(words)) return asked && from === 0 ? 'question' : 'order';
  if (!/^(?:the|my|this|an?)\b/.test(words)) return 'statement';
  return asked ? 'question' : isPolite ? 'order' : 'statement';
}
