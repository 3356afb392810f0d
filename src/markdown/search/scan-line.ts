/**
 * Runs the program of a compiled regex on one line, character by character (Pike's algorithm).
 * Between two characters, the state of the program is only a list of threads, so the program can
 * pause. Finds the same matches as the package `re2js`, which cannot pause.
 */

import type { CharacterRange } from "./snippets.ts";

type Instruction = {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(character: number): boolean;
};

export type RegexProgram = { readonly start: number; readonly inst: readonly Instruction[] };

/** Codes of instructions in `re2js`. All other instructions read a character. */
const OPCODES = { either: 1, eitherMatch: 2, capture: 3, assert: 4, fail: 5, match: 6, none: 7 } as const;
/**
 * Bits of the positions that an instruction of `re2js` may require. Such a position is the start or
 * end of the line, an edge of a word, or no edge of a word.
 */
const ASSERTION_BITS = { start: 1 | 4, end: 2 | 8, wordEdge: 16, noWordEdge: 32 } as const;
const END_OF_LINE = -1;

/**
 * Returns the first matches of a line, as ranges of UTF-16 units. Yields only between two
 * characters.
 * @param most `ranges`: number of matches to find. `steps`: number of instructions after which the
 * generator yields; it runs each instruction at most twice for one character
 */
export function* scanLine(
  program: RegexProgram,
  line: string,
  most: { readonly ranges: number; readonly steps: number },
): Generator<void, CharacterRange[]> {
  const scan = new LineScan(program, line);
  const ranges: CharacterRange[] = [];
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
    from = end > start ? end : end + Math.max(1, readWidth(line, end));
  }
  return ranges;
}

class LineScan {
  steps = 0;
  match: CharacterRange | null = null;
  readonly #program: RegexProgram;
  readonly #line: string;
  #offset = 0;
  #threads: Threads;
  #next: Threads;

  constructor(program: RegexProgram, line: string) {
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

  readCharacter(): boolean {
    const [offset, line] = [this.#offset, this.#line];
    // A match further left is better, so no thread begins after a match was found.
    if (this.match === null) this.steps += this.#threads.add(this.#program.start, offset, readAssertions(line, offset));
    const width = readWidth(line, offset);
    const character = width === 0 ? END_OF_LINE : line.codePointAt(offset)!;
    this.#advance(character, offset + width);
    this.#offset = offset + width;
    return width > 0 && !(this.match !== null && this.#threads.count === 0);
  }

  /**
   * Moves all threads past one character. Threads that are earlier in the list are preferred.
   * @param after offset after the character
   */
  #advance(character: number, after: number): void {
    const [threads, next, assertions] = [this.#threads, this.#next, readAssertions(this.#line, after)];
    next.clear();
    for (let thread = 0; thread < threads.count; thread++) {
      this.steps++;
      const instruction = this.#program.inst[threads.instructions[thread]!]!;
      const start = threads.starts[thread]!;
      if (instruction.op === OPCODES.match) {
        this.match = [start, this.#offset];
        // All later threads in the list would find a match that is less preferred.
        break;
      }
      if (instruction.matchRune(character)) this.steps += next.add(instruction.out, start, assertions);
    }
    [this.#threads, this.#next] = [next, threads];
  }
}

/** Threads at one position, the preferred ones first, each at another instruction. */
class Threads {
  count = 0;
  readonly instructions: Int32Array;
  readonly starts: Int32Array;
  readonly #program: RegexProgram;
  readonly #lastPositions: Int32Array;
  #position = 0;

  constructor(program: RegexProgram) {
    this.#program = program;
    this.instructions = new Int32Array(program.inst.length);
    this.starts = new Int32Array(program.inst.length);
    this.#lastPositions = new Int32Array(program.inst.length);
  }

  clear(): void {
    this.count = 0;
    this.#position++;
  }

  /**
   * Adds a thread for each instruction that can be reached without reading a character. Returns the
   * number of instructions that were run.
   * @param start position at which the match begins
   * @param assertions bits of `ASSERTION_BITS` that are true at this position
   */
  add(from: number, start: number, assertions: number): number {
    const pendingInstructions = [from];
    let steps = 0;
    for (let index = pendingInstructions.pop(); index !== undefined; index = pendingInstructions.pop()) {
      if (this.#lastPositions[index] === this.#position) continue;
      this.#lastPositions[index] = this.#position;
      steps++;
      const { op, out, arg } = this.#program.inst[index]!;
      if (op === OPCODES.either || op === OPCODES.eitherMatch) pendingInstructions.push(arg, out);
      else if (op === OPCODES.capture || op === OPCODES.none || (op === OPCODES.assert && (arg & ~assertions) === 0))
        pendingInstructions.push(out);
      else if (op !== OPCODES.assert && op !== OPCODES.fail) {
        this.instructions[this.count] = index;
        this.starts[this.count++] = start;
      }
    }
    return steps;
  }
}

function readAssertions(line: string, offset: number): number {
  const edge =
    isWordAt(line, offset - 1) === isWordAt(line, offset) ? ASSERTION_BITS.noWordEdge : ASSERTION_BITS.wordEdge;
  return edge | (offset === 0 ? ASSERTION_BITS.start : 0) | (offset === line.length ? ASSERTION_BITS.end : 0);
}

/**
 * Returns true if the character at an offset is part of a word. As in `re2js`, only letters, digits
 * and underscores of ASCII are parts of words.
 */
function isWordAt(line: string, offset: number): boolean {
  return /\w/.test(line.charAt(offset));
}

/** Returns the width of the character in UTF-16 units; 0 at the end of the line. */
function readWidth(line: string, offset: number): number {
  if (offset >= line.length) return 0;
  return line.codePointAt(offset)! > 0xffff ? 2 : 1;
}
