declare const sealed: unique symbol;

/**
 * An address for which this user gave a key: without one there is no key and no connection. Only
 * `trust/gate.ts` makes them, from the user's registry or from this command's options.
 */
export type TrustedOrigin = {
  /** As given. */
  readonly url: string;
  /** Origin and path prefix, as in the registry. */
  readonly address: string;
  /** Hosts for which plain http is allowed, besides loopback. */
  readonly allowHttp: readonly string[];
  readonly [sealed]: true;
};
