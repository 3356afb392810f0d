declare const sealed: unique symbol;

/**
 * An address for which this user provided a key. Without such an object, no connection is possible.
 * Only `trust/gate.ts` creates it, from the user's registry or from the options of the command.
 */
export type TrustedOrigin = {
  readonly url: string;
  /** Origin and path prefix of the URL, as the registry stores them. */
  readonly address: string;
  /** Hosts for which plain http is allowed; the local machine is always allowed. */
  readonly allowHttp: readonly string[];
  readonly [sealed]: true;
};
