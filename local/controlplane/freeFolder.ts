import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the wanted folder, or the first of `<folder>-2`, `<folder>-3`, ... that no living process uses, and takes it for this process. Files that
 * a dead process left there are removed.
 */
export function freeFolder(wanted: string): string {
  for (let number = 1; ; number++) {
    const folder = number === 1 ? wanted : `${wanted}-${number}`
    if (isUsed(folder)) continue
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(ownerFile(folder), String(process.pid))
    return folder
  }
}

function isUsed(folder: string): boolean {
  try {
    process.kill(Number(readFileSync(ownerFile(folder), 'utf8')), 0)
    return true
  } catch {
    return false
  }
}

function ownerFile(folder: string): string {
  return join(folder, 'owner')
}
