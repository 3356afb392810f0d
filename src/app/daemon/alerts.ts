import { errnoClause } from "../mirror/trouble.ts";
import { basename } from "node:path";
import type { FolderNews } from "./daemon-folder.ts";
import { openDesktop } from "./notify.ts";
import { shownName, shownWords } from "../../model/shown-name.ts";

/**
 * What is worth interrupting a person for: a new conflict, and a halt. Nothing else: a note that is
 * not needed teaches to overlook the next one. Conflicts of one run are one note.
 */
export function openAlerts(
  env: Readonly<Record<string, string | undefined>>,
  onNote: (note: string) => void,
): (root: string, news: FolderNews) => void {
  const onFault = (error: Error) => onNote(`the desktop cannot be told: ${errnoClause(error)}`);
  const desktop = openDesktop({ env, onFault });
  if (desktop === null) return () => undefined;
  const conflicts = new Map<string, string[]>();
  return (root, news) => {
    const found = conflicts.get(root) ?? [];
    if (news.kind === "change" && news.what === "conflict") conflicts.set(root, [...found, news.path]);
    if (news.kind === "change" && news.what === "halt")
      desktop.show(
        `mdmirror has halted: ${shownName(basename(root))}`,
        `${shownWords(news.detail)}. See mdmirror plan; then mdmirror approve, or mdmirror approve --refuse`,
      );
    if (news.kind !== "run" || found.length === 0) return;
    conflicts.delete(root);
    const what = found.length === 1 ? "a conflict" : `${found.length} conflicts`;
    desktop.show(`mdmirror: ${what} in ${shownName(basename(root))}`, found.map(shownName).join(", "));
  };
}
