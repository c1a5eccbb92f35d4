/** Cases that are not played as they should be, each with the reason. A row that holds must leave the list, so that it only shrinks. */
export type NotYet = { readonly why: string; readonly rows: readonly string[] }

export const NOT_YET: readonly NotYet[] = []
