import { ok, type Result } from "../../common/trouble.ts";
import { hookMemoryAt, hooksFileOf, placeOf } from "../trust/gate.ts";
import { listOwnMirrors } from "../trust/list.ts";
import { failedHooks, type FailedHook } from "./failed.ts";
import type { Env, Hook } from "./hook.ts";
import { type Ended, readMemory } from "./memory.ts";
import { readHooks } from "./read-hooks.ts";

/** The user's hooks, each with its last result. */
export type ListedHook = {
  readonly hook: Hook;
  /** Its newest success, for any folder. */
  readonly last: (Ended & { readonly mirror: string }) | null;
  readonly failed: readonly (Omit<FailedHook, "name"> & { readonly mirror: string })[];
};

/** `file` is null if there is none. */
export function listHooks(env: Env): Result<{ readonly file: string | null; readonly hooks: readonly ListedHook[] }> {
  const read = readHooks(env);
  if (read.kind === "trouble") return read;
  const kept = memories(env);
  const hooks = read.value.map((hook): ListedHook => {
    const ended = kept.flatMap(({ mirror, file }) => {
      const last = readMemory(file).hooks[hook.name]?.last ?? null;
      return last === null ? [] : [{ ...last, mirror }];
    });
    const failed = kept.flatMap(({ mirror, file }) =>
      failedHooks(file, env)
        .filter(({ name }) => name === hook.name)
        .map(({ name: _name, ...failure }) => ({ ...failure, mirror })),
    );
    return { hook, last: ended.toSorted((a, b) => b.at - a.at)[0] ?? null, failed };
  });
  return ok({ file: hooksFileOf(env), hooks });
}

/** Returns the files with results of hooks, for each listed folder. */
export function memories(env: Env): { readonly mirror: string; readonly root: string; readonly file: string }[] {
  const place = placeOf(env);
  const listed = listOwnMirrors(env);
  if (place.kind === "trouble" || listed.kind === "trouble") return [];
  return listed.value.mirrors.map(({ name, root, marker }) => ({
    mirror: name,
    root,
    file: hookMemoryAt(place.value, marker),
  }));
}
