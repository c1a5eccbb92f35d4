declare const brand: unique symbol

/** A nominal type: a `Base` that only its own constructor can make. Two meanings of one base type cannot be swapped. */
export type Branded<Base, Name extends string> = Base & { readonly [brand]: Name }

/**
 * Gives a value its nominal type. This is the only place that casts a brand. Constructors in `shared/model` validate the value first and then call
 * this function.
 */
export function branded<Type extends Branded<string | number, string>>(value: Type extends string ? string : number): Type {
  return value as unknown as Type
}
