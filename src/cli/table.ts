import type { Entry } from "./command.ts";

/** Every command, in the order of the help. */
export const COMMANDS: readonly Entry[] = [
  { name: "init", summary: "link a folder to a workspace", load: () => import("./commands/init.ts") },
  {
    name: "trust",
    summary: "let a folder that you did not link send to its address",
    load: () => import("./commands/trust.ts"),
  },
  { name: "name", summary: "call a mirror otherwise", load: () => import("./commands/name.ts") },
  { name: "mv", summary: "move a mirror to another place", load: () => import("./commands/mv.ts") },
  {
    name: "unlink",
    summary: "end a mirror; the folder and its texts stay",
    load: () => import("./commands/unlink.ts"),
  },
  { name: "list", summary: "your mirrors, and how each stands", load: () => import("./commands/list.ts") },
  { name: "sync", summary: "bring both sides together, once", load: () => import("./commands/sync.ts") },
  { name: "wait", summary: "until what is here now is there, too", load: () => import("./commands/wait.ts") },
  { name: "watch", summary: "keep both sides together, in the foreground", load: () => import("./commands/watch.ts") },
  { name: "service", summary: "keep both sides together, always", load: () => import("./commands/service.ts") },
  { name: "pause", summary: "let the daemon rest", load: () => import("./commands/pause.ts") },
  { name: "resume", summary: "let the daemon go on", load: () => import("./commands/resume.ts") },
  { name: "status", summary: "in sync as of when, and what needs you", load: () => import("./commands/status.ts") },
  { name: "plan", summary: "what a sync would do; writes nothing", load: () => import("./commands/plan.ts") },
  { name: "approve", summary: "let go what a guard has halted", load: () => import("./commands/approve.ts") },
  {
    name: "reject",
    summary: "undo the changes that a safety check stopped",
    load: () => import("./commands/reject.ts"),
  },
  {
    name: "why",
    summary: "what the mirror knows of a path, and what comes next",
    load: () => import("./commands/why.ts"),
  },
  { name: "ui", summary: "your mirrors as pages in your browser", load: () => import("./commands/ui.ts") },
  { name: "mcp", summary: "your mirrors as tools for agents (MCP)", load: () => import("./commands/mcp.ts") },
  { name: "search", summary: "find text in this folder, offline", load: () => import("./commands/search.ts") },
  { name: "log", summary: "what happened, newest last", load: () => import("./commands/log.ts") },
  { name: "diff", summary: "this folder against the live service", load: () => import("./commands/diff.ts") },
  {
    name: "conflicts",
    summary: "what does not merge, and what is held",
    load: () => import("./commands/conflicts.ts"),
  },
  { name: "reviews", summary: "what waits in review, and what it stops", load: () => import("./commands/reviews.ts") },
  { name: "resolve", summary: "end a conflict or a hold", load: () => import("./commands/resolve.ts") },
  { name: "merge", summary: "merge three Markdown files, for git as well", load: () => import("./commands/merge.ts") },
  { name: "history", summary: "the texts that a document had", load: () => import("./commands/history.ts") },
  { name: "show", summary: "print a text of the history", load: () => import("./commands/show.ts") },
  { name: "restore", summary: "put an earlier text back", load: () => import("./commands/restore.ts") },
  { name: "undo", summary: "take one run back", load: () => import("./commands/undo.ts") },
  { name: "verify", summary: "read both sides and prove that they agree", load: () => import("./commands/verify.ts") },
  { name: "protect", summary: "send changes of a document to review", load: () => import("./commands/protect.ts") },
  { name: "unprotect", summary: "let changes of a document go live", load: () => import("./commands/unprotect.ts") },
  {
    name: "fix-names",
    summary: "rename files that the service names otherwise",
    load: () => import("./commands/fix-names.ts"),
  },
  {
    name: "links",
    summary: "links between documents: by path here or as they are; which lead nowhere",
    load: () => import("./commands/links.ts"),
  },
  {
    name: "hooks",
    summary: "the commands that are run when something happens to a mirror",
    load: () => import("./commands/hooks.ts"),
  },
  { name: "doctor", summary: "check URL, key, clock, disk and neighbours", load: () => import("./commands/doctor.ts") },
  {
    name: "completion",
    summary: "a script that completes commands in your shell",
    load: () => import("./commands/completion.ts"),
  },
  { name: "serve", summary: "run the embedded service", load: () => import("./commands/serve.ts") },
  {
    name: "serve-admin",
    summary: "keys, reviews and workspaces of an embedded service",
    load: () => import("./commands/serve-admin.ts"),
  },
  {
    name: "serve-backup",
    summary: "copy an embedded service to a file, while it runs",
    load: () => import("./commands/serve-backup.ts"),
  },
  {
    name: "serve-restore",
    summary: "make a service of a backup",
    load: () => import("./commands/serve-restore.ts"),
  },
];

export function findCommand(name: string): Entry | null {
  return COMMANDS.find((entry) => entry.name === name) ?? null;
}
