import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Returns the file of a program in the folders of a PATH. Undefined if none of them has one that may be executed. */
export function findOnPath(program: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}
