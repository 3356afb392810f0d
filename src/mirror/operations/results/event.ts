import type { FolderEvent } from "../../daemon/folder-events.ts";
import { toPublicKind } from "./actions.ts";
import { toReportJson } from "./report.ts";

export function toEventJson(root: string, event: FolderEvent): object {
  const { kind, at, ...rest } = event;
  const commonFields = { at: new Date(at).toISOString(), root, kind };
  switch (event.kind) {
    case "run":
      return { ...commonFields, ...toReportJson(event.report) };
    case "phase": {
      const { kind: phase, ...more } = event.phase;
      return { ...commonFields, phase, ...more };
    }
    case "change": {
      const { lines, kind: _kind, at: _at, ...more } = event;
      return {
        ...commonFields,
        ...more,
        what: toPublicKind(event.what),
        added: lines?.added ?? null,
        removed: lines?.removed ?? null,
      };
    }
    case "deletion-pending":
      return {
        ...commonFields,
        path: event.path,
        dueAt: new Date(event.dueAt).toISOString(),
        inConflict: event.inConflict,
        asks: event.asks,
      };
    default:
      return { ...commonFields, ...rest };
  }
}
