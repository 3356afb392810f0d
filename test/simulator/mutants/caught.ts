export type Caught = {
  /** A fault-injection test, a simulation run, or a test file. */
  readonly by: string;
  /** The first failure, with the id of the broken promise. */
  readonly says: string;
};

/** Result of the suite for one mutant, or for the control. */
export type SuiteEnd = {
  readonly caught: Caught | null;
  /** Number of tests that were run until then. */
  readonly faultTests: number;
  readonly simulations: number;
  readonly tests: number;
  /** True if the suite loaded the modules of the mutant. */
  readonly reached: boolean;
};
