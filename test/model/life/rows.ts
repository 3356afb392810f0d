import type { Script } from "./script.ts";

/** Lives that failed once, shrunk, with what they found. As data: they stay what they are when the generator changes. `script.seed` is the seed that found it. */
export const FAILED_ONCE: readonly { readonly found: string; readonly script: Script }[] = [
  {
    found: "a file was moved into a folder that could not be read, and deleted on the service",
    script: {
      seed: 132,
      setup: {
        mirrors: [{ prefix: "", level: "full", disk: {}, conflicts: "sidecar" }],
        variant: {},
        combines: true,
        documents: 6,
        clockOff: 0,
      },
      steps: [
        { do: "sync", mirror: 0, seed: 679347, retry: true, kill: null, storm: null, trouble: null, meddles: [] },
        { do: "here", mirror: 0, act: "rename-folder", seed: 688371 },
        {
          do: "sync",
          mirror: 0,
          seed: 929078,
          retry: true,
          kill: null,
          storm: null,
          trouble: "forbidden",
          meddles: [],
        },
      ],
    },
  },
];
