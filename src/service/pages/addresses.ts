import { encodePath } from "../../page/addresses.ts";

export const APP_ADDRESS = "/app";
export const SIGN_IN_ADDRESS = `${APP_ADDRESS}/sign-in`;
export const SIGN_OUT_ADDRESS = `${APP_ADDRESS}/sign-out`;
export const DOCUMENTS_ADDRESS = `${APP_ADDRESS}/w`;
export const KEYS_ADDRESS = `${APP_ADDRESS}/keys`;
export const REVIEWS_ADDRESS = `${APP_ADDRESS}/reviews`;
export const WORKSPACES_ADDRESS = `${APP_ADDRESS}/workspaces`;

export type FilesPart = "files" | "history" | "protect" | "restore";

/** @param path without slashes at its ends; "" is the root */
export function makeFilesAddress(workspaceId: string, path: string, part: FilesPart = "files"): string {
  return `${DOCUMENTS_ADDRESS}/${encodeURIComponent(workspaceId)}/${part}/${encodePath(path)}`;
}

export function makeSearchAddress(workspaceId: string): string {
  return `${DOCUMENTS_ADDRESS}/${encodeURIComponent(workspaceId)}/search`;
}

export function makeItemAddress(
  list: typeof REVIEWS_ADDRESS | typeof KEYS_ADDRESS | typeof WORKSPACES_ADDRESS,
  id: string,
): string {
  return `${list}/${encodeURIComponent(id)}`;
}
