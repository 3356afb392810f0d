import { isSimilar, type LineProfile, mayBeSimilar, similarity } from "../../model/similar.ts";
import { claim, knownTexts, type Matching, readProfile } from "./matching.ts";

/**
 * LIMIT: comparisons of texts in one pass. Past it, what is left are deletions and new files, which
 * the guards then judge.
 */
export const MAX_COMPARISONS = 4_000;
/** LIMIT: texts read for comparison in one pass. */
export const MAX_PROFILES = 1_000;

/**
 * Moved, edited, and without an inode that tells: the most similar pair first, ties by id and path,
 * so that the order of input is nothing.
 */
export function matchBySimilarity(matching: Matching): void {
  if (matching.links.size === 0 || matching.files.size === 0) return;
  const links = [...matching.links.values()].sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, MAX_PROFILES);
  const files = [...matching.files.values()]
    .filter((file) => !file.empty && file.textFault === null)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .slice(0, MAX_PROFILES);
  if (files.length === 0) return;
  const profiles = files
    .map((file) => ({ file, profile: readProfile(matching, file.digest) }))
    .filter((entry): entry is { file: (typeof files)[number]; profile: LineProfile } => entry.profile !== null)
    .sort((a, b) => a.profile.total - b.profile.total || (a.file.path < b.file.path ? -1 : 1));
  const pairs: { link: (typeof links)[number]; file: (typeof files)[number]; score: number }[] = [];
  let comparisons = 0;
  for (const link of links)
    for (const digest of knownTexts(matching, link)) {
      const was = readProfile(matching, digest);
      if (was === null || was.total === 0) continue;
      for (const { file, profile } of profiles) {
        if (!mayBeSimilar(was, profile)) {
          if (profile.total > was.total) break;
          continue;
        }
        if (++comparisons > MAX_COMPARISONS) break;
        if (isSimilar(was, profile)) pairs.push({ link, file, score: similarity(was, profile) });
      }
    }
  pairs.sort(
    (a, b) =>
      b.score - a.score ||
      (a.link.id < b.link.id ? -1 : a.link.id > b.link.id ? 1 : a.file.path < b.file.path ? -1 : 1),
  );
  for (const { link, file } of pairs)
    if (matching.links.has(link.id) && matching.files.has(file.path)) claim(matching, link, file, "similar-text");
}
