import type { Dice } from "../simulator/dice.ts";
import type { Seen } from "./seen.ts";

/** One request in words that hold for both services: with aliases where they have names. */
export type Sent = {
  readonly method: string;
  readonly path: string;
  /** Text is sent as it is. */
  readonly body: object | string | null;
  /** An alias of a key, "admin", or any text; null: none is sent. */
  readonly key: string | null;
};

export type Ground = { readonly dice: Dice; readonly seen: Seen };

export function request(method: string, path: string, body: Sent["body"] = null): Omit<Sent, "key"> {
  return { method, path, body };
}
