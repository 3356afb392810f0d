import { readFileSync } from "node:fs";
import { errnoClause, ok, type Result, trouble } from "./trouble.ts";

/** The certificate of a service. */
export type Pem = { readonly cert: Buffer; readonly key: Buffer };

export function readPem(tls: { readonly certFile: string; readonly keyFile: string }): Result<Pem> {
  const read: Buffer[] = [];
  for (const file of [tls.certFile, tls.keyFile]) {
    try {
      read.push(readFileSync(file));
    } catch (error) {
      return trouble(
        "usage",
        `${file} cannot be read: ${errnoClause(error)}`,
        "give PEM files with --tls-cert and --tls-key",
      );
    }
  }
  return ok({ cert: read[0]!, key: read[1]! });
}
