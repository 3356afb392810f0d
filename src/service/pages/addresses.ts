/** Makes the addresses of the service's web pages. */

import { encodePath } from "../../page/addresses.ts";

export const APP = "/app";
export const SIGN_IN = `${APP}/sign-in`;
export const SIGN_OUT = `${APP}/sign-out`;
export const DOCUMENTS = `${APP}/w`;
export const KEYS = `${APP}/keys`;
export const REVIEWS = `${APP}/reviews`;
export const WORKSPACES = `${APP}/workspaces`;

/**
 * Part of an address that names a page of a folder or document, or the action of a form about it.
 */
export type FilesPart = "files" | "history" | "protect" | "restore";

/**
 * Returns the address of the page for a folder or document.
 * @param path without slashes at its ends; "" is the root
 */
export function filesAddress(workspaceId: string, path: string, part: FilesPart = "files"): string {
  return `${DOCUMENTS}/${encodeURIComponent(workspaceId)}/${part}/${encodePath(path)}`;
}

export function searchAddress(workspaceId: string): string {
  return `${DOCUMENTS}/${encodeURIComponent(workspaceId)}/search`;
}

export function itemAddress(list: typeof REVIEWS | typeof KEYS | typeof WORKSPACES, id: string): string {
  return `${list}/${encodeURIComponent(id)}`;
}
