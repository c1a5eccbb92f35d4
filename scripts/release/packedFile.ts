/** A file on its way into an archive. Archives of the same files are the same bytes: no time, no user and no order of a machine gets in. */
export type PackedFile = {
  /** With `/` between its parts, relative to the root of the archive. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly isProgram?: boolean
  /** User and group by number; root unless given. */
  readonly owner?: number
}

/** By code unit, as no locale of a machine changes it. */
export function inOrder(files: readonly PackedFile[]): readonly PackedFile[] {
  return files.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

export function modeOf({ isProgram = false }: PackedFile): number {
  return isProgram ? 0o755 : 0o644
}
