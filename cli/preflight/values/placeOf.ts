/** `JOINER_SUBNETS.app`: the value of the environment, and the place in it. */
export function placeOf(name: string, path: readonly PropertyKey[]): string {
  return [name, ...path.map(String)].join('.')
}
