/** A file for an archive. Archives of the same files have the same bytes: they hold no time, no user and no order of a machine. */
export type PackedFile = {
  /** Relative to the root of the archive, with `/` between the parts. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly isProgram?: boolean
  /** Number of user and group. Root if undefined. */
  readonly owner?: number
}

/** Sorts files by code unit, which no locale of a machine changes. */
export function inOrder(files: readonly PackedFile[]): readonly PackedFile[] {
  return files.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))
}

export function modeOf({ isProgram = false }: PackedFile): number {
  return isProgram ? 0o755 : 0o644
}
