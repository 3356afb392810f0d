import { basename } from "node:path";
import { shownName, shownWords } from "../../common/shown-name.ts";
import { errnoClause } from "../../common/trouble.ts";
import { openDesktop } from "./desktop.ts";
import type { FolderEvent } from "./folder-events.ts";

type AlertOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Called with the reason if alerts cannot be shown. */
  readonly onNote: (note: string) => void;
};

/**
 * Alerts for a new conflict and for a stop, the only events worth an interruption. The conflicts of
 * one run are one alert.
 */
export class Alerts {
  readonly #desktop: ReturnType<typeof openDesktop>;
  readonly #conflicts = new Map<string, string[]>();

  constructor({ env, onNote }: AlertOptions) {
    this.#desktop = openDesktop({
      env,
      onFault: (error) => onNote(`no desktop notification can be shown: ${errnoClause(error)}`),
    });
  }

  take(root: string, event: FolderEvent): void {
    if (event.kind === "run") this.#showConflicts(root);
    if (event.kind !== "change") return;
    if (event.what === "conflict") this.#conflicts.set(root, [...(this.#conflicts.get(root) ?? []), event.path]);
    if (event.what === "safety-stop") this.#showHalt(root, event.detail);
  }

  #showHalt(root: string, detail: string): void {
    this.#desktop?.show(
      `mdmirror stopped syncing ${shownName(basename(root))}`,
      `${shownWords(detail)}. Show the changes: mdmirror plan; carry them out: mdmirror approve; undo them: mdmirror reject`,
    );
  }

  #showConflicts(root: string): void {
    const found = this.#conflicts.get(root) ?? [];
    if (found.length === 0) return;
    this.#conflicts.delete(root);
    const what = found.length === 1 ? "a conflict" : `${found.length} conflicts`;
    this.#desktop?.show(`mdmirror: ${what} in ${shownName(basename(root))}`, found.map(shownName).join(", "));
  }
}
