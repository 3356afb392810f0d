/// <reference lib="esnext.disposable" preserve="true" />

/** Entry point `mdmirror/server`: runs the service in this process, for tests of programs. */

import { requireFitNode } from "./fit-node.ts";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { withLibraryErrors } from "./error.ts";
import { unwrap } from "../common/trouble.ts";

export { MdmirrorError, type MdmirrorErrorFacts } from "./error.ts";

export type ServerOptions = {
  /** Data folder, with documents and keys. Default: a temporary folder, which `stop` deletes. */
  readonly data?: string;
  /** Default: a free port. */
  readonly port?: number;
  /** Default: 127.0.0.1. A host other than loopback requires `insecureHttp`. */
  readonly host?: string;
  /** True to allow plain http from other machines, which shows keys to everyone on the network. */
  readonly insecureHttp?: boolean;
  /**
   * Number of requests that a key without a limit of its own may send in `seconds`; null for no
   * limit. Stored in `data`.
   */
  readonly rateLimit?: { readonly requests: number; readonly seconds: number } | null;
  /** Called after each answer with status 500. `error` contains neither a key nor content. */
  readonly onFault?: (error: unknown, requestId: string) => void;
};

export type Server = {
  readonly url: string;
  /** API key with full access to the first workspace. */
  readonly key: string;
  /** Admin key, for the routes below `/admin`: workspaces, keys, grants and reviews. */
  readonly adminKey: string;
  readonly data: string;
  /** Imports the Markdown files below a folder. `refused`: files that were not imported. */
  importFolder(dir: string): Promise<Imported>;
  /** Stops the service after it has answered all active requests. A second call does nothing. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type Imported = {
  readonly files: number;
  readonly folders: number;
  readonly refused: readonly { readonly path: string; readonly reason: string }[];
};

/**
 * Starts a service in this process.
 * @throws MdmirrorError if another process uses the port or the data folder, or if the data folder
 * is not writable
 */
export function startServer(options: ServerOptions = {}): Promise<Server> {
  const dataOption = options.data === undefined ? null : resolve(options.data);
  const dataFolder = dataOption ?? mkdtempSync(join(tmpdir(), "mdmirror-server-"));
  const removeTemporaryFolder = () => {
    if (dataOption === null) rmSync(dataFolder, { recursive: true, force: true });
  };
  return withLibraryErrors(dataFolder, () => startInFolder(dataFolder, options, removeTemporaryFolder)).catch(
    (error: unknown) => {
      removeTemporaryFolder();
      throw error;
    },
  );
}

async function startInFolder(dataFolder: string, options: ServerOptions, removeOwn: () => void): Promise<Server> {
  requireFitNode();
  const { startService } = await import("../service/serve.ts");
  const { port = 0, host = "127.0.0.1", insecureHttp = false, rateLimit } = options;
  const settings = rateLimit === undefined ? {} : { rateLimit };
  const onFault = options.onFault ?? (() => undefined);
  const startResult = await startService({ data: dataFolder, host, port, tls: null, insecureHttp, settings, onFault });
  const runningService = unwrap(startResult);
  let stopPromise: Promise<void> | null = null;
  const stop = () => {
    stopPromise ??= runningService.close().then(removeOwn);
    return stopPromise;
  };
  return {
    url: runningService.url,
    key: runningService.key,
    adminKey: readFileSync(runningService.adminKeyFile, "utf8").trim(),
    data: dataFolder,
    importFolder: (dir) =>
      withLibraryErrors(dir, async () => {
        const { files, folders, refused } = unwrap(await runningService.importFolder(resolve(dir), () => undefined));
        return { files, folders, refused: refused.map(({ path, reason }) => ({ path, reason })) };
      }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
