export type Caught = {
  /** A drill, a life, or a test file. */
  readonly by: string;
  /** The first failure, with the id of the promise that it found broken. */
  readonly says: string;
};

/** What became of one fault, or of the control. */
export type Throw = {
  readonly caught: Caught | null;
  /** How many were run until then. */
  readonly drills: number;
  readonly lives: number;
  readonly tests: number;
  /** Whether the net loaded the modules that the fault is in. */
  readonly reached: boolean;
};
