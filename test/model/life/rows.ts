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
  {
    found: "a PUT was refused, the read after it failed, and it was sent again unchanged",
    script: {
      seed: 213,
      setup: {
        mirrors: [{ prefix: "", level: "hide-one-folder", disk: {}, conflicts: "sidecar" }],
        variant: {},
        combines: true,
        documents: 6,
        clockOff: 0,
      },
      steps: [
        { do: "sync", mirror: 0, seed: 111749, retry: true, kill: null, storm: null, trouble: null, meddles: [] },
        { do: "here", mirror: 0, act: "write-in-place", seed: 292681 },
        {
          do: "sync",
          mirror: 0,
          seed: 705160,
          retry: false,
          kill: null,
          storm: 4,
          trouble: null,
          meddles: [{ at: 48, by: "local", act: "save-by-rename", seed: 625833 }],
        },
      ],
    },
  },
  {
    found: "power failed in the middle of a swap, and its temporary name was taken for a rename by somebody else",
    script: {
      seed: 222,
      setup: {
        mirrors: [
          { prefix: "", level: "full", disk: {}, conflicts: "sidecar" },
          { prefix: "", level: "full", disk: {}, conflicts: "sidecar" },
          { prefix: "", level: "read", disk: {}, conflicts: "sidecar" },
        ],
        variant: {},
        combines: true,
        documents: 14,
        clockOff: 0,
      },
      steps: [
        { do: "sync", mirror: 0, seed: 719639, retry: true, kill: null, storm: null, trouble: null, meddles: [] },
        { do: "sync", mirror: 1, seed: 21164, retry: true, kill: null, storm: null, trouble: null, meddles: [] },
        { do: "here", mirror: 0, act: "save-by-rename", seed: 943727 },
        {
          do: "sync",
          mirror: 0,
          seed: 605885,
          retry: true,
          kill: null,
          storm: null,
          trouble: null,
          meddles: [
            { at: 28, by: "app", act: "move-folder", seed: 59314 },
            { at: 34, by: "app", act: "edit", seed: 148226 },
          ],
        },
        { do: "here", mirror: 1, act: "swap", seed: 897038 },
        { do: "wait", ms: 3700000 },
        { do: "there", act: "edit", seed: 76738 },
        { do: "there", act: "rename-folder", seed: 828722 },
        {
          do: "sync",
          mirror: 1,
          seed: 130397,
          retry: true,
          kill: { at: 260, power: true },
          storm: null,
          trouble: null,
          meddles: [],
        },
      ],
    },
  },
  {
    found: "a folder was renamed onto a path that was taken by nothing to be seen, pass after pass",
    script: {
      seed: 293,
      setup: {
        mirrors: [{ prefix: "", level: "full", disk: {}, conflicts: "sidecar" }],
        variant: {},
        combines: true,
        documents: 6,
        clockOff: 0,
      },
      steps: [
        { do: "there", act: "make-folder", seed: 229866 },
        { do: "there", act: "move-folder", seed: 597039 },
        { do: "sync", mirror: 0, seed: 680434, retry: true, kill: null, storm: null, trouble: null, meddles: [] },
        { do: "here", mirror: 0, act: "move-folder", seed: 90376 },
        { do: "sync", mirror: 0, seed: 346138, retry: true, kill: null, storm: null, trouble: null, meddles: [] },
        { do: "here", mirror: 0, act: "rename-folder", seed: 732488 },
        { do: "sync", mirror: 0, seed: 705821, retry: true, kill: null, storm: 4, trouble: null, meddles: [] },
      ],
    },
  },
  {
    found: "the disk was full, and the text that the service had shown was kept nowhere",
    script: {
      seed: 62,
      setup: {
        mirrors: [{ prefix: "", level: "full", disk: {}, conflicts: "sidecar" }],
        variant: {},
        combines: true,
        documents: 3,
        clockOff: 0,
      },
      steps: [
        {
          do: "sync",
          mirror: 0,
          seed: 241864,
          retry: false,
          kill: null,
          storm: null,
          trouble: "full",
          meddles: [
            { at: 106, by: "app", act: "edit", seed: 447787 },
            { at: 244, by: "local", act: "write-in-place", seed: 450165 },
            { at: 34, by: "local", act: "move", seed: 866754 },
            { at: 423, by: "local", act: "delete-and-create", seed: 566162 },
          ],
        },
      ],
    },
  },
  {
    found: "power failed after the last file of a text was removed, and before the text store was on the medium",
    script: {
      seed: 118,
      setup: {
        mirrors: [{ prefix: "", level: "full", disk: {}, conflicts: "sidecar" }],
        variant: { normalise: true },
        combines: true,
        documents: 6,
        clockOff: 0,
      },
      steps: [
        { do: "sync", mirror: 0, seed: 617357, retry: true, kill: null, storm: null, trouble: null, meddles: [] },
        { do: "here", mirror: 0, act: "remove", seed: 620324 },
        { do: "here", mirror: 0, act: "save-by-rename", seed: 278475 },
        { do: "there", act: "create", seed: 830673 },
        {
          do: "sync",
          mirror: 0,
          seed: 380562,
          retry: false,
          kill: { at: 337, power: true },
          storm: null,
          trouble: null,
          meddles: [],
        },
      ],
    },
  },
  {
    found: "a folder that refused to be looked at ended the sync with an exception while files were fsynced",
    script: {
      seed: 648,
      setup: {
        mirrors: [{ prefix: "", level: "full", disk: {}, conflicts: "sidecar" }],
        variant: {},
        combines: true,
        documents: 6,
        clockOff: 0,
      },
      steps: [
        {
          do: "sync",
          mirror: 0,
          seed: 705509,
          retry: true,
          kill: { at: 227, power: false },
          storm: null,
          trouble: null,
          meddles: [],
        },
        {
          do: "sync",
          mirror: 0,
          seed: 883854,
          retry: false,
          kill: null,
          storm: null,
          trouble: "forbidden",
          meddles: [],
        },
      ],
    },
  },
  {
    found: "a folder's move was refused as taken, and the question by what was itself refused",
    script: {
      seed: 650,
      setup: {
        mirrors: [{ prefix: "", level: "full", disk: {}, conflicts: "sidecar" }],
        variant: {},
        combines: true,
        documents: 3,
        clockOff: 0,
      },
      steps: [
        { do: "sync", mirror: 0, seed: 818037, retry: true, kill: null, storm: null, trouble: null, meddles: [] },
        { do: "there", act: "make-folder", seed: 220576 },
        { do: "here", mirror: 0, act: "rename-folder", seed: 276158 },
        { do: "sync", mirror: 0, seed: 366736, retry: true, kill: null, storm: 5, trouble: null, meddles: [] },
      ],
    },
  },
  {
    found: "a move was refused as taken, the question by what failed, and it was sent again unchanged",
    script: {
      seed: 794,
      setup: {
        mirrors: [{ prefix: "work", level: "read", disk: {}, conflicts: "sidecar" }],
        variant: {},
        combines: true,
        documents: 6,
        clockOff: 0,
      },
      steps: [
        { do: "sync", mirror: 0, seed: 847968, retry: true, kill: null, storm: null, trouble: null, meddles: [] },
        { do: "here", mirror: 0, act: "create", seed: 9183 },
        { do: "here", mirror: 0, act: "write-in-place", seed: 778795 },
        { do: "here", mirror: 0, act: "rename-folder", seed: 291579 },
        { do: "sync", mirror: 0, seed: 902427, retry: true, kill: null, storm: 5, trouble: null, meddles: [] },
      ],
    },
  },
  {
    found: "a text was read for a proof of absence alone, and kept nowhere",
    script: {
      seed: 633,
      setup: {
        mirrors: [{ prefix: "", level: "full", disk: {}, conflicts: "sidecar" }],
        variant: {},
        combines: true,
        documents: 3,
        clockOff: 0,
      },
      steps: [
        { do: "sync", mirror: 0, seed: 859313, retry: false, kill: null, storm: null, trouble: null, meddles: [] },
        { do: "there", act: "remove", seed: 642469 },
        {
          do: "sync",
          mirror: 0,
          seed: 460751,
          retry: true,
          kill: null,
          storm: null,
          trouble: null,
          meddles: [
            { at: 113, by: "app", act: "remove", seed: 456628 },
            { at: 30, by: "app", act: "edit", seed: 340401 },
            { at: 28, by: "local", act: "move-folder", seed: 796428 },
          ],
        },
      ],
    },
  },
  {
    found: "a new folder was refused as taken, the look at it failed, and it was sent again unchanged",
    script: {
      seed: 2234,
      setup: {
        mirrors: [{ prefix: "work", level: "full", disk: {}, conflicts: "sidecar" }],
        variant: {},
        combines: true,
        documents: 1,
        clockOff: 0,
      },
      steps: [
        { do: "there", act: "move", seed: 244407 },
        { do: "sync", mirror: 0, seed: 471306, retry: false, kill: null, storm: null, trouble: null, meddles: [] },
        { do: "here", mirror: 0, act: "rename", seed: 287480 },
        { do: "here", mirror: 0, act: "create", seed: 695513 },
        { do: "sync", mirror: 0, seed: 391388, retry: true, kill: null, storm: 5, trouble: null, meddles: [] },
      ],
    },
  },
  {
    found: "a PUT was refused, the read after it refused too, and it was sent again unchanged",
    script: {
      seed: 3093,
      setup: {
        mirrors: [{ prefix: "", level: "full", disk: {}, conflicts: "sidecar" }],
        variant: {},
        combines: true,
        documents: 3,
        clockOff: 0,
      },
      steps: [
        { do: "sync", mirror: 0, seed: 448569, retry: true, kill: null, storm: null, trouble: null, meddles: [] },
        { do: "here", mirror: 0, act: "save-by-rename", seed: 566912 },
        { do: "there", act: "rename", seed: 370279 },
        { do: "sync", mirror: 0, seed: 574966, retry: true, kill: null, storm: 5, trouble: null, meddles: [] },
      ],
    },
  },
];
