/**
 * Runs a compiled regex on one line, in parts. The program is run for one character after the other
 * (Pike's algorithm). Between two characters, its state is only a list of threads, so it can pause.
 * Finds the same matches as the package `re2js`, which cannot pause.
 */

import type { Range } from "./snippets.ts";

/** One instruction of a regex that `re2js` has compiled. */
type Instruction = {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(character: number): boolean;
};

export type Program = { readonly start: number; readonly inst: readonly Instruction[] };

/** Codes of instructions in `re2js`. All other instructions read a character. */
const OP = { either: 1, eitherMatch: 2, capture: 3, assert: 4, fail: 5, match: 6, none: 7 } as const;
/**
 * Bits of the positions that an instruction of `re2js` may require: start or end of the line, and
 * edge of a word or not.
 */
const ASSERT = { start: 1 | 4, end: 2 | 8, wordEdge: 16, noWordEdge: 32 } as const;
/** Value for the position after the last character. */
const NO_CHARACTER = -1;

/**
 * Returns the first matches of a line, as ranges of UTF-16 units.
 * @param line a line without its line end
 * @param most `ranges`: number of matches to find; `steps`: number of instructions after which the
 * generator yields. It yields only between two characters, and runs each instruction at most twice
 * for one character
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
  /** Number of instructions since the last pause. */
  steps = 0;
  /** The best match so far; null if there is none. */
  match: Range | null = null;
  readonly #program: Program;
  readonly #line: string;
  #offset = 0;
  /** Threads that will read the character at `#offset`. */
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
    this.#offset = from;
    this.#threads.clear();
  }

  /**
   * Reads one character.
   * @returns true if the next character may still change the match
   */
  readCharacter(): boolean {
    const [offset, line] = [this.#offset, this.#line];
    // The leftmost match is the best. So after a match, no thread begins further right.
    if (this.match === null) this.steps += this.#threads.add(this.#program.start, offset, assertionsAt(line, offset));
    const width = widthAt(line, offset);
    const character = width === 0 ? NO_CHARACTER : line.codePointAt(offset)!;
    this.#advance(character, offset + width);
    this.#offset = offset + width;
    return width > 0 && !(this.match !== null && this.#threads.count === 0);
  }

  /**
   * Lets each thread read the character. Threads that come first are preferred.
   * @param after offset after the character
   */
  #advance(character: number, after: number): void {
    const [threads, next, assertions] = [this.#threads, this.#next, assertionsAt(this.#line, after)];
    next.clear();
    for (let thread = 0; thread < threads.count; thread++) {
      this.steps++;
      const instruction = this.#program.inst[threads.instructions[thread]!]!;
      const start = threads.starts[thread]!;
      if (instruction.op === OP.match) {
        this.match = [start, this.#offset];
        // All later threads would find a worse match.
        break;
      }
      if (instruction.matchRune(character)) this.steps += next.add(instruction.out, start, assertions);
    }
    [this.#threads, this.#next] = [next, threads];
  }
}

/** Threads at one position of a line, the preferred ones first. Each is at another instruction. */
class Threads {
  count = 0;
  /** Index of each thread's instruction, which reads a character or ends a match. */
  readonly instructions: Int32Array;
  /** Position at which each thread's match begins. */
  readonly starts: Int32Array;
  readonly #program: Program;
  /** Last position at which each instruction was reached. */
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
   * Adds a thread for each instruction that can be reached without reading a character.
   * @param from index of the first instruction
   * @param start position at which the match begins
   * @param assertions bits of `ASSERT` that are true at this position
   * @returns the number of instructions that were run
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

function assertionsAt(line: string, offset: number): number {
  const edge = isWordAt(line, offset - 1) === isWordAt(line, offset) ? ASSERT.noWordEdge : ASSERT.wordEdge;
  return edge | (offset === 0 ? ASSERT.start : 0) | (offset === line.length ? ASSERT.end : 0);
}

/**
 * Returns true if a letter, digit or underscore of ASCII is at a position. `re2js` knows no other
 * characters of words.
 */
function isWordAt(line: string, offset: number): boolean {
  return /\w/.test(line.charAt(offset));
}

/** Returns the number of UTF-16 units of the character at a position; 0 at the end of the line. */
function widthAt(line: string, offset: number): number {
  if (offset >= line.length) return 0;
  return line.codePointAt(offset)! > 0xffff ? 2 : 1;
}
