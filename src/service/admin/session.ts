import type { WireRequest } from "../../contract/wire.ts";
import type { WireResult } from "../../common/wire.ts";
import { type Result, trouble } from "../../common/trouble.ts";
import { readAnswer } from "./answers.ts";

/**
 * An administrator's connection: to the service that runs, or to the data folder where none does.
 * Both answer the requests below `/admin`, so commands need not know which it is.
 */
export type AdminSession = {
  /** For messages: the address, or the folder. */
  readonly where: string;
  /** @returns the answer's JSON, which is not judged yet; null for an empty one */
  ask(method: AdminMethod, path: string, body?: object): Promise<Result<unknown>>;
  close(): Promise<void>;
};

export type AdminMethod = "GET" | "POST" | "PATCH" | "DELETE";

/** Sends one request with the admin key. */
type Carry = (request: WireRequest) => Promise<WireResult>;

const MOST_SENT_KEY = /^[\x21-\x7e]{1,4096}$/;

/** @param keyHint what to do about a key that is refused */
export function openSession(
  carry: Carry,
  adminKey: string,
  { where, keyHint, close }: { readonly where: string; readonly keyHint: string; readonly close: () => Promise<void> },
): AdminSession {
  return {
    where,
    async ask(method, path, body) {
      if (!MOST_SENT_KEY.test(adminKey))
        return trouble("usage", "the file of the administrator's key contains no key", keyHint);
      const result = await carry({
        method,
        path,
        headers: {
          accept: "application/json, application/problem+json",
          authorization: `Bearer ${adminKey}`,
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        body: body === undefined ? null : JSON.stringify(body),
      });
      return readAnswer(result, { where, keyHint, isRead: method === "GET" });
    },
    close,
  };
}
