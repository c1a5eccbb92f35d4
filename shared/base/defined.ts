/** The members of `Source` that may be undefined become optional members that are never undefined. */
export type Defined<Source> = { [Key in keyof Source as undefined extends Source[Key] ? never : Key]: Source[Key] } & {
  [Key in keyof Source as undefined extends Source[Key] ? Key : never]?: Exclude<Source[Key], undefined>
}

/** Copies an object without its undefined members: how a record with optional members is built from values that may be missing. */
export function defined<Source extends object>(source: Source): Defined<Source> {
  const entries = Object.entries(source).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Defined<Source>
}
