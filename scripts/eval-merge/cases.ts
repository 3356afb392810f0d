import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";

/**
 * One real merge: `ours` stands for the remote text, `theirs` for the local one, `resolved` is what
 * people committed.
 */
export type Case = {
  readonly id: string;
  readonly repo: string;
  readonly merge: string;
  readonly gitClean: boolean;
  readonly class: string;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  readonly resolved: string;
};

/** The development sets, by file name. */
const SETS = ["dev.jsonl.gz", "joined-dev.jsonl.gz", "more.jsonl.zst"];

/** The sets that a folder holds, and the names of those that are missing. */
export function findSets(folder: string): { readonly found: string[]; readonly missing: string[] } {
  const paths = SETS.map((name) => ({ name, path: join(folder, name) }));
  return {
    found: paths.filter(({ path }) => existsSync(path)).map(({ path }) => path),
    missing: paths.filter(({ path }) => !existsSync(path)).map(({ name }) => name),
  };
}

/** Reads a set: JSON lines, plain, gzip or zstd by the name's ending. */
export function readCases(file: string): Case[] {
  const bytes = readFileSync(file);
  const plain = file.endsWith(".gz") ? gunzipSync(bytes) : file.endsWith(".zst") ? zstdDecompressSync(bytes) : bytes;
  return plain
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Case);
}

/**
 * Whether a case is of the half that is looked at while the merge is worked on; the other half only
 * measures.
 */
export function isLookedAt(one: Case): boolean {
  return (createHash("sha256").update(`${one.repo} ${one.merge}`).digest()[0] as number) < 160;
}
