import type { DocId } from "../../../contract/ids.ts";
import type { ManualEnd } from "../../engine/manual/run-manually.ts";
import { protect as sendProtection } from "../../engine/manual/protect.ts";
import { toService, type World } from "../../engine/run/world.ts";
import { byPath } from "../../model/by-path.ts";
import { isAway, type Link } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Fault } from "../../ports/remote.ts";
import { linkAt } from "../history/find-document.ts";
import { faultTrouble } from "../../folder/fault-trouble.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { PROTECT, UNPROTECT } from "../declared/protect.ts";
import type { ResultOf } from "../define.ts";
import type { Operation } from "../run-operation.ts";
import { type ManyEnd, runEach } from "./many.ts";
import { manualResult } from "./resolve.ts";
import { isPattern, namesOf, selectPaths, WHOLE_FOLDER } from "./selection.ts";

/**
 * Sets or clears documents' review protection on the service, as one run. The next listing updates
 * the records.
 */
type ProtectItem = {
  readonly path: LocalPath;
  readonly id: DocId;
  /** True if the service already has the requested protection. */
  readonly isSo: boolean;
};

export type ProtectPlan = {
  /** True if one document was named: what goes wrong with it is the trouble of the whole call. */
  readonly isOne: boolean;
  readonly items: readonly ProtectItem[];
};

type Protect = Operation<typeof PROTECT, ProtectPlan>;

export const protect: Protect = protection(PROTECT, true);
export const unprotect: Protect = protection(UNPROTECT, false);

function protection(declared: typeof PROTECT, value: boolean): Protect {
  return {
    declared,
    async plan(mirror, { paths }) {
      const [name = "", second] = paths;
      const isOne = second === undefined && isOneDocument(mirror.world, name);
      const items = await planProtection(mirror, namesOf(paths), value);
      return items.kind === "trouble" ? items : ok({ isOne, items: items.value });
    },
    preview: ({ items }) => ({
      run: null,
      isOffline: false,
      items: items.map(({ path, isSo }) => (isSo ? alreadySo(path) : { path, end: "planned", why: "", notes: [] })),
    }),
    run: ({ world }, plan, stop) => changeProtection(world, plan, value, stop),
  };
}

/** Returns true if a name is the path of one document, rather than a folder or a pattern. */
function isOneDocument({ state }: Pick<World, "state">, name: string): boolean {
  if (linkAt(state.load(), name) !== null) return true;
  return name !== WHOLE_FOLDER && !isPattern(name) && state.documentsIn(name, "all", 1).length === 0;
}

/**
 * Plans the change of protection. Asks the service which documents are protected, because a record
 * may be old.
 */
async function planProtection(
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

/**
 * LIMIT: documents that are requested one by one; for more, all documents of the linked folder are
 * listed.
 */
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

async function changeProtection(
  world: World,
  { isOne, items }: ProtectPlan,
  value: boolean,
  stop: AbortSignal,
): Promise<Result<ResultOf<typeof PROTECT>>> {
  const same = items.filter(({ isSo }) => isSo).map(({ path }) => alreadySo(path));
  const wanted = items.filter(({ isSo }) => !isSo);
  if (wanted.length === 0) return ok({ run: null, isOffline: false, items: same });
  const { run, ends, first, isOffline } = await runEach(
    world,
    value ? "protect" : "unprotect",
    wanted,
    async (ctx, { id, path }) => withAdvice(await sendProtection(ctx, { id, path, value }, "by a command")),
    stop,
  );
  const failed = isOne && first !== null ? resultOf(wanted[0]!.path, first) : null;
  if (failed?.kind === "trouble") return failed;
  return ok({ run, isOffline, items: [...ends, ...same].toSorted(byPath) });
}

function alreadySo(path: LocalPath): ManyEnd {
  return { path, end: "done", why: "", notes: ["nothing to do"] };
}

const FORBIDDEN = "this key may not change the protection";
const WITH_ACCESS = "use a key with Full access: --key-file FILE";

function withAdvice(end: ManualEnd): ManualEnd {
  const { outcome } = end;
  if (outcome.kind !== "refused" || outcome.code !== "forbidden") return end;
  return { ...end, outcome: { ...outcome, detail: `${FORBIDDEN}; ${WITH_ACCESS}` } };
}

function resultOf(path: LocalPath, end: ManualEnd): Result<null> {
  const { outcome } = end;
  if (outcome.kind === "refused" && outcome.code === "forbidden")
    return trouble("usage", `${path}: ${FORBIDDEN}`, WITH_ACCESS, { code: outcome.code, requestId: outcome.requestId });
  const told = manualResult(path, end);
  return told.kind === "trouble" ? told : ok(null);
}
