import type { SyncServiceOptions } from "../sync-service/service.ts";
import { SyncService } from "../sync-service/service.ts";

type Copied = Exclude<SyncServiceOptions["database"], string> & { readonly copy: Uint8Array };

let made: Copied | null = null;

/**
 * Returns the database of an empty service in memory. Its schema is created once in a process, not
 * for each rig.
 */
export function emptyDatabase(): Copied {
  made ??= { copy: makeEmpty() };
  return made;
}

function makeEmpty(): Uint8Array {
  const service = new SyncService({
    database: ":memory:",
    now: () => 0,
    random: (bytes) => new Uint8Array(bytes),
    combine: () => null,
  });
  try {
    return service.copy();
  } finally {
    service.close();
  }
}
