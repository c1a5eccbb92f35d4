/**
 * JSON whose shape its sender vouches for (an API server, the token authority, the metadata service). Shapes are declared
 * with optional members wherever something may be missing; what comes from users goes through `shared/wire` instead.
 */
export function trustedJson<Shape extends object>(text: string): Shape {
  const vouched: Shape = JSON.parse(text)
  return vouched
}
