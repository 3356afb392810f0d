import { join } from "node:path";
import { countCharacters, MAX_CONTENT_CHARACTERS } from "../../contract/limits.ts";
import { STRUCTURE_FILE } from "../../contract/names.ts";
import type { DocId } from "../../contract/ids.ts";
import { isStopped, runByHand } from "../../engine/by-hand/by-hand.ts";
import { replaceText } from "../../engine/by-hand/replace.ts";
import type { World } from "../../engine/run/world.ts";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { byPath } from "../../model/by-path.ts";
import type { Digest } from "../../model/digest.ts";
import { needsYou } from "../../model/hold.ts";
import { type LocalPath, nameOf } from "../../model/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import type { Disk } from "../../ports/disk.ts";
import type { Random } from "../../ports/world.ts";
import { literalReplacer, replaceInText, type ReplaceLine } from "../../search/replace.ts";
import { indexLinks, type LinkIndex } from "../history/find-document.ts";
import { readConfig } from "../mirror/config.ts";
import { openDisk } from "../mirror/open-disk.ts";
import { handsOffOf } from "../mirror/run.ts";
import { ok, type Result, trouble } from "../mirror/trouble.ts";
import { NOT_BEGUN } from "../../model/not-begun.ts";
import { endOfHand, leftAlone, type ManyEnd, type ManyEnds } from "./many.ts";
import { selectPaths, type Selection } from "./selection.ts";

/**
 * Replaces what a search finds, in the files as they are on disk, with links by path. What stays
 * local (ignored files, `(theirs)` files) is neither read nor written.
 */

export type ReplaceRequest = {
  readonly query: string;
  readonly regex: boolean;
  readonly replacement: string;
  /** Documents, folders and patterns; empty: the whole mirror. */
  readonly within: readonly string[];
};

/**
 * How long a file that an editor has open is left alone; 0: not at all.
 * @param root of the mirror
 */
export function openMsOf(root: string): number {
  const config = readConfig(join(root, MIRROR_FOLDER));
  return config.kind === "ok" ? handsOffOf(config.value, "by-hand").openMs : 0;
}

export type ReplaceItem = { readonly path: LocalPath; readonly hits: number } & (
  | {
      readonly kind: "change";
      readonly id: DocId;
      /** The file's text, the digest of its bytes, and what it is to be. */
      readonly before: string;
      readonly bytes: Digest;
      readonly after: string;
      /** It is protected: the change waits for a reviewer. */
      readonly isReviewed: boolean;
    }
  | { readonly kind: "left"; readonly why: string }
);

type Mirror = Pick<World, "state"> & { readonly root: string; readonly random: Random };

/** @param openMs how long a file that an editor has open is left alone; 0: not at all */
export async function planReplace(
  { state, root, random }: Mirror,
  request: ReplaceRequest,
  openMs: number,
): Promise<Result<readonly ReplaceItem[]>> {
  const replacer = await replacerOf(request);
  if (replacer.kind === "trouble") return replacer;
  // The files as they are: what is searched for may be in a link.
  const disk = openDisk(root, { random, probe: false });
  const base = state.load();
  const found: Found[] = [];
  const tree = disk.walk(
    () => null,
    (bytes, text, path) => {
      const replaced = nameOf(path) === STRUCTURE_FILE ? null : replaceInText(text, replacer.value);
      if (replaced !== null) found.push({ path, bytes, before: text, after: replaced.text, hits: replaced.hits });
    },
  );
  const selection = request.within.length === 0 ? ok(ALL) : selectPaths(request.within, tree.files.keys(), disk);
  if (selection.kind === "trouble") return selection;
  const judging = { base, linked: indexLinks(base), disk, openMs };
  return ok(
    found
      .filter(({ path }) => selection.value.takes(path))
      .map((one) => judge(one, judging))
      .toSorted(byPath),
  );
}

const ALL: Selection = { takes: () => true };

type Found = {
  readonly path: LocalPath;
  readonly bytes: Digest;
  readonly before: string;
  readonly after: string;
  readonly hits: number;
};

async function replacerOf({ query, regex, replacement }: ReplaceRequest): Promise<Result<ReplaceLine>> {
  const text = replacement.replace(/\r\n?/g, "\n");
  if (!regex) return ok(literalReplacer(query, text));
  const { compileReplacer } = await import("../../search/engine.ts");
  const compiled = compileReplacer(query, text);
  if (compiled.kind === "compiled") return ok(compiled.replaceLine);
  const next =
    compiled.kind === "no-group"
      ? "a group is $1 or $name, with braces where a letter or digit follows; $$ is a dollar"
      : "see RE2's syntax; without --regex, any text is searched for as it is";
  return trouble("usage", `the pattern or its replacement cannot be used: ${compiled.why}`, next);
}

type Judging = {
  readonly base: BaseTree;
  readonly linked: LinkIndex;
  readonly disk: Pick<Disk, "useOf">;
  readonly openMs: number;
};

function judge({ path, bytes, before, after, hits }: Found, judging: Judging): ReplaceItem {
  const link = judging.linked.get(path);
  const why = whyLeft(path, after, judging);
  if (link === undefined || why !== null) return { kind: "left", path, hits, why: why ?? UNSENT };
  return { kind: "change", path, hits, id: link.id, before, bytes, after, isReviewed: link.protected };
}

const UNSENT = "it is not on the service yet: mdmirror sync first";

/** null: it can be changed. */
function whyLeft(path: LocalPath, after: string, { base, linked, disk, openMs }: Judging): string | null {
  const link = linked.get(path);
  if (link === undefined) return UNSENT;
  if (base.conflicts.has(link.id)) return "it is in conflict";
  const hold = base.holds.get(link.id);
  if (hold !== undefined && needsYou(hold.reason)) return `it is held (${hold.reason})`;
  if (countCharacters(after) > MAX_CONTENT_CHARACTERS)
    return `it would have more than ${MAX_CONTENT_CHARACTERS} characters`;
  return openMs > 0 ? whyOpen(disk, path) : null;
}

function whyOpen(disk: Pick<Disk, "useOf">, path: LocalPath): string | null {
  const { openIn } = disk.useOf(path);
  return openIn === null ? null : `it is open in ${openIn}`;
}

/** Changes each by itself, as one run, where it still is what was searched. */
export async function replaceMany(
  world: World,
  items: readonly ReplaceItem[],
  openMs: number,
  stop?: AbortSignal,
): Promise<ManyEnds> {
  const changes = items.filter((item) => item.kind === "change");
  const left = items.flatMap((item) => (item.kind === "left" ? [leftAlone(item.path, item.why)] : []));
  if (changes.length === 0) return { run: null, ends: left, isOffline: false };
  let run: number | null = null;
  const ends: ManyEnd[] = [];
  const [refused] = await runByHand(world, "replace", async (ctx) => {
    run = ctx.run;
    for (const { id, path, bytes, after } of changes) {
      if (await isStopped(world, stop)) break;
      const open = openMs > 0 ? whyOpen(world.disk, path) : null;
      ends.push(open === null ? endOfHand(path, replaceText(ctx, { id, path, bytes, after })) : leftAlone(path, open));
      world.progress.report("apply", ends.length, changes.length);
    }
    return [];
  });
  for (const { path } of changes.slice(ends.length)) ends.push(leftAlone(path, NOT_BEGUN));
  const done = refused === undefined ? ends : changes.map(({ path }) => endOfHand(path, refused));
  return { run, ends: [...done, ...left].toSorted(byPath), isOffline: false };
}
