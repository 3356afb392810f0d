import type { LocalPath } from "../../../contract/path.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { type GuestOptions, withMirror } from "../../folder/with-mirror.ts";
import { whyFacts } from "../results/why.ts";
import { explain, formerPath } from "./why.ts";

/** `why`, in words, by a process that goes on. */
type WhyTold = {
  readonly facts: ReturnType<typeof whyFacts>;
  /** The last ones, oldest first. */
  readonly events: readonly MirrorEvent[];
};

/** Asks the service too, and writes nothing. */
export function tellWhy(root: string, path: LocalPath, options: GuestOptions): Promise<Result<WhyTold>> {
  const opening = { ...options, mode: "read", what: "why" } as const;
  return withMirror(root, opening, async (mirror) => {
    const why = await explain(mirror, path);
    const former = formerPath(mirror.world.state, path);
    return ok({ facts: whyFacts(why, { former, now: options.clock.now() }), events: why.events });
  });
}
