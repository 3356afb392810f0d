export const NOT_BEGUN = "the command was stopped before it came to this item";
