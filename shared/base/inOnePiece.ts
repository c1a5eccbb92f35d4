/**
 * Makes equal objects that take less memory, and whose copies do. V8 keeps the members of an object inside it when their number is known as it is made, as in
 * parsed JSON; of one that grew it keeps most in a list beside it.
 */
export function pieceMaker(): <Value extends object>(object: Value) => Value {
  /** Objects with these members, in this order. */
  const empty = new Map<string, object>()
  return (object) => {
    const names = JSON.stringify(Object.keys(object))
    const known = empty.get(names)
    const places: object = known ?? JSON.parse(JSON.stringify(Object.fromEntries(Object.keys(object).map((name) => [name, null]))))
    if (known === undefined) empty.set(names, places)
    return Object.assign({ ...places }, object)
  }
}
