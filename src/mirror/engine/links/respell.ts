import type { Intent } from "../../ports/state.ts";
import { concludeLocal } from "../apply/run-effect.ts";
import { makeReplaceResult, writeFile } from "../apply/write-file.ts";
import { makeSetAsidePath } from "../run/world.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import type { MirrorLinks, Respelling } from "./mirror-links.ts";

/**
 * Number of files in one transaction. One flush for many files is faster than one flush for each
 * file.
 */
const BATCH_SIZE = 64;

/**
 * A rewrite of a file's links. `open`: journal row of the file; null if the bytes of the file stay.
 */
type PendingRespelling = {
  readonly respelling: Respelling;
  readonly open: { readonly rowId: number; readonly row: ReplaceRow } | null;
};

type ReplaceRow = Extract<Intent, { kind: "replace" }>;

/**
 * Rewrites the links to documents that moved. Only local files change: on the service, links are
 * ids and stay right. The journal has a row for each rewrite, as for the replacement of a file.
 * Therefore mdmirror keeps late saves (I14), and after a crash the path has either the old or the
 * new file (I13).
 */
export function rewriteLinks(ctx: CycleContext): void {
  const { links } = ctx.world;
  if (links !== undefined) rewriteFiles(ctx, links, links.respellings());
}

/** Rewrites the links of files, without changing the content that each file represents. */
export function rewriteFiles(ctx: CycleContext, links: MirrorLinks, files: Iterable<Respelling>): void {
  let batch: Respelling[] = [];
  const writeBatch = (): void => {
    for (const rewrite of recordBatch(ctx, links, batch)) rewriteFile(ctx, links, rewrite);
    batch = [];
  };
  for (const respelling of files) {
    batch.push(respelling);
    if (batch.length === BATCH_SIZE) writeBatch();
  }
  if (batch.length > 0) writeBatch();
}

/**
 * Stores the spellings of all files, and opens their journal rows.
 * ORDER: the spellings are stored before the files are written. After a crash, they show which
 * content a file's bytes represent, and from which path its links lead. Without spellings, nothing
 * would show this if link targets moved once more. By the rows, recovery finds files that still
 * have the old bytes.
 */
function recordBatch(
  ctx: CycleContext,
  links: MirrorLinks,
  files: readonly Respelling[],
): readonly PendingRespelling[] {
  const { state } = ctx.world;
  return state.transactSafely(() =>
    files.map((respelling) => {
      const { from, to } = respelling;
      const row = makeReplaceRow(ctx, respelling);
      const openRow = from.bytes === to.bytes ? null : { rowId: state.openIntent(ctx.run, row), row };
      links.note(respelling, row.setAsideAt);
      return { respelling, open: openRow };
    }),
  );
}

function makeReplaceRow(ctx: CycleContext, { record, from, to }: Respelling): ReplaceRow {
  const { id, changeId: baseChangeId, digest: baseDigest } = record;
  const { path, text: writes } = to;
  const detail = "links updated to the new places of their targets";
  const event = { kind: "respell", side: "local", id, path, detail } as const;
  const setAsideAt = makeSetAsidePath(ctx.world);
  return {
    kind: "replace",
    id,
    path,
    setAsideAt,
    expect: from.text,
    writes,
    baseChangeId,
    baseDigest,
    counts: "respelled",
    event,
  };
}

function rewriteFile(ctx: CycleContext, links: MirrorLinks, { respelling, open }: PendingRespelling): void {
  if (open === null) return;
  const { rowId, row } = open;
  const { from, bytes } = respelling;
  const diskOutcome = links.disk.replaceBytes(row.path, bytes.text, from.bytes, row.setAsideAt);
  const outcome = concludeLocal(ctx, writeFile, rowId, row, makeReplaceResult(ctx, row, diskOutcome));
  if (diskOutcome.kind !== "done")
    ctx.world.log.write("debug", "not-respelled", {
      path: row.path,
      detail: "detail" in outcome ? outcome.detail : outcome.kind,
    });
}
