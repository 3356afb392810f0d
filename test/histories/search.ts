/**
 * Decides whether a history is linearizable, by Wing and Gong's search with Lowe's memory of
 * visited states. Each operation takes effect at one moment between request and answer. All answers
 * must be those of one process that executes the operations in the order of these moments.
 */

export type Entry<State> = {
  /** Description of the operation, for the report of a broken history. */
  readonly what: string;
  /** Logical time of the request. */
  readonly from: number;
  /**
   * Logical time of the answer. Infinity if it was lost: the operation then took effect at any time
   * after its request, or never.
   */
  readonly to: number;
  /**
   * True for an operation with a lost answer of which no other answer shows an effect. It may have
   * happened, so the search tries it when nothing else explains the history.
   */
  readonly unseen?: boolean;
  /** True if the operation, with its answer, changes no state. */
  readonly reads: boolean;
  /**
   * Returns the states to which the operation and its answer may lead; an empty list if the answer
   * is impossible in `state`. If nothing changes, the list contains the same object.
   */
  readonly apply: (state: State) => readonly State[];
};

export type Found =
  | { readonly kind: "linearisable"; readonly states: number }
  | { readonly kind: "broken"; readonly states: number; readonly why: string }
  /** LIMIT: the search took too long, so nothing is known of the history. */
  | { readonly kind: "undecided"; readonly states: number };

export type Model<State> = { readonly initial: State; readonly keyOf: (state: State) => string };

/** A node of the search: which operations have taken effect, and the resulting state. */
type Node<State> = {
  /** Index: all answered operations before it have taken effect. */
  readonly low: number;
  /** Indexes from `low` on whose operations have taken effect too. */
  readonly beyond: ReadonlySet<number>;
  /** Operations with a lost answer that have taken effect. */
  readonly guessed: ReadonlySet<number>;
  /** How many operations with a lost answer took effect since the last answered one. */
  readonly inARow: number;
  readonly state: State;
};

/** Which operations with a lost answer a search tries, and how many of them in a row. */
type Guesses = { readonly unseen: boolean; readonly inARow: number };

/**
 * Searches, from the most likely guesses to all guesses. If a search finds an order, the history is
 * linearizable. Only the last search can prove that there is no order.
 */
const GUESSES: readonly Guesses[] = [
  { unseen: false, inARow: 1 },
  { unseen: false, inARow: 2 },
  { unseen: true, inARow: 2 },
  { unseen: true, inARow: Infinity },
];

/**
 * Searches for an order of the entries.
 * @param most states that each search visits before it gives up
 */
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
    // A stack returns the last pushed node first: operations that were answered first are tried
    // first, guesses last.
    const guesses = node.inARow < inARow ? guessesOf(unknown, answered, node) : [];
    stack.push(...guesses, ...movesOf(answered, node).reverse());
  }
  return { kind: "broken", states, why: explain(answered, furthest, keyOf) };
}

const byNumber = (one: number, other: number) => one - other;
const reached = ({ low, beyond }: Node<unknown>) => low + beyond.size;

/**
 * Compares two nodes with the same state and the same answered operations. Returns true if
 * everything that can follow `other` can also follow `one`, because `one` has no other guesses.
 */
function leadsFurther(one: Node<unknown>, other: Node<unknown>, most: number): boolean {
  return (most === Infinity || one.inARow <= other.inARow) && one.guessed.isSubsetOf(other.guessed);
}

/**
 * Returns the answered operations that may be next, in the order of their answers: those that were
 * requested before any other remaining operation was answered.
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
 * Lets every read that may be next take effect. That is always right, because a read changes no
 * state, and the remaining operations then have fewer to wait for. A write that would change
 * nothing is not taken: at another moment it may change the state.
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

/**
 * Describes the end of the longest attempt: the operations that could be next, and the state that
 * contradicts all of them.
 */
function explain<State>(answered: readonly Entry<State>[], node: Node<State>, keyOf: (state: State) => string): string {
  const next = candidates(answered, node).next.slice(0, 6);
  const lines = next.map((n) => `  ${answered[n]!.what} (${answered[n]!.from}–${answered[n]!.to})`);
  const done = answered
    .filter((_, n) => n < node.low || node.beyond.has(n))
    .slice(-4)
    .map(({ what, from, to }) => `  ${what} (${from}–${to})`);
  return [`after`, ...done, `the state is ${keyOf(node.state)}, which does not lead to`, ...lines].join("\n");
}
