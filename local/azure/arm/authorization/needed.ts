/** An action that ARM asks for, and the id of the resource that it is needed on. */
export type NeededAction = { readonly action: string; readonly scope: string }

/** `own` is needed on the resource in the path, `linked` on the resources that the request links to it. */
export type Needed = { readonly own: NeededAction; readonly linked: readonly NeededAction[] }
