import type { FolderEvent } from "../../daemon/folder-events.ts";
import { publicKind } from "./actions.ts";
import { reportJson } from "./report.ts";

/**
 * Returns an event as a flat object: `at` as an ISO date, the folder, then the members of the
 * event.
 */
export function eventJson(root: string, news: FolderEvent): object {
  const { kind, at, ...rest } = news;
  const head = { at: new Date(at).toISOString(), root, kind };
  switch (news.kind) {
    case "run":
      return { ...head, ...reportJson(news.report) };
    case "phase": {
      const { kind: phase, ...more } = news.phase;
      return { ...head, phase, ...more };
    }
    case "change": {
      const { lines, kind: _kind, at: _at, ...more } = news;
      return {
        ...head,
        ...more,
        what: publicKind(news.what),
        added: lines?.added ?? null,
        removed: lines?.removed ?? null,
      };
    }
    case "deletion-pending":
      return {
        ...head,
        path: news.path,
        dueAt: new Date(news.dueAt).toISOString(),
        inConflict: news.inConflict,
        asks: news.asks,
      };
    default:
      return { ...head, ...rest };
  }
}
