import type { FolderStatus } from "../mirror/folder/all-statuses.ts";
import type { Trouble } from "../common/trouble.ts";
import type { OperationName } from "../mirror/operations/declared/table.ts";
import { actionForm } from "../page/parts.ts";
import type { Html, Shown } from "../page/html.ts";
import type { Notice } from "../page/layout.ts";
import { mirrorAddress } from "./addresses.ts";
import type { PageRequest, Moment, Ui } from "./page.ts";

/** Action of a form on the page of a linked folder. */
export type UiAction = {
  /** Route below the page of the folder, such as `sync` or `doc/resolve/*`. */
  readonly path: string;
  /** Name of the operation that the action carries out; undefined if there is none. */
  readonly operation?: OperationName;
  readonly run: (ui: Ui, asked: ActionRequest) => Promise<Done>;
};

export type ActionRequest = PageRequest & {
  /** Folder of the form: a linked folder that exists and belongs to this user. */
  readonly mirror: FolderStatus["mirror"];
  readonly form: URLSearchParams;
};

/** Address of the next page, and the notice on it. */
export type Done = { readonly to: string; readonly notice: Notice | null };

export function noticeOfTrouble({ what, code = null, next, changed }: Trouble): Notice {
  if (changed !== undefined) return { tone: "asks", text: what, next };
  return { tone: "bad", text: code === null ? what : `${what} (${code})`, next };
}

/** Notice for a second action while the first one runs: a folder has one action at a time. */
export const BUSY: Notice = {
  tone: "asks",
  text: "another action is running in this folder; nothing was done",
  next: "wait until it ends, then try again",
};

/**
 * Returns the form of an action. The form also sends the folder's path, because the name may belong
 * to another folder by then.
 * @param path the action's path, with its parts filled in and encoded
 */
export function mirrorForm(
  { name, root }: { readonly name: string; readonly root: string },
  { path, fields = {} }: { readonly path: string; readonly fields?: Readonly<Record<string, string>> },
  { csrf }: Moment,
  content: Shown,
): Html {
  return actionForm({ action: mirrorAddress(name, path), csrf, fields: { ...fields, root } }, content);
}
