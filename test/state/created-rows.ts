import type { ChangeId, DocId } from "../../src/contract/ids.ts";
import { digestOf } from "../../src/model/digest.ts";
import { newLink } from "../../src/model/settle.ts";
import type { CreatedRows } from "../../src/ports/row-writer.ts";

/** What base learns of a new file: its ids, stamp and text follow from its path. */
export function createdRows(path: string, text = `text of ${path}`): CreatedRows {
  const digest = digestOf(text);
  const mark = digestOf(path).slice(0, 14);
  const [id, changeId] = [`doc_${mark}` as DocId, `chg_${mark}` as ChangeId];
  const times = { mtimeMs: 2.5, ctimeMs: 3.5, birthMs: 1.5 };
  const link = newLink(id, path, path, false, {
    changeId,
    digest,
    localDigest: digest,
    stamp: { dev: 1, ino: Number.parseInt(mark.slice(0, 8), 16), size: text.length, ...times, nlink: 1 },
    stampTrusted: false,
    durable: false,
  });
  const told = {
    kind: "create-local",
    side: "local",
    id,
    path,
    detail: "new on the service",
    outcome: "done",
  } as const;
  const nothing = { code: null, requestId: null, before: null, from: null, merged: null };
  return { link, event: { run: 1, at: 1_000, ...told, ...nothing, after: digest }, text };
}
