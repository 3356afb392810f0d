import { realpathSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { ACTION_WORDS, actionPath } from "../mirror/operations/results/actions.ts";
import { pathsOf } from "../mirror/operations/results/plan.ts";
import { decideLinks } from "../mirror/operations/links/decide-links.ts";
import { type Config, DEFAULT_CONFIG } from "../mirror/settings/config.ts";
import { readRemote } from "../mirror/settings/settings.ts";
import { INIT_AGAIN } from "../mirror/folder/fault-trouble.ts";
import {
  judgeFolder,
  judgeInside,
  judgeLeftOver,
  linkFolder,
  nearestFolder,
  openUnlinked,
} from "../mirror/folder/link-folder.ts";
import { planSync, type SyncPlan, USUAL_RUN } from "../mirror/folder/run.ts";
import { originOfUser } from "../mirror/trust/gate.ts";
import type { TrustedOrigin } from "../mirror/trust/origin.ts";
import { checkOwner, ownershipOf } from "../mirror/trust/owner.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import type { Clock } from "../common/clock.ts";
import type { Random } from "../common/random.ts";
import { ok, type Result, trouble } from "../common/trouble.ts";

/** Links a new folder in two steps: a plan of the first sync, then the link itself. */

/** A folder that can be linked, and what its first sync would do. */
export type LinkDraft = {
  readonly dir: string;
  readonly config: Config;
  readonly origin: TrustedOrigin;
  readonly key: string;
  readonly preview: readonly PreviewGroup[];
};

/** Steps of one kind, with the paths of the first ones. */
type PreviewGroup = { readonly label: string; readonly size: number; readonly first: readonly string[] };

type World = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
};

/** LIMIT: paths of a group that are shown. */
const MOST = 5;
const DIRECTIONS = ["both", "pull", "push"] as const;
const KEY = /^[\x21-\x7e]{1,4096}$/;

/** Checks what a form says, asks the service, and plans the first sync. Writes nothing. */
export async function draftLink(world: World, form: URLSearchParams): Promise<Result<LinkDraft>> {
  const target = targetIn(world, form);
  if (target.kind === "trouble") return target;
  const { clock, random } = world;
  const mirror = openUnlinked({ ...target.value, clock, random, progress: { report: () => undefined } });
  if (mirror.kind === "trouble") return mirror;
  try {
    const planned = await planSync(mirror.value, USUAL_RUN, INIT_AGAIN);
    if (planned.kind === "trouble") return planned;
    const inside = judgeInside(planned.value);
    if (inside.kind === "trouble") return inside;
    const mode = await decideLinks(mirror.value.world, [...planned.value.trees.remote.files.keys()]);
    const config = { ...target.value.config, links: { ...DEFAULT_CONFIG.links, mode } };
    return ok({ ...target.value, config, preview: groupsOf(planned.value) });
  } finally {
    await mirror.value.close();
  }
}

function targetIn({ env }: World, form: URLSearchParams): Result<Omit<LinkDraft, "preview">> {
  const given = (name: string) => (form.get(name) ?? "").trim();
  const [dir, key] = [given("dir"), given("key")];
  if (!isAbsolute(dir)) return trouble("usage", "The folder has no complete path", "begin the path with /");
  if (!KEY.test(key)) return trouble("usage", "This is not a key", "paste the whole key, without spaces");
  const folder = judgeTarget(dir, env);
  if (folder.kind === "trouble") return folder;
  const origin = originOfUser({ url: given("url"), env: {}, allowHttp: [] });
  if (origin === null) return trouble("usage", "The URL is missing", "ask the operator of the service for it");
  if (origin.kind === "trouble") return origin;
  const remote = readRemote(given("remote"));
  if (remote === null)
    return trouble("usage", "The subfolder is not the path of a folder", "leave it empty for all documents");
  const direction = DIRECTIONS.find((one) => one === form.get("direction")) ?? "both";
  const config = { ...DEFAULT_CONFIG, url: origin.value.url, remote, direction };
  return ok({ dir, config, origin: origin.value, key });
}

/** Checks that a folder may be linked, and that its files can only be the user's. */
function judgeTarget(dir: string, env: World["env"]): Result<unknown> {
  const nearest = nearestFolder(dir);
  const mustOwn = nearest === dir || ownershipOf(nearest, env).kind === "by-sudo";
  const owned = mustOwn ? checkOwner(realpathSync(nearest), env) : ok(null);
  if (owned.kind === "trouble") return owned;
  const kind = judgeFolder(dir, env, false);
  if (kind.kind === "trouble") return kind;
  if (kind.value === "linked") return trouble("usage", `${dir} is linked already`, "open it in the list of folders");
  return judgeLeftOver(dir, env);
}

function groupsOf({ plan, trees }: SyncPlan): readonly PreviewGroup[] {
  const pathOf = pathsOf(trees.base);
  const groups = Map.groupBy(plan.steps, ({ action }) => action.kind);
  return [...groups].map(([kind, steps]) => ({
    label: ACTION_WORDS[kind].label,
    size: steps.length,
    first: steps.slice(0, MOST).map(({ action }) => actionPath(action, pathOf)),
  }));
}

/**
 * Links the folder of a draft.
 * @returns its real path
 */
export function completeLink({ env, random }: World, { dir, config, origin, key }: LinkDraft): Result<string> {
  const judged = judgeTarget(dir, env);
  if (judged.kind === "trouble") return judged;
  const linked = linkFolder({ dir, config, origin, random, env, name: null }, key);
  return linked.kind === "trouble" ? linked : ok(realpathSync(join(dir, MIRROR_FOLDER, "..")));
}
