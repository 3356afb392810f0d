import type { LookedAt } from "../mirror/folder/look-at-all.ts";
import type { Trouble } from "../common/trouble.ts";
import { actionForm } from "../page/parts.ts";
import type { Html, Shown } from "../page/html.ts";
import type { Notice } from "../page/layout.ts";
import { mirrorAddress } from "./addresses.ts";
import type { Asked, Moment, Ui } from "./page.ts";

/** What a form of a mirror's page does. */
export type UiAction = {
  /** As fastify's router reads it, below the mirror's page: `sync`, `doc/resolve/*`. */
  readonly path: string;
  readonly run: (ui: Ui, asked: AskedAction) => Promise<Done>;
};

export type AskedAction = Asked & {
  /** A mirror whose folder exists and belongs to this user. */
  readonly mirror: LookedAt["mirror"];
  readonly form: URLSearchParams;
};

/** The address of the page that comes next, and the notice that it shows. */
export type Done = { readonly to: string; readonly notice: Notice | null };

export function noticeOfTrouble({ what, code = null, next }: Trouble): Notice {
  return { tone: "bad", text: code === null ? what : `${what} (${code})`, next };
}

/** A mirror does one thing at a time. */
export const BUSY: Notice = {
  tone: "asks",
  text: "another action is running in this folder; nothing was done",
  next: "wait until it ends, then try again",
};

/**
 * The form of an action. It sends the folder as well: by now the name may be another mirror's.
 * @param path the action's, with its parts filled in and encoded
 */
export function mirrorForm(
  { name, root }: { readonly name: string; readonly root: string },
  { path, fields = {} }: { readonly path: string; readonly fields?: Readonly<Record<string, string>> },
  { csrf }: Moment,
  content: Shown,
): Html {
  return actionForm({ action: mirrorAddress(name, path), csrf, fields: { ...fields, root } }, content);
}
