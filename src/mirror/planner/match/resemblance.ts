import { compareStrings } from "../../model/by-path.ts";
import type { DocumentRecord } from "../../model/record.ts";
import { areSimilar, type LineProfile, areLengthsSimilar, computeSimilarity } from "../../model/similar.ts";
import type { LocalFile } from "../../model/tree.ts";
import { listKnownDigests, type MatchProgress, readProfile } from "./matching.ts";

/**
 * LIMIT: number of comparisons of two contents in one cycle, to save time. If the limit is reached,
 * documents without a match count as deleted, and files without a match as new. The safety checks
 * then prevent damage.
 */
const MAX_COMPARISONS = 4_000;
/** LIMIT: number of contents that are read for comparison in one cycle, to save time and memory. */
const MAX_PROFILES = 1_000;

type ProfiledFile = { readonly file: LocalFile; readonly profile: LineProfile };
type SimilarPair = { readonly record: DocumentRecord; readonly file: LocalFile; readonly score: number };

/** Returns pairs of a document and a similar file, the most similar pair first. */
export function pairBySimilarity(matching: MatchProgress): readonly SimilarPair[] {
  return listPairs(matching, listProfiledFiles(matching)).sort(
    (a, b) => b.score - a.score || compareStrings(a.record.id, b.record.id) || compareStrings(a.file.path, b.file.path),
  );
}

function listProfiledFiles(matching: MatchProgress): ProfiledFile[] {
  const candidates: ProfiledFile[] = [];
  const files = [...matching.files.values()]
    .filter((file) => !file.empty && file.textFault === null)
    .sort((a, b) => compareStrings(a.path, b.path))
    .slice(0, MAX_PROFILES);
  for (const file of files) {
    const profile = readProfile(matching, file.digest);
    if (profile !== null) candidates.push({ file, profile });
  }
  return candidates.sort((a, b) => a.profile.total - b.profile.total || compareStrings(a.file.path, b.file.path));
}

function listPairs(matching: MatchProgress, candidates: readonly ProfiledFile[]): SimilarPair[] {
  const pairs: SimilarPair[] = [];
  if (candidates.length === 0) return pairs;
  const budget = { remaining: MAX_COMPARISONS };
  const records = [...matching.records.values()].sort((a, b) => compareStrings(a.id, b.id)).slice(0, MAX_PROFILES);
  for (const record of records)
    for (const digest of listKnownDigests(matching, record)) {
      const knownProfile = readProfile(matching, digest);
      if (knownProfile === null || knownProfile.total === 0) continue;
      for (const { file, profile } of generateComparableFiles(knownProfile, candidates, budget))
        if (areSimilar(knownProfile, profile))
          pairs.push({ record, file, score: computeSimilarity(knownProfile, profile) });
    }
  return pairs;
}

function* generateComparableFiles(
  profile: LineProfile,
  candidates: readonly ProfiledFile[],
  budget: { remaining: number },
): Generator<ProfiledFile> {
  for (const candidate of candidates) {
    if (areLengthsSimilar(profile, candidate.profile)) {
      if (budget.remaining === 0) return;
      budget.remaining--;
      yield candidate;
    } else if (candidate.profile.total > profile.total) return;
  }
}
