/**
 * JSON whose shape its sender vouches for (an API server, the token authority, the metadata service). Shapes are declared
 * with optional members wherever something may be missing; what comes from users goes through `shared/wire` instead.
 */
export function trustedJson<Shape extends object>(text: string): Shape {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above: the sender vouches for the shape
  return JSON.parse(text) as Shape
}
