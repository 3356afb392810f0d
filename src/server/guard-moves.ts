import { Access, includes } from "./access.ts";
import { type Answer, refuse } from "./answer.ts";
import type { RequestContext } from "./context.ts";
import type { FileRow } from "./files-table.ts";
import type { GrantRow } from "./keys-table.ts";

/**
 * Moves files, some of them protected. Review protection binds everybody without Full access at the
 * file's place, so a move must not bring a protected file to a place where a key gains Full access
 * to it: that key could then clear the flag. Only a key that already has Full access to the file
 * may move it there.
 * ASSUMES: such a move is answered 403 forbidden (contract test "keeps review protection from being
 * moved away").
 * @param files the protected files that the move carries
 * @param move the move itself, within the request's transaction, which is rolled back when it is
 * refused
 */
export function moveProtected(context: RequestContext, files: readonly FileRow[], move: () => Answer): Answer {
  const guarded = files.filter((file) => !includes(context.access.file(file), "full"));
  if (guarded.length === 0) return move();
  const grants = [...grantsByKey(context)];
  const before = grants.map((rows) => new Access(rows, context.store.folders));
  const lacking = before.map((access) => guarded.filter((file) => !hasFull(access, file)));
  const answer = move();
  if (answer.kind === "refused") return answer;
  for (const [i, rows] of grants.entries()) {
    const after = new Access(rows, context.store.folders);
    const gained = lacking[i]!.find(({ seq }) => hasFull(after, context.store.files.bySeq(seq)!));
    if (gained === undefined) continue;
    const detail = `${gained.path} is protected: moving it there would lift its protection and needs Full access to it.`;
    return refuse("forbidden", detail);
  }
  return answer;
}

function hasFull(access: Access, file: FileRow): boolean {
  return includes(access.file(file), "full");
}

/**
 * The grants of each key that has one below the root; other keys have the same access everywhere.
 */
function grantsByKey({ store, workspace }: RequestContext): Iterable<readonly GrantRow[]> {
  return Map.groupBy(store.grants.local(workspace.id), ({ key }) => key).values();
}
