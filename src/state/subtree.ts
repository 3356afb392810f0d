import { once } from "../model/once.ts";
import { rebase } from "../model/path.ts";
import type { Db } from "./database.ts";
import type { openHolds } from "./holds.ts";

type Move = (from: string, to: string) => void;

/**
 * Rewrites the paths of a moved folder and of all below it, within a transaction of the caller. By
 * ranges of the path's bytes (what lies below `a` is what sorts between `a/` and `a0`, "0" being
 * the byte after "/"): a path is compared as it is, with no pattern to escape.
 */
export function openSubtrees(db: Db, holds: ReturnType<typeof openHolds>): Record<"local" | "remote", Move> {
  const local = [
    rewrite(db, "links", "local_path"),
    rewrite(db, "dirs", "local_path"),
    rewrite(db, "conflicts", "sidecar_path"),
    rewrite(db, "tombstones", "local_path"),
  ];
  const remote = [rewrite(db, "links", "remote_path"), rewrite(db, "dirs", "remote_path")];
  return {
    local(from, to) {
      for (const move of local) move(from, to);
      moveHolds(holds, from, to);
    },
    remote(from, to) {
      for (const move of remote) move(from, to);
    },
  };
}

/** The same for the rows alone whose other path lies at or below `within`. */
export function openMembers(db: Db): Record<"local" | "remote", (from: string, to: string, within: string) => void> {
  const members = (table: string, column: string, other: string) => {
    const at = (path: string, name: string) =>
      `(${path} = @${name} OR (${path} > @${name}First AND ${path} < @${name}End))`;
    const move = once(() =>
      db.prepare<Record<string, string>>(
        `UPDATE ${table} SET ${column} = @to || substr(${column}, length(@from) + 1) WHERE ${at(column, "from")} AND ${at(other, "within")}`,
      ),
    );
    return (from: string, to: string, within: string) => {
      const bounds = { fromFirst: `${from}/`, fromEnd: `${from}0`, withinFirst: `${within}/`, withinEnd: `${within}0` };
      move().run({ from, to, within, ...bounds });
    };
  };
  // ORDER: sidecars by the links' places, so before the links move.
  const linked = "(SELECT remote_path FROM links WHERE links.id = conflicts.id)";
  const local = [
    members("conflicts", "sidecar_path", linked),
    members("links", "local_path", "remote_path"),
    members("dirs", "local_path", "remote_path"),
  ];
  const remote = [members("links", "remote_path", "local_path"), members("dirs", "remote_path", "local_path")];
  return {
    local: (from, to, within) => {
      for (const move of local) move(from, to, within);
    },
    remote: (from, to, within) => {
      for (const move of remote) move(from, to, within);
    },
  };
}

function rewrite(db: Db, table: string, column: string): Move {
  // Folders move seldom: most runs need none of these.
  const self = once(() => db.prepare<[string, string]>(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`));
  const below = once(() =>
    db.prepare<{ to: string; from: string; first: string; end: string }>(
      `UPDATE ${table} SET ${column} = @to || substr(${column}, length(@from) + 1) WHERE ${column} > @first AND ${column} < @end`,
    ),
  );
  return (from, to) => {
    below().run({ to, from, first: `${from}/`, end: `${from}0` });
    self().run(to, from);
  };
}

/**
 * A hold of what has no id has its path for key: taken out first and put back after, so that no new
 * key meets an old one on its way.
 */
function moveHolds(holds: ReturnType<typeof openHolds>, from: string, to: string): void {
  const moved = [...holds.load().values()].filter(({ path }) => path === from || path.startsWith(`${from}/`));
  for (const hold of moved) holds.remove(hold.key);
  for (const hold of moved) {
    const path = rebase(hold.path, from, to);
    holds.put({ ...hold, path, key: hold.key === hold.path ? path : hold.key });
  }
}
