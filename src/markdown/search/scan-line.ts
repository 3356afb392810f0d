/**
 * Scans one line with a compiled pattern, in parts, and finds the same ranges as the engine.
 * Simulates the engine's program one character at a time (Pike's algorithm). Between two characters
 * the state is only a list of threads, so the scan can pause.
 */

import type { Range } from "./snippets.ts";

/** One instruction of a program compiled by re2js. */
type Instruction = {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(character: number): boolean;
};

export type Program = { readonly start: number; readonly inst: readonly Instruction[] };

/** The opcodes of re2js; all others read a character. */
const OP = { either: 1, eitherMatch: 2, capture: 3, assert: 4, fail: 5, match: 6, none: 7 } as const;
/** The bits of an assertion in re2js. */
const ASSERT = { start: 1 | 4, end: 2 | 8, wordEdge: 16, noWordEdge: 32 } as const;
/** Stands for the character after the end of the line. */
const NO_CHARACTER = -1;

/**
 * Finds the first matching ranges of a line, in UTF-16 units.
 * @param line a line without line end
 * @param most `ranges`: ranges to find. `steps`: instructions to run before the scan yields. The
 * scan yields only between characters; for one character it runs each instruction at most twice.
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
  /** Number of instructions that were run. */
  steps = 0;
  /** The preferred match found so far; null if there is none. */
  match: Range | null = null;
  readonly #program: Program;
  readonly #line: string;
  #offset = 0;
  /** The threads that will read the character at `#at`. */
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
   * @returns true if a further character may change the match
   */
  readCharacter(): boolean {
    const [offset, line] = [this.#offset, this.#line];
    // A match that begins further left is preferred, so later starts are added only without a
    // match.
    if (this.match === null) this.steps += this.#threads.add(this.#program.start, offset, assertionsAt(line, offset));
    const width = widthAt(line, offset);
    const character = width === 0 ? NO_CHARACTER : line.codePointAt(offset)!;
    this.#advance(character, offset + width);
    this.#offset = offset + width;
    return width > 0 && !(this.match !== null && this.#threads.count === 0);
  }

  /** Lets each thread read the character, in order of preference. */
  #advance(character: number, after: number): void {
    const [threads, next, assertions] = [this.#threads, this.#next, assertionsAt(this.#line, after)];
    next.clear();
    for (let thread = 0; thread < threads.count; thread++) {
      this.steps++;
      const instruction = this.#program.inst[threads.instructions[thread]!]!;
      const start = threads.starts[thread]!;
      if (instruction.op === OP.match) {
        this.match = [start, this.#offset];
        // All following threads have lower preference.
        break;
      }
      if (instruction.matchRune(character)) this.steps += next.add(instruction.out, start, assertions);
    }
    [this.#threads, this.#next] = [next, threads];
  }
}

/** The threads at one position, in order of preference. Each is at a different instruction. */
class Threads {
  count = 0;
  /** For each thread, the index of the instruction that reads a character or ends the match. */
  readonly instructions: Int32Array;
  /** For each thread, the position at which its match begins. */
  readonly starts: Int32Array;
  readonly #program: Program;
  /** For each instruction, the last position at which it was reached. */
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
   * Adds a thread for each instruction that reads a character or ends the match, and is reachable
   * without reading.
   * @param assertions assertions that are true at this position
   * @returns the number of instructions run
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

/** Returns true if a word character is at a position. The engine knows only ASCII words. */
function isWordAt(line: string, offset: number): boolean {
  return /\w/.test(line.charAt(offset));
}

/** Returns the UTF-16 units of the character at a position; 0 at the end of the line. */
function widthAt(line: string, offset: number): number {
  if (offset >= line.length) return 0;
  return line.codePointAt(offset)! > 0xffff ? 2 : 1;
}
