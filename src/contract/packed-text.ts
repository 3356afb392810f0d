/** A text's UTF-8: `plain` as it is, `zstd` packed by that. The stores of both sides hold both. */
export const CODEC = { plain: 0, zstd: 1 } as const;

/** @property size bytes of the UTF-8 */
export type PackedText = { readonly codec: number; readonly size: number; readonly bytes: Buffer };
