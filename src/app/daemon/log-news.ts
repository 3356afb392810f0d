import type { Log } from "../../ports/world.ts";
import type { FolderNews } from "./daemon-folder.ts";

type Line = Parameters<Log["write"]>;

/**
 * What the daemon did, as lines of its log: events, places and numbers. Looking alone is not
 * logged.
 */
export function logNews(log: Log, news: FolderNews): void {
  const line = lineOf(news);
  if (line !== null) log.write(...line);
}

function lineOf(news: FolderNews): Line | null {
  switch (news.kind) {
    case "change": {
      const { what, side, id, path, outcome, code, requestId, changeId, run } = news;
      const level = outcome === "done" || outcome === "submitted" ? "info" : "warn";
      return [level, "change", { what, side, id, path, outcome, code, requestId, changeId, run }];
    }
    case "run": {
      const { state, run, passes, counts, attention, fault } = news.report;
      const did = Object.entries(counts).filter(([, count]) => count > 0);
      const failed = fault === null ? {} : { reason: fault.kind, requestId: fault.requestId };
      const fields = { state, run, passes, attention: attention.length, ...Object.fromEntries(did), ...failed };
      return [state === "in-sync" || state === "attention" ? "info" : "warn", "run", fields];
    }
    case "phase": {
      const { phase } = news;
      if (phase.kind === "waiting") return ["warn", "phase", { phase: phase.kind, reason: phase.why }];
      const told = phase.kind === "halted" || phase.kind === "stopped";
      return told ? [phase.kind === "halted" ? "warn" : "info", "phase", { phase: phase.kind }] : null;
    }
    case "opened":
      return ["info", "opened", { pid: process.pid }];
    case "lent":
    case "returned":
      return ["info", news.kind, { what: news.what }];
    case "broken":
      return ["error", "broken", { code: news.trouble.code ?? null, waitMs: news.retryMs }];
    case "deletion-pending":
    case "deletion-called-off":
      return ["info", news.kind, { path: news.path }];
    case "woke":
      return ["info", "woke", { ms: news.sleptMs }];
    case "watch-limit":
      // The engine writes that one itself.
      return null;
  }
}
