/**
 * A command line and its end. `refused`: exit code 2, and how to trust the folder. `local`: it runs
 * without any request.
 */
type Row = { readonly argv: readonly string[]; readonly end: "refused" | "local" };
const refused = (...argv: string[]): Row => ({ argv, end: "refused" });
const local = (...argv: string[]): Row => ({ argv, end: "local" });

/** What each command does in a folder that its user never linked or trusted. */
export const ROWS: Readonly<Record<string, readonly Row[]>> = {
  init: [refused("init", "w"), refused("init", "w", "--prefer", "local", "--yes")],
  // It asks whether to trust the folder, and nobody answers.
  trust: [local("trust", "w")],
  list: [local("list")],
  name: [local("name", "w", "mine")],
  config: [local("config", "list", "w"), local("config", "set", "gitignore", "true", "w")],
  mv: [local("mv", "w", "w/inside")],
  unlink: [refused("unlink", "w")],
  sync: [
    refused("sync", "w"),
    refused("sync", "w", "--dry-run"),
    refused("sync", "w", "--quiet"),
    refused("sync", "w", "--json"),
    refused("sync", "w", "--push-only"),
    refused("sync", "w", "--wait-for", "w/a.md"),
    refused("sync", "w", "--key-file", "key-file"),
  ],
  wait: [refused("wait", "w"), refused("wait", "w/a.md", "--json")],
  watch: [refused("watch", "w"), local("watch", "w", "--all")],
  service: [
    refused("service", "install", "w"),
    local("service", "print", "w", "--for", "systemd"),
    local("service", "print", "--all", "--for", "systemd"),
    local("service", "status", "w"),
    local("service", "uninstall", "w"),
  ],
  pause: [local("pause", "w")],
  resume: [local("resume", "w")],
  status: [
    refused("status", "w"),
    refused("status", "w", "--json"),
    local("status", "--all"),
    local("status", "--all", "--prometheus"),
  ],
  plan: [refused("plan", "w")],
  approve: [refused("approve", "w", "--yes")],
  reject: [refused("reject", "w", "--yes")],
  why: [refused("why", "w/a.md")],
  search: [local("search", "mine", "w"), local("search", "mine", "w", "--regex")],
  log: [local("log", "w")],
  diff: [
    refused("diff", "w"),
    refused("diff", "w/a.md"),
    local("diff", "w/a.md@1"),
    local("diff", "w/a.md@1", "--origins"),
  ],
  conflicts: [local("conflicts", "w")],
  reviews: [local("reviews", "w"), local("reviews", "w", "--json")],
  resolve: [
    refused("resolve", "w/a.md", "--mine"),
    refused("resolve", "w/a.md", "--tool"),
    refused("resolve", "w/a.md", "--theirs", "--no-sync"),
    refused("resolve", "w/a.md", "w/b.md", "--mine", "--dry-run"),
    refused("resolve", "--all", "w", "--theirs"),
    refused("resolve", "w/**", "--merged-where-clean"),
  ],
  history: [local("history", "w/a.md"), local("history", "w/a.md", "--origins", "1")],
  show: [local("show", "w/a.md@1")],
  restore: [refused("restore", "w/a.md@1")],
  undo: [refused("undo", "--yes"), refused("undo", "--since", "1h", "--yes")],
  verify: [refused("verify", "w")],
  protect: [refused("protect", "w/a.md"), refused("protect", "w/*.md", "--dry-run")],
  unprotect: [refused("unprotect", "w/a.md"), refused("unprotect", "w")],
  "fix-names": [refused("fix-names", "w"), refused("fix-names", "w", "--dry-run")],
  links: [refused("links", "keep", "w"), refused("links", "check", "w")],
  hooks: [local("hooks"), local("hooks", "test", "desk")],
  doctor: [refused("doctor", "w"), refused("doctor", "w", "--bundle", "bundle.json")],
  merge: [local("merge", "w/a.md", "w/a.md", "w/a.md", "--print")], // Files, not a linked folder.
  completion: [local("completion", "bash")],
  ui: [local("ui", "w", "--no-open")],
  mcp: [refused("mcp", "w"), refused("mcp", "w", "--read-only")],
  serve: [
    local("serve", "--port", "0", "--data", "data"),
    local("serve", "--port", "0", "--data", "data", "--docs-base", "https://docs.example.org", "--access-log", "-"),
  ],
  "serve-admin": [
    local("serve-admin", "keys", "--data", "data"),
    local("serve", "admin", "reviews", "--data", "w"),
    local("serve-admin", "workspaces", "--url", "http://127.0.0.1:9", "--admin-key-file", "key-file"),
  ],
  "serve-backup": [local("serve", "backup", "--data", "w", "--out", "b.db")],
  "serve-restore": [local("serve", "restore", "w/a.md", "--data", "restored")],
  conformance: [local("conformance", "http://127.0.0.1:9", "--key-file", "key-file")],
};
