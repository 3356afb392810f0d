import { toPaths } from "../../model/mirror-folder.ts";
import type { ManualEnd } from "../../engine/manual/run-manually.ts";
import { protect as sendProtection } from "../../engine/manual/undo.ts";
import type { CycleContext } from "../../engine/run/cycle-context.ts";
import { toService, type World } from "../../engine/run/world.ts";
import { compareByPath } from "../../model/by-path.ts";
import { isAway, type DocumentRecord } from "../../model/record.ts";
import { findRecordAt } from "../history/lookup.ts";
import { makeFaultTrouble } from "../../folder/trouble.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { PROTECT, UNPROTECT } from "../declared/writes.ts";
import type { Operation } from "../run-operation.ts";
import {
  ITEMS_IN_PARALLEL,
  type ItemsPlan,
  type PlanItem,
  makePlannedRow,
  listRows,
  runItems,
  meansSeveral,
  selectPaths,
} from "./many.ts";

type ProtectOperation = Operation<typeof PROTECT, ItemsPlan>;

export const protect: ProtectOperation = makeOperation(PROTECT, true);
export const unprotect: ProtectOperation = makeOperation(UNPROTECT, false);

/** Makes an operation that sets or removes protection. The next listing updates the records. */
function makeOperation(declared: typeof PROTECT, value: boolean): ProtectOperation {
  return {
    declared,
    async plan(mirror, { paths }) {
      const [name = "", secondName] = paths;
      const base = mirror.world.state.load();
      const isOne = secondName === undefined && (findRecordAt(base, name) !== null || !meansSeveral(base, name));
      const items = await planProtection(mirror, toPaths(paths), value);
      return items.kind === "trouble" ? items : ok({ isOne, items: items.value });
    },
    preview: (plan) => ({ run: null, isOffline: false, items: listRows(plan) }),
    async run({ world }, plan, stop) {
      const runResult = await runItems(world, declared.name, plan, stop, ITEMS_IN_PARALLEL);
      if (runResult.kind === "ok" || runResult.trouble.code !== "forbidden") return runResult;
      const problem = `${plan.items[0]!.row.path}: ${PROTECTION_FORBIDDEN}`;
      return {
        kind: "trouble",
        trouble: { ...runResult.trouble, kind: "usage", what: problem, next: NEXT_STEP_WITHOUT_ACCESS },
      };
    },
  };
}

/** Asks the service which documents are protected, because the records may be out of date. */
async function planProtection(
  { world, url }: OpenedMirror,
  names: readonly string[],
  value: boolean,
): Promise<Result<readonly PlanItem[]>> {
  const records = [...world.state.load().records.values()].filter((record) => !isAway(record));
  const selection = selectPaths(
    names,
    records.map(({ localPath }) => localPath),
    world.disk,
  );
  if (selection.kind === "trouble") return selection;
  const chosenRecords = records.filter(({ localPath }) => selection.value(localPath));
  const { items: listed, fault } = await listDocuments(world, chosenRecords);
  if (fault !== null) return { kind: "trouble", trouble: makeFaultTrouble(fault, url) };
  const knownProtection = new Map<string, boolean>(listed.map((document) => [document.id, document.protected]));
  const items = chosenRecords.map(({ id, localPath: path }): PlanItem => {
    if (knownProtection.get(id) === value)
      return { row: { path, end: "done", why: "", notes: ["nothing to do"] }, act: null };
    const sendItem = async (ctx: CycleContext) =>
      withAdvice(await sendProtection(ctx, { id, path, value }, "by a command"));
    return { row: makePlannedRow(path), act: sendItem };
  });
  return ok(items.toSorted((one, other) => compareByPath(one.row, other.row)));
}

/** Requests one document directly. Several documents are listed, which needs fewer requests. */
function listDocuments(world: World, records: readonly DocumentRecord[]): ReturnType<World["remote"]["listFiles"]> {
  const { remote, prefix } = world;
  const [firstRecord, secondRecord] = records;
  if (firstRecord !== undefined && secondRecord === undefined)
    return remote.listFiles({ kind: "path", path: toService(world, firstRecord.remotePath) });
  return remote.listFiles(prefix === "" ? { kind: "none" } : { kind: "path-prefix", pathPrefix: prefix });
}

const PROTECTION_FORBIDDEN = "this key may not change the protection";
const NEXT_STEP_WITHOUT_ACCESS = "use a key with Full access: --key-file FILE";

function withAdvice(end: ManualEnd): ManualEnd {
  const { outcome } = end;
  if (outcome.kind !== "refused" || outcome.code !== "forbidden") return end;
  return { ...end, outcome: { ...outcome, detail: `${PROTECTION_FORBIDDEN}; ${NEXT_STEP_WITHOUT_ACCESS}` } };
}
