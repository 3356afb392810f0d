/**
 * Is a history linearisable? A search in the manner of Wing and Gong, with Lowe's memory of what
 * was seen: each operation takes effect at one moment between its invocation and its answer, and
 * all answers must be those of one process that does the operations in the order of these moments.
 */

export type Entry<State> = {
  /** What is told of it when the history is broken. */
  readonly what: string;
  /** When it was invoked, on the recorder's clock. */
  readonly from: number;
  /**
   * When it was answered. Infinity: its answer is unknown, so it took effect at any time after its
   * invocation, or never.
   */
  readonly to: number;
  /**
   * Of one without an answer: no answer shows anything that it would have made. It may have been
   * all the same, and is looked at when nothing else explains the history. Not set: some do.
   */
  readonly unseen?: boolean;
  /** With this answer it changes nothing in any state. */
  readonly reads: boolean;
  /**
   * The states that this operation with this answer may lead to; none: it cannot have been answered
   * so in that state. Where nothing changes, it gives back that very state.
   */
  readonly apply: (state: State) => readonly State[];
};

export type Found =
  | { readonly kind: "linearisable"; readonly states: number }
  | { readonly kind: "broken"; readonly states: number; readonly why: string }
  /** LIMIT: the search was given up. It says nothing about the history. */
  | { readonly kind: "undecided"; readonly states: number };

export type Model<State> = { readonly initial: State; readonly keyOf: (state: State) => string };

/** A cut through the history: which operations have taken effect, and what they made. */
type Node<State> = {
  /** All answered entries before this one are in. */
  readonly low: number;
  /** Those from `low` on that are in, too. */
  readonly beyond: ReadonlySet<number>;
  /** Entries without an answer that took effect. */
  readonly guessed: ReadonlySet<number>;
  /** Of these, how many did since the last answered entry. */
  readonly inARow: number;
  readonly state: State;
};

/** Which entries without an answer a search tries, and how many of them one after the other. */
type Guesses = { readonly unseen: boolean; readonly inARow: number };

/**
 * From the likely to all that there is. A search that finds an order has decided, whatever it left
 * out; that there is none, only the last one can say.
 */
const GUESSES: readonly Guesses[] = [
  { unseen: false, inARow: 1 },
  { unseen: false, inARow: 2 },
  { unseen: true, inARow: 2 },
  { unseen: true, inARow: Infinity },
];

/** @param most how many states each search looks at before it is given up */
export function searchLinearisation<State>(
  model: Model<State>,
  entries: readonly Entry<State>[],
  most = 200_000,
): Found {
  const hasUnknown = entries.some(({ to }) => to === Infinity);
  let states = 0;
  for (const guesses of hasUnknown ? GUESSES : GUESSES.slice(-1)) {
    const tried = entries.filter(({ to, unseen }) => to !== Infinity || guesses.unseen || unseen !== true);
    const found = searchOnce(model, tried, guesses.inARow, most);
    states += found.states;
    if (found.kind === "linearisable" || guesses === GUESSES.at(-1)) return { ...found, states };
  }
  throw new Error("the last search decides");
}

function searchOnce<State>(
  { initial, keyOf }: Model<State>,
  entries: readonly Entry<State>[],
  inARow: number,
  most: number,
): Found {
  const answered = entries.filter(({ to }) => to !== Infinity).sort((one, other) => one.from - other.from);
  const unknown = entries.filter(({ to }) => to === Infinity).sort((one, other) => one.from - other.from);
  const seen = new Map<string, Node<State>[]>();
  const stack: Node<State>[] = [{ low: 0, beyond: new Set(), guessed: new Set(), inARow: 0, state: initial }];
  let furthest = stack[0]!;
  let states = 0;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const node = takeReads(answered, next);
    if (node.low === answered.length) return { kind: "linearisable", states };
    const key = `${node.low} ${[...node.beyond].sort(byNumber)} ${keyOf(node.state)}`;
    const known = seen.get(key) ?? [];
    if (known.some((other) => leadsFurther(other, node, inARow))) continue;
    seen.set(key, [...known, node]);
    if (++states > most) return { kind: "undecided", states };
    if (reached(node) > reached(furthest)) furthest = node;
    // The stack gives the last first: what was answered first is tried first, guesses at the end.
    const guesses = node.inARow < inARow ? guessesOf(unknown, answered, node) : [];
    stack.push(...guesses, ...movesOf(answered, node).reverse());
  }
  return { kind: "broken", states, why: explain(answered, furthest, keyOf) };
}

