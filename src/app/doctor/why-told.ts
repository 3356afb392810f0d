import type { LocalPath } from "../../model/path.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import { type MirrorOptions, openMirror } from "../mirror/open-mirror.ts";
import { ok, type Result } from "../mirror/trouble.ts";
import { whyFacts } from "../told/why.ts";
import { explain, formerPath } from "./why.ts";

/** `why`, in words, by a process that goes on. */
type WhyTold = {
  readonly facts: ReturnType<typeof whyFacts>;
  /** The last ones, oldest first. */
  readonly events: readonly MirrorEvent[];
};

type Options = Required<Pick<MirrorOptions, "env" | "cwd" | "clock" | "random">>;

/**
 * Asks the service too, and writes nothing.
 * @param root a folder that holds `.mdmirror/`, of this user
 */
export async function tellWhy(root: string, path: LocalPath, options: Options): Promise<Result<WhyTold>> {
  const opened = await openMirror(root, { ...options, mode: "read", what: "why", isGuest: true });
  if (opened.kind === "trouble") return opened;
  const mirror = opened.value;
  try {
    const why = await explain(mirror, path);
    const former = formerPath(mirror.world.state, path);
    return ok({ facts: whyFacts(why, { former, now: options.clock.now() }), events: why.events });
  } finally {
    await mirror.close();
  }
}
