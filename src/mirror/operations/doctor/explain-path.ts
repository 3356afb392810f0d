import type { LocalPath } from "../../../contract/path.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { type HostOptions, withMirror } from "../../folder/open-mirror.ts";
import { whyFacts } from "../results/why.ts";
import { explain, type Why } from "./why.ts";

/** Result of `why`, and the facts that the command shows, in words. */
type PathExplanation = {
  readonly why: Why;
  readonly facts: ReturnType<typeof whyFacts>;
};

/** Explains a path, with what the service answers about its document. Writes nothing. */
export function explainPath(root: string, path: LocalPath, options: HostOptions): Promise<Result<PathExplanation>> {
  const opening = { ...options, mode: "read", what: "why" } as const;
  return withMirror(root, opening, async (mirror) => {
    const why = await explain(mirror, path);
    return ok({ why, facts: whyFacts(why, options.clock.now()) });
  });
}
