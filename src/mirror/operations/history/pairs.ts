/** Pairs each local file with a document on the service: first by records, then by paths. */

import type { DocumentRecord } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { LocalFile, RemoteFile, Trees } from "../../model/tree.ts";

export type ComparedEntry = {
  readonly path: LocalPath;
  readonly file: LocalFile | undefined;
  readonly document: RemoteFile | undefined;
  readonly record: DocumentRecord | null;
};

export type ComparedTrees = Pick<Trees, "base" | "local" | "remote">;

export function pairDocuments({ base, local, remote }: ComparedTrees): readonly ComparedEntry[] {
  const recordedEntries = [...base.records.values()].map((record): ComparedEntry => {
    const { id, localPath: path } = record;
    return { path, file: local.files.get(path), document: remote.files.get(id), record };
  });
  const recordedPaths = new Set(recordedEntries.map(({ path }) => path));
  const documents = [...remote.files.values()].filter(({ id }) => !base.records.has(id));
  const unrecordedEntries = documents.map((document): ComparedEntry => {
    const { path } = document;
    return { path, file: recordedPaths.has(path) ? undefined : local.files.get(path), document, record: null };
  });
  const knownPaths = new Set([...recordedEntries, ...unrecordedEntries].map(({ path }) => path));
  const files = [...local.files.values()].filter(({ path }) => !knownPaths.has(path));
  return [
    ...recordedEntries,
    ...unrecordedEntries,
    ...files.map((file): ComparedEntry => ({ path: file.path, file, document: undefined, record: null })),
  ];
}
