import { Access, includes } from "./access.ts";
import { type Answer, refuse } from "../requests/answer.ts";
import type { RequestContext } from "../requests/context.ts";
import type { FileRow, GrantRow, Level } from "../store/rows.ts";

/**
 * Moves files, some of them protected. Review protection binds every key without Full access at the
 * file's place. A move must not bring a protected file to a place where a key gains Full access,
 * because that key could then clear the flag. Only a key that already has Full access to the file
 * may move it to such a place. ASSUMES: such a move is answered 403 forbidden (contract test "keeps
 * review protection from being moved away").
 * @param files protected files that the move carries
 * @param move the move itself, within the request's transaction, which is rolled back if the move
 * is refused
 */
export async function moveProtected(
  context: RequestContext,
  files: readonly FileRow[],
  move: () => Promise<Answer>,
): Promise<Answer> {
  await context.access.know(files.map(({ folder }) => folder));
  const guarded = files.filter((file) => !includes(context.access.file(file), "full"));
  if (guarded.length === 0) return move();
  const grants = [...(await grantsByKey(context))];
  const lacking: FileRow[][] = [];
  for (const rows of grants)
    lacking.push((await judge(context, rows, guarded)).filter(isLacking).map(({ file }) => file));
  const answer = await move();
  if (answer.kind === "refused") return answer;
  const moved = new Map(
    (await context.tables.files.bySeqs(guarded.map(({ seq }) => seq))).map((file) => [file.seq, file]),
  );
  for (const [i, rows] of grants.entries()) {
    const after = await judge(
      context,
      rows,
      lacking[i]!.map(({ seq }) => moved.get(seq)!),
    );
    const at = after.findIndex((judged) => !isLacking(judged));
    if (at < 0) continue;
    const detail = `${lacking[i]![at]!.path} is protected: this move would lift its protection and needs Full access to it.`;
    return refuse("forbidden", detail);
  }
  return answer;
}

type Judged = { readonly file: FileRow; readonly level: Level };

async function judge(
  { tables }: RequestContext,
  grants: readonly GrantRow[],
  files: readonly FileRow[],
): Promise<Judged[]> {
  const access = new Access(grants, tables.folders);
  await access.know(files.map(({ folder }) => folder));
  return files.map((file) => ({ file, level: access.file(file) }));
}

function isLacking({ level }: Judged): boolean {
  return !includes(level, "full");
}

/**
 * Returns the grants of each key that has a grant below the root; other keys have the same access
 * everywhere.
 */
async function grantsByKey({ tables, workspace }: RequestContext): Promise<Iterable<readonly GrantRow[]>> {
  return Map.groupBy(await tables.grants.local(workspace.id), ({ key }) => key).values();
}
