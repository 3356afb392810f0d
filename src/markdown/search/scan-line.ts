import type { Range } from "./snippets.ts";

/**
 * Scans one line with a compiled pattern, in parts. The ranges are those that the engine finds.
 * The engine's program is simulated one character at a time (Pike's algorithm): between two
 * characters the state is a list of threads, so the scan can pause between any two.
 */

/** One instruction of a program, as re2js compiles it. */
type Instruction = {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(character: number): boolean;
};

export type Program = { readonly start: number; readonly inst: readonly Instruction[] };

/** The numbers that re2js gives its instructions; each other one reads a character. */
const OP = { either: 1, eitherMatch: 2, capture: 3, assert: 4, fail: 5, match: 6, none: 7 } as const;
/** The bits in which re2js writes what an assertion asks of its position. */
const ASSERT = { start: 1 | 4, end: 2 | 8, wordEdge: 16, noWordEdge: 32 } as const;
/** Stands for the character after the last one. */
const NO_CHARACTER = -1;

/**
 * Finds the first ranges of a line that match, in UTF-16 units.
 * @param line without a line end
 * @param most ranges to find, and instructions to run before the scan yields. One character is
 *   never divided: it runs each instruction of the program twice at most.
 */
export function* scanLine(
  program: Program,
  line: string,
  most: { readonly ranges: number; readonly steps: number },
): Generator<void, Range[]> {
  const scan = new LineScan(program, line);
  const ranges: Range[] = [];
  for (let from = 0; ranges.length < most.ranges && from <= line.length; ) {
    scan.begin(from);
    while (scan.readCharacter()) {
      if (scan.steps + 2 * program.inst.length <= most.steps) continue;
      scan.steps = 0;
      yield;
    }
    if (scan.match === null) break;
    ranges.push(scan.match);
    const [start, end] = scan.match;
    from = end > start ? end : end + Math.max(1, widthAt(line, end));
  }
  return ranges;
}

class LineScan {
  /** Instructions that were run. */
  steps = 0;
  /** The preferred match so far. */
  match: Range | null = null;
  readonly #program: Program;
  readonly #line: string;
  #at = 0;
  /** The threads that are to read the character at `#at`. */
  #threads: Threads;
  #next: Threads;

  constructor(program: Program, line: string) {
    this.#program = program;
    this.#line = line;
    this.#threads = new Threads(program);
    this.#next = new Threads(program);
  }

  begin(from: number): void {
    this.match = null;
    this.#at = from;
    this.#threads.clear();
  }

  /** @returns whether a further character may change the match */
  readCharacter(): boolean {
    const [at, line] = [this.#at, this.#line];
    // A match that begins further to the left is preferred to all that begin later.
    if (this.match === null) this.steps += this.#threads.add(this.#program.start, at, assertionsAt(line, at));
    const width = widthAt(line, at);
    const character = width === 0 ? NO_CHARACTER : line.codePointAt(at)!;
    this.#advance(character, at + width);
    this.#at = at + width;
    return width > 0 && !(this.match !== null && this.#threads.count === 0);
  }

  /** Lets each thread read the character, the preferred ones first. */
  #advance(character: number, after: number): void {
    const [threads, next, assertions] = [this.#threads, this.#next, assertionsAt(this.#line, after)];
    next.clear();
    for (let thread = 0; thread < threads.count; thread++) {
      this.steps++;
      const instruction = this.#program.inst[threads.instructions[thread]!]!;
      const start = threads.starts[thread]!;
      if (instruction.op === OP.match) {
        this.match = [start, this.#at];
        // All threads that follow are preferred less.
        break;
      }
      if (instruction.matchRune(character)) this.steps += next.add(instruction.out, start, assertions);
    }
    [this.#threads, this.#next] = [next, threads];
  }
}

/** The threads at one position, the preferred ones first. Each is at another instruction. */
class Threads {
  count = 0;
  /** The index of the instruction that reads a character or ends the match. */
  readonly instructions: Int32Array;
  /** The position at which the match of the thread begins. */
  readonly starts: Int32Array;
  readonly #program: Program;
  /** The instructions that were reached at this position hold the number of the position. */
  readonly #reached: Int32Array;
  #position = 0;

  constructor(program: Program) {
    this.#program = program;
    this.instructions = new Int32Array(program.inst.length);
    this.starts = new Int32Array(program.inst.length);
    this.#reached = new Int32Array(program.inst.length);
  }

  clear(): void {
    this.count = 0;
    this.#position++;
  }

  /**
   * Adds a thread for each character that an instruction leads to without reading another one.
   * @param assertions those that hold at this position
   * @returns how many instructions were run
   */
  add(from: number, start: number, assertions: number): number {
    const waiting = [from];
    let steps = 0;
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      if (this.#reached[index] === this.#position) continue;
      this.#reached[index] = this.#position;
      steps++;
      const { op, out, arg } = this.#program.inst[index]!;
      if (op === OP.either || op === OP.eitherMatch) waiting.push(arg, out);
      else if (op === OP.capture || op === OP.none || (op === OP.assert && (arg & ~assertions) === 0))
        waiting.push(out);
      else if (op !== OP.assert && op !== OP.fail) {
        this.instructions[this.count] = index;
        this.starts[this.count++] = start;
      }
    }
    return steps;
  }
}

function assertionsAt(line: string, at: number): number {
  const edge = isWordAt(line, at - 1) === isWordAt(line, at) ? ASSERT.noWordEdge : ASSERT.wordEdge;
  return edge | (at === 0 ? ASSERT.start : 0) | (at === line.length ? ASSERT.end : 0);
}

/** For the engine, only ASCII has words. */
function isWordAt(line: string, at: number): boolean {
  return /\w/.test(line.charAt(at));
}

/** UTF-16 units of the character at a position; 0 at the end of the line. */
function widthAt(line: string, at: number): number {
  if (at >= line.length) return 0;
  return line.codePointAt(at)! > 0xffff ? 2 : 1;
}
