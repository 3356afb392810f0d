import type { DocId } from "../../../contract/ids.ts";
import { type ManualEnd, runManually } from "../../engine/manual/run-manually.ts";
import { protect } from "../../engine/manual/protect.ts";
import { toService, type World } from "../../engine/run/world.ts";
import { byPath } from "../../model/by-path.ts";
import { isAway, type Link } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Fault } from "../../ports/remote.ts";
import { linkAt } from "../history/find-document.ts";
import { faultTrouble } from "../../folder/fault-trouble.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { endOfManual, forEachOf, type ManyEnd, type ManyEnds } from "./many.ts";
import { manualResult } from "./resolve.ts";
import { isPattern, selectPaths } from "./selection.ts";

/**
 * Sets or clears documents' review protection on the service, as one run. The next listing updates
 * the links.
 */
export type ProtectItem = {
  readonly path: LocalPath;
  readonly id: DocId;
  /** Whether the service has it so already. */
  readonly isSo: boolean;
};

/** Whether a name is one document's path; a path at which nothing is mirrored counts as one. */
export function isOneDocument({ state }: Pick<World, "state">, name: string): boolean {
  const base = state.load();
  if (linkAt(base, name) !== null) return true;
  return name !== "" && !isPattern(name) && state.documentsIn(name, "all", 1).length === 0;
}

/** What is protected is asked of the service: a link may be old. */
export async function planProtection(
  { world, url }: OpenedMirror,
  names: readonly string[],
  value: boolean,
): Promise<Result<readonly ProtectItem[]>> {
  const links = [...world.state.load().links.values()].filter((link) => !isAway(link));
  const selection = selectPaths(
    names,
    links.map(({ localPath }) => localPath),
    world.disk,
  );
  if (selection.kind === "trouble") return selection;
  const chosen = links.filter(({ localPath }) => selection.value.takes(localPath));
  const found = await protectionOf(world, chosen);
  if ("fault" in found) return { kind: "trouble", trouble: faultTrouble(found.fault, url) };
  return ok(
    chosen.map(({ id, localPath: path }) => ({ id, path, isSo: found.known.get(id) === value })).toSorted(byPath),
  );
}

/** LIMIT: so many are asked for one by one; for more, all are listed. */
const FEW = 8;

type Protection = { readonly known: ReadonlyMap<string, boolean> } | { readonly fault: Fault };

async function protectionOf(world: World, links: readonly Link[]): Promise<Protection> {
  const { remote, prefix } = world;
  const whole = prefix === "" ? ({ kind: "none" } as const) : ({ kind: "path-prefix", pathPrefix: prefix } as const);
  const lists =
    links.length > FEW
      ? [await remote.listFiles(whole)]
      : await Promise.all(
          links.map(({ remotePath }) => remote.listFiles({ kind: "path", path: toService(world, remotePath) })),
        );
  const fault = lists.find((list) => list.fault !== null)?.fault ?? null;
  if (fault !== null) return { fault };
  return { known: new Map(lists.flatMap(({ items }) => items).map((item) => [item.id, item.protected])) };
}

export async function protectMany(world: World, items: readonly ProtectItem[], value: boolean): Promise<ManyEnds> {
  const same = items.filter(({ isSo }) => isSo).map(({ path }) => alreadySo(path));
  const wanted = items.filter(({ isSo }) => !isSo);
  if (wanted.length === 0) return { run: null, ends: same, isOffline: false };
  const { run, done, refused } = await protectIn(world, wanted, value);
  const ends = refused === null ? done.ends : wanted.map(({ path }) => endOfManual(path, refused));
  return { run, ends: [...ends, ...same].toSorted(byPath), isOffline: done.isOffline };
}

function alreadySo(path: LocalPath): ManyEnd {
  return { path, end: "done", why: "", notes: ["nothing to do"] };
}

const FORBIDDEN = "this key may not change the protection";
const WITH_ACCESS = "use a key with Full access: --key-file FILE";

type Tried = {
  readonly run: number | null;
  readonly done: Omit<ManyEnds, "run">;
  /** The folder is another one now, and nothing was begun; null: it is not. */
  readonly refused: ManualEnd | null;
};

async function protectIn(world: World, wanted: readonly ProtectItem[], value: boolean): Promise<Tried> {
  let run: number | null = null;
  let done: Omit<ManyEnds, "run"> = { ends: [], isOffline: false };
  const [refused = null] = await runManually(world, value ? "protect" : "unprotect", async (ctx) => {
    run = ctx.run;
    done = await forEachOf(
      wanted,
      async ({ id, path }) => withAdvice(await protect(ctx, { id, path, value }, "by a command")),
      (n) => world.progress.report("apply", n, wanted.length),
    );
    return [];
  });
  return { run, done, refused };
}

function withAdvice(end: ManualEnd): ManualEnd {
  const { outcome } = end;
  if (outcome.kind !== "refused" || outcome.code !== "forbidden") return end;
  return { ...end, outcome: { ...outcome, detail: `${FORBIDDEN}; ${WITH_ACCESS}` } };
}

/** One document: what goes wrong with it ends the command. */
export async function setProtection(mirror: OpenedMirror, path: LocalPath, value: boolean): Promise<Result<null>> {
  const { world } = mirror;
  if (linkAt(world.state.load(), path) === null) {
    const next = "mdmirror sync first, if it is new; mdmirror status shows blocked documents";
    return trouble("usage", `${path} is not a synced document`, next);
  }
  const planned = await planProtection(mirror, [path], value);
  if (planned.kind === "trouble") return planned;
  const wanted = planned.value.find(({ isSo }) => !isSo);
  if (wanted === undefined) return ok(null);
  const kind = value ? "protect" : "unprotect";
  const [end] = await runManually(world, kind, async (ctx) => [
    await protect(ctx, { ...wanted, value }, "by a command"),
  ]);
  return resultOf(path, end!);
}

function resultOf(path: LocalPath, end: ManualEnd): Result<null> {
  const { outcome } = end;
  if (outcome.kind === "refused" && outcome.code === "forbidden")
    return trouble("usage", `${path}: ${FORBIDDEN}`, WITH_ACCESS, { code: outcome.code, requestId: outcome.requestId });
  const told = manualResult(path, end);
  return told.kind === "trouble" ? told : ok(null);
}
