/** Plans the first sync of a new folder, then links the folder when the user confirms the plan. */

import type { ProcessContext } from "../mirror/folder/open-mirror.ts";
import { realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import { readActionPath } from "../mirror/operations/results/actions.ts";
import { makePathLookup } from "../mirror/operations/results/plan.ts";
import { decideLinks } from "../mirror/operations/links/conversion.ts";
import { type Config, DEFAULT_CONFIG } from "../mirror/settings/config.ts";
import { isKey } from "../mirror/settings/key.ts";
import { readRemote } from "../mirror/settings/settings.ts";
import { checkFolder, linkFolder, withFirstPlan } from "../mirror/folder/link-folder.ts";
import type { SyncPlan } from "../mirror/folder/run.ts";
import { readUserOrigin } from "../mirror/trust/gate.ts";
import type { TrustedOrigin } from "../mirror/trust/address.ts";
import type { ActionKind } from "../mirror/model/action.ts";
import { refusal, type Result, type Trouble, unwrap } from "../common/trouble.ts";
import { DIRECTIONS } from "./setting-words.ts";

export type LinkDraft = LinkTarget & {
  readonly kind: "planned";
  readonly preview: readonly PreviewGroup[];
};

type LinkTarget = {
  readonly dir: string;
  readonly config: Config;
  readonly origin: TrustedOrigin;
  readonly key: string;
};

export type LinkFields = Readonly<Record<"url" | "key" | "dir" | "remote" | "direction", string>>;

export type RefusedLink = {
  readonly kind: "refused";
  readonly field: keyof LinkFields;
  readonly trouble: Trouble;
  /** Fields as the user typed them. The key is "" if the service may have refused the key. */
  readonly typed: LinkFields;
};

type PreviewGroup = { readonly kind: ActionKind; readonly size: number; readonly first: readonly string[] };

type LinkContext = Omit<ProcessContext, "cwd">;

type Direction = keyof typeof DIRECTIONS;

/** LIMIT: number of shown paths for each kind of step, so that the page stays short. */
const MAX_PATHS = 5;

/**
 * Reads the fields of a form. If the key is empty, and the address of the service is unchanged,
 * uses the key of the previous form.
 */
export function readFields(form: URLSearchParams, previous: LinkFields | null): LinkFields {
  const readTypedField = (name: string) => (form.get(name) ?? "").trim();
  const [url, key] = [readTypedField("url"), readTypedField("key")];
  const keptKey = previous !== null && previous.url === url ? previous.key : "";
  return {
    url,
    key: key === "" ? keptKey : key,
    dir: readTypedField("dir"),
    remote: readTypedField("remote"),
    direction: readTypedField("direction"),
  };
}

/** Checks the fields, reads the service, and plans the first sync. Writes nothing. */
export async function draftLink(world: LinkContext, fields: LinkFields): Promise<LinkDraft | RefusedLink> {
  const refuseForm = (field: keyof LinkFields, reason: Trouble): RefusedLink => {
    const shownKey = field === "dir" || field === "remote" ? fields.key : "";
    return { kind: "refused", field, trouble: reason, typed: { ...fields, key: shownKey } };
  };
  const target = readTarget(world, fields);
  if ("field" in target) return refuseForm(target.field, target.trouble);
  const { clock, random } = world;
  const draftResult = await withFirstPlan({ ...target, clock, random }, async (mirror, plan): Promise<LinkDraft> => {
    const linkMode = await decideLinks(mirror.world, [...plan.trees.remote.files.keys()]);
    const config = { ...target.config, links: { ...DEFAULT_CONFIG.links, mode: linkMode } };
    return { kind: "planned", ...target, config, preview: groupSteps(plan) };
  });
  return draftResult.kind === "ok"
    ? draftResult.value
    : refuseForm(findRefusedField(draftResult.trouble), draftResult.trouble);
}

function findRefusedField({ kind, code }: Trouble): keyof LinkFields {
  if (kind !== "offline") return "dir";
  return code === "unauthenticated" || code === "forbidden" ? "key" : "url";
}

type RefusedField = Pick<RefusedLink, "field" | "trouble">;

function readTarget({ env }: LinkContext, { url, key, dir, remote, direction }: LinkFields): LinkTarget | RefusedField {
  const refuseField = (field: keyof LinkFields, what: string, next: string): RefusedField => {
    return { field, trouble: { kind: "usage", what, next } };
  };
  const origin = readUserOrigin({ url, env: {}, allowHttp: [] });
  if (origin === null) return refuseField("url", "the address is missing", "ask the operator of the service for it");
  if (origin.kind === "trouble") return { field: "url", trouble: origin.trouble };
  if (!isKey(key)) return refuseField("key", "this is not a key", "paste the whole key, without spaces");
  if (!isAbsolute(dir)) return refuseField("dir", "the path is not complete", "begin it with /");
  const folder = checkTarget(dir, env);
  if (folder.kind === "trouble") return { field: "dir", trouble: folder.trouble };
  const linkedFolders = readRemote(remote);
  if (linkedFolders === null)
    return refuseField("remote", "this cannot be the path of a folder", "leave it empty for all documents");
  const directionValue = (Object.keys(DIRECTIONS) as Direction[]).find((key) => key === direction) ?? "both";
  const config = { ...DEFAULT_CONFIG, url: origin.value.url, remote: linkedFolders, direction: directionValue };
  return { dir, config, origin: origin.value, key };
}

function checkTarget(dir: string, env: LinkContext["env"]): Result<unknown> {
  const kind = checkFolder(dir, env, false);
  const isLinked = kind.kind === "ok" && kind.value === "linked";
  return isLinked ? refusal(`${dir} is linked already`, "open it in the list of folders") : kind;
}

function groupSteps({ plan, trees }: SyncPlan): readonly PreviewGroup[] {
  const pathOf = makePathLookup(trees.base);
  const groups = Map.groupBy(plan.steps, ({ action }) => action.kind);
  return [...groups].map(([kind, steps]) => ({
    kind,
    size: steps.length,
    first: steps.slice(0, MAX_PATHS).map(({ action }) => readActionPath(action, pathOf)),
  }));
}

/** Links the folder of a confirmed draft. Returns the folder's real path. @throws TroubleError */
export function completeLink({ env, random }: LinkContext, { dir, config, origin, key }: LinkDraft): string {
  unwrap(checkTarget(dir, env));
  unwrap(linkFolder({ dir, config, origin, random, env, name: null }, key));
  return realpathSync(dir);
}
