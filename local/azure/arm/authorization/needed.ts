/** An action that ARM asks for, and the id of what it is asked of. */
export type NeededAction = { readonly action: string; readonly scope: string }

/** `own` is asked of the resource in the path, `linked` of resources that the request brings into it. */
export type Needed = { readonly own: NeededAction; readonly linked: readonly NeededAction[] }
