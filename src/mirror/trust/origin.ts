declare const sealed: unique symbol;

/**
 * An address for which this user gave a key: without one there is no key and no connection. Only
 * `trust/gate.ts` makes them, from the user's registry or from what the user gave in this very
 * command.
 */
export type TrustedOrigin = {
  /** As it was given. */
  readonly url: string;
  /** Origin and path prefix, as the registry keeps it. */
  readonly address: string;
  /** Hosts that plain http may be used for, besides loopback. */
  readonly allowHttp: readonly string[];
  readonly [sealed]: true;
};
