/// <reference lib="esnext.disposable" preserve="true" />

/**
 * `import … from "mdmirror/server"`: runs the service in this process, for tests of programs that
 * use it.
 */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { requireFitNode } from "./fit-node.ts";
import { unwrap } from "../common/trouble.ts";
import { withLibraryErrors } from "./with-errors.ts";

export { MdmirrorError, type MdmirrorErrorFacts } from "./error.ts";

export type ServerOptions = {
  /** Folder for documents and keys; default: a temporary one, which `stop` removes. */
  readonly data?: string;
  /** Port to listen on; default: any free port. */
  readonly port?: number;
  /** Host to listen on; default: 127.0.0.1. Hosts beyond loopback need `insecureHttp`. */
  readonly host?: string;
  /** Allows plain http from other machines. Plain http shows keys to everyone on the network. */
  readonly insecureHttp?: boolean;
  /**
   * Number of requests that a key may send in this many seconds; null for no limit. Stored with the
   * data.
   */
  readonly rateLimit?: { readonly requests: number; readonly seconds: number } | null;
  /** Called for each answer 500: an error in the service. The error has no key and no content. */
  readonly onFault?: (error: unknown, requestId: string) => void;
};

export type Server = {
  readonly url: string;
  /** A key with Full access to the first workspace. */
  readonly key: string;
  /**
   * The admin key. It opens the routes below `/admin`: workspaces, keys and their grants, reviews.
   */
  readonly adminKey: string;
  /** Absolute path of the data folder. */
  readonly data: string;
  /**
   * Imports the Markdown files below a folder. Returns counts, and the files that were left out
   * with the reason.
   */
  importFolder(dir: string): Promise<Imported>;
  /** Stops the service after all active requests are answered. A second call does nothing. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type Imported = {
  readonly files: number;
  readonly folders: number;
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
};

/**
 * Starts a service.
 * @throws MdmirrorError if the port is taken, or the data folder is in use or cannot be written
 */
export function startServer(options: ServerOptions = {}): Promise<Server> {
  const kept = options.data === undefined ? null : resolve(options.data);
  const dataFolder = kept ?? mkdtempSync(join(tmpdir(), "mdmirror-server-"));
  const removeOwn = () => {
    if (kept === null) rmSync(dataFolder, { recursive: true, force: true });
  };
  return withLibraryErrors(dataFolder, () => start(dataFolder, options, removeOwn)).catch((error: unknown) => {
    removeOwn();
    throw error;
  });
}

async function start(dataFolder: string, options: ServerOptions, removeOwn: () => void): Promise<Server> {
  requireFitNode();
  const { startService } = await import("../service/serve.ts");
  const { port = 0, host = "127.0.0.1", insecureHttp = false, rateLimit } = options;
  const settings = rateLimit === undefined ? {} : { rateLimit };
  const onFault = options.onFault ?? (() => undefined);
  const started = await startService({ data: dataFolder, host, port, tls: null, insecureHttp, settings, onFault });
  const serving = unwrap(started);
  let stopping: Promise<void> | null = null;
  const stop = () => {
    stopping ??= serving.close().then(removeOwn);
    return stopping;
  };
  return {
    url: serving.url,
    key: serving.key,
    adminKey: readFileSync(serving.adminKeyFile, "utf8").trim(),
    data: dataFolder,
    importFolder: (dir) =>
      withLibraryErrors(dir, async () => {
        const { files, folders, refused } = unwrap(await serving.importFolder(resolve(dir), () => undefined));
        return { files, folders, refused: refused.map(({ path, reason }) => ({ path, reason })) };
      }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
