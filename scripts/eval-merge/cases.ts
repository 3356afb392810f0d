import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";

/**
 * A real merge: `ours` is used as the remote version, `theirs` as the local one, and `resolved` is
 * what people committed.
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

/** File names of the development sets. */
const SETS = ["dev.jsonl.gz", "joined-dev.jsonl.gz", "more.jsonl.zst"];

/** Returns the sets in a folder, and the names of those that are missing. */
export function findSets(folder: string): { readonly found: string[]; readonly missing: string[] } {
  const paths = SETS.map((name) => ({ name, path: join(folder, name) }));
  return {
    found: paths.filter(({ path }) => existsSync(path)).map(({ path }) => path),
    missing: paths.filter(({ path }) => !existsSync(path)).map(({ name }) => name),
  };
}

/**
 * Reads a set of JSON lines; the ending of its name says whether it is compressed by gzip or zstd.
 */
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
 * Returns true for the half of the cases that may be read while the merge is developed. The other
 * half only measures.
 */
export function isLookedAt(one: Case): boolean {
  return (createHash("sha256").update(`${one.repo} ${one.merge}`).digest()[0] as number) < 160;
}
