import type { LocalPath } from "../../model/path.ts";
import { createMatcher } from "../../local/ignore.ts";
import type { Config, ConflictPolicy } from "./config.ts";

/** The policy of a path, as the planner asks for it. */
export function conflictPolicy({ conflicts }: Config): (path: LocalPath) => ConflictPolicy {
  if (typeof conflicts === "string") return () => conflicts;
  const rules = conflicts.map(({ paths, policy }) => ({ matches: createMatcher(paths), policy }));
  return (path) => rules.find(({ matches }) => matches(path))?.policy ?? "sidecar";
}
