/**
 * A line of the benchmark: what it measures, with which documents, how long it takes, and its run.
 */
import type { CorpusName } from "./corpus.ts";
import type { Fixture } from "./fixture.ts";
import type { Row } from "./rows.ts";

export type LineOptions = {
  readonly fixture: Fixture;
  readonly size: CorpusName;
  /** Number of pairs, already reduced for many documents. */
  readonly repeats: number;
  readonly quick: boolean;
};

/** Returns one pair for many documents, because the line takes minutes with them. */
export function onceIfLarge(size: CorpusName, repeats: number): number {
  return Number(size) >= 100_000 ? 1 : repeats;
}

export type Line = {
  readonly name: string;
  readonly about: string;
  /** Returns those of the requested sizes with which the line can run. */
  sizes(asked: readonly CorpusName[]): readonly CorpusName[];
  /** Returns the estimated seconds on an idle machine, without creating the documents. */
  seconds(size: CorpusName, repeats: number): number;
  run(asked: LineOptions): Promise<readonly Row[]>;
};