const byNumber = (one: number, other: number) => one - other;
const reached = ({ low, beyond }: Node<unknown>) => low + beyond.size;

/**
 * Whether from one cut everything can follow that can from the other, which has the same state and
 * the same answered entries: it has guessed nothing else.
 */
function leadsFurther(one: Node<unknown>, other: Node<unknown>, most: number): boolean {
  return (most === Infinity || one.inARow <= other.inARow) && one.guessed.isSubsetOf(other.guessed);
}

/**
 * The entries that may be next: invoked before any that is not in was answered, in the order of
 * their answers.
 */
function candidates<State>(answered: readonly Entry<State>[], { low, beyond }: Node<State>) {
  const open: number[] = [];
  let first = Infinity;
  for (let n = low; n < answered.length && answered[n]!.from < first; n++) {
    if (beyond.has(n)) continue;
    open.push(n);
    first = Math.min(first, answered[n]!.to);
  }
  const next = open.filter((n) => answered[n]!.from < first);
  return { first, next: next.sort((one, other) => answered[one]!.to - answered[other]!.to) };
}

/**
 * Takes in every reading that may be next. To do so at once is never wrong: it leaves the state as
 * it is, and what is left has fewer to wait for. A write that would change nothing here is not
 * taken: at another moment it may be what changed the state.
 */
function takeReads<State>(answered: readonly Entry<State>[], from: Node<State>): Node<State> {
  let node = from;
  for (;;) {
    const reads = candidates(answered, node).next.filter((n) => isReading(answered[n]!, node.state));
    if (reads.length === 0) return node;
    node = advance(answered, node, reads, node.state);
  }
}

function isReading<State>({ reads, apply }: Entry<State>, state: State): boolean {
  const after = reads ? apply(state) : [];
  return after.length === 1 && after[0] === state;
}

function advance<State>(
  answered: readonly Entry<State>[],
  node: Node<State>,
  taken: readonly number[],
  state: State,
): Node<State> {
  const beyond = new Set([...node.beyond, ...taken]);
  let low = node.low;
  while (low < answered.length && beyond.delete(low)) low++;
  return { ...node, low, beyond, inARow: 0, state };
}

function movesOf<State>(answered: readonly Entry<State>[], node: Node<State>): Node<State>[] {
  return candidates(answered, node).next.flatMap((n) =>
    answered[n]!.apply(node.state).map((state) => advance(answered, node, [n], state)),
  );
}

function guessesOf<State>(
  unknown: readonly Entry<State>[],
  answered: readonly Entry<State>[],
  node: Node<State>,
): Node<State>[] {
  const { first } = candidates(answered, node);
  return unknown.flatMap(({ from, apply }, n) => {
    if (from > first || node.guessed.has(n)) return [];
    const guessed = new Set([...node.guessed, n]);
    return apply(node.state).flatMap((state) =>
      state === node.state ? [] : [{ ...node, guessed, inARow: node.inARow + 1, state }],
    );
  });
}

/** What could be next where the longest attempt ended, and the state that none of it fits. */
function explain<State>(answered: readonly Entry<State>[], node: Node<State>, keyOf: (state: State) => string): string {
  const next = candidates(answered, node).next.slice(0, 6);
  const lines = next.map((n) => `  ${answered[n]!.what} (${answered[n]!.from}–${answered[n]!.to})`);
  const done = answered
    .filter((_, n) => n < node.low || node.beyond.has(n))
    .slice(-4)
    .map(({ what, from, to }) => `  ${what} (${from}–${to})`);
  return [`after`, ...done, `the state is ${keyOf(node.state)}, which does not lead to`, ...lines].join("\n");
}
