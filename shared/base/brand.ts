declare const brand: unique symbol

/** A nominal type: a `Base` that only its own constructor can make, so that two meanings of one type cannot be swapped. */
export type Branded<Base, Name extends string> = Base & { readonly [brand]: Name }

/**
 * Gives a value its nominal type. The only place where a brand is cast; constructors in `shared/model` check first and
 * then call this.
 */
export function branded<Type extends Branded<string | number, string>>(value: Type extends string ? string : number): Type {
  return value as unknown as Type
}
