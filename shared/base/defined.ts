import { setOwnValue } from './ownValue.ts'
/** `Source`, in which members that may be undefined are optional members instead. */
export type Defined<Source> = { [Key in keyof Source as undefined extends Source[Key] ? never : Key]: Source[Key] } & {
  [Key in keyof Source as undefined extends Source[Key] ? Key : never]?: Exclude<Source[Key], undefined>
}

/** Copies an object without its undefined members. Builds a record with optional members from values that may be undefined. */
export function defined<Source extends object>(source: Source): Defined<Source> {
  const copy: { [key: string]: unknown } = {}
  for (const [key, value] of Object.entries(source)) if (value !== undefined) setOwnValue(copy, key, value)
  return copy as Defined<Source>
}
