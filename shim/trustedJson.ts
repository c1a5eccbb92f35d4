/**
 * Parses JSON whose sender is trusted to keep the shape (an API server, the token authority, the metadata service). Members that may be missing are
 * declared optional. Input of users goes through `shared/wire` instead.
 */
export function trustedJson<Shape extends object>(text: string): Shape {
  const vouched: Shape = JSON.parse(text)
  return vouched
}
