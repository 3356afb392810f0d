declare const sealed: unique symbol;

/**
 * An address that this user gave a key for. No key and no connection is had without one;
 * `trust/gate.ts` alone makes them, from what the user's registry holds or what the user named in
 * this very command.
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
