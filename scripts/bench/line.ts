/** A line of the bench: what it measures, on which corpora, how long it takes, and its run. */
import type { CorpusName } from "./corpus.ts";
import type { Fixture } from "./fixture.ts";
import type { Row } from "./rows.ts";

export type LineOptions = {
  readonly fixture: Fixture;
  readonly size: CorpusName;
  /** Pairs; already lowered where the size is large. */
  readonly repeats: number;
  readonly quick: boolean;
};

/** A single pair on the large corpus, for what takes minutes there. */
export function onceIfLarge(size: CorpusName, repeats: number): number {
  return Number(size) >= 100_000 ? 1 : repeats;
}

export type Line = {
  readonly name: string;
  readonly about: string;
  /** The corpora it can be run on, of those asked for. */
  sizes(asked: readonly CorpusName[]): readonly CorpusName[];
  /** Seconds that it takes on a machine at rest, for the estimate; without the corpus. */
  seconds(size: CorpusName, repeats: number): number;
  run(asked: LineOptions): Promise<readonly Row[]>;
};
