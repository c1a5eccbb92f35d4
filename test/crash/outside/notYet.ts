/** Cases that fail today, each with the reason. A case that passes must leave the list, so the list only shrinks. */
export type NotYet = { readonly why: string; readonly rows: readonly string[] }

export const NOT_YET: readonly NotYet[] = []
