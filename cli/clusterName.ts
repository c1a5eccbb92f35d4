const LONGEST = 40

/** What Joiner calls a cluster: its own name in the letters that such an id may have. */
export function idOf(resourceId: string): string {
  const name = (resourceId.split('/').at(-1) ?? '').toLowerCase().replaceAll('_', '-').slice(0, LONGEST)
  return name.replaceAll(/^-+|-+$/g, '')
}
