import { isDocId } from "../../contract/ids.ts";
import type { CreatedRows } from "../../ports/row-writer.ts";
import type { State } from "../../ports/state.ts";

/** From how many on some are put in the order of their keys: those of a few share no pages. */
const WORTH_SORTING = 64;

/**
 * Texts first, and a table at a time, so that the pages of one index at a time are changed, each by
 * all that belongs there: together they are more than SQLite keeps in memory. Links and events keep
 * the order of their ends, which is about that of the list and of the folders: looks rely on it to
 * find the next one near the last, and the log shows it. Within the caller's transaction.
 */
export function writeCreated(state: State, all: readonly CreatedRows[]): void {
  for (const { link, event, text } of inOrderOf(all, textKey)) {
    const { id, path, side, detail: why } = event;
    state.putKnownText(link.digest, text, { path, id: isDocId(id) ? id : null, side, why });
  }
  for (const { link } of all) {
    state.putLink(link);
    state.removeConflict(link.id);
    state.removeTombstone(link.id);
  }
  for (const { link, event } of inOrderOf(all, rowKey)) {
    const { id, changeId, digest } = link;
    state.addVersion({ id, changeId, digest, at: event.at });
  }
  for (const { event } of all) state.record(event);
}

const textKey = ({ link }: CreatedRows): string => link.digest;
const rowKey = ({ link }: CreatedRows): string => link.id;

function inOrderOf(all: readonly CreatedRows[], keyOf: (rows: CreatedRows) => string): readonly CreatedRows[] {
  if (all.length < WORTH_SORTING) return all;
  return all.toSorted((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    return left < right ? -1 : Number(left > right);
  });
}
