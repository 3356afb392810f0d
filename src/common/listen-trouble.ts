import { codeOf, type Result, trouble } from "./trouble.ts";

type Place = { readonly host: string; readonly port: number };

/** Each way that listening fails, by the beginning of the error's code. */
const LISTEN_TROUBLES: readonly {
  readonly codes: RegExp;
  readonly what: (place: Place) => string;
  readonly next: string;
}[] = [
  {
    codes: /^EADDRINUSE$/,
    what: ({ host, port }) => `port ${port} of ${host} is taken`,
    next: "give another with --port N; --port 0 takes any free one",
  },
  {
    codes: /^(?:EACCES|EADDRNOTAVAIL|ENOTFOUND)$/,
    what: ({ host, port }) => `${host}, port ${port} cannot be used`,
    next: "give an address of this machine with --host, and a port above 1023 with --port",
  },
  {
    codes: /^ERR_(?:OSSL|SSL)/,
    what: () => "the certificate and its key cannot be used together",
    next: "give PEM files that belong together",
  },
];

/** @returns null when it is no error of the address or the certificate: a bug */
export function listenTrouble(error: unknown, place: Place): Result<never> | null {
  const code = codeOf(error);
  const known = code === null ? undefined : LISTEN_TROUBLES.find(({ codes }) => codes.test(code));
  return known === undefined ? null : trouble("usage", known.what(place), known.next, { code });
}
