declare const sealed: unique symbol;

/**
 * An address for which this user provided a key. Without such an address there is no key and no
 * connection. Only `trust/gate.ts` creates these objects, from the user's registry or from this
 * command's options.
 */
export type TrustedOrigin = {
  /** URL as the user wrote it. */
  readonly url: string;
  /** Origin and path prefix, in the form of the registry. */
  readonly address: string;
  /** Hosts for which plain http is allowed, in addition to loopback. */
  readonly allowHttp: readonly string[];
  readonly [sealed]: true;
};
